// SPDX-License-Identifier: Apache-2.0
// Random vectors through a unit that takes a vector and gives its result a fixed number of cycles later.
//
// Expected values come from hw/model by way of a UnitDriver, expected edges from hw/spec; neither from RTL. PipeResults
// compares. A block that lost count is reset, and what was in flight in it counts as missing.
//
// rst_ni falls between two edges now and then, where it can tell most: every second time while a result stands on the port.
// Not tried: an rst_ni that also rises before the next edge, as a log of edges could not repeat that.
#pragma once

#include "sim/cosim/lockstep/pipe_results.hpp"
#include "sim/cosim/stimulus/random.hpp"
#include "sim/cosim/stream/unit_driver.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::cosim {

struct LockStepOptions {
  bool has_resets = true;       // false: none in the middle, which would take vectors from a driver that counts them
  std::vector<PinLog*> logs{};  // each has the edges until the first mismatch, and outlives the run
};

class LockStep : private Participant {
 public:
  LockStep(ClockedBlock& block, UnitDriver& driver, uint64_t seed, LockStepOptions options = {});
  /// Runs until `vectors` results have been compared. Hang after kHangCycles without a handshake.
  LockStepResult run(int64_t vectors, const VectorProgress::Sink& progress = {});

 private:
  void cycle();
  void offer(bool is_enabled) override;
  Seen see() override;
  void clocked() override;
  void was_reset() override;
  [[nodiscard]] std::string waiting() const override;
  [[nodiscard]] bool is_reset_due() const;
  void report_state();

  UnitDriver& driver_;
  LockStepOptions options_;
  Random random_;
  Scoreboard board_;
  Bench bench_;
  PipeResults results_;
  Port valid_in_, tag_in_, valid_out_;
  int next_slot_ = 0;
  int pending_ = -1;  // the slot that is offered next
  bool is_pending_driven_ = false, is_valid_ = false;
  int64_t vectors_ = 0, issued_ = 0;
  int64_t cycle_ = 0;       // without those of resets
  int64_t next_reset_;      // from this cycle_ on
  int64_t num_resets_ = 0;  // in flight
  int64_t enable_percent_ = 100, valid_percent_ = 100;
};

}  // namespace vernier::cosim
