// SPDX-License-Identifier: Apache-2.0
// Lock-step comparison of an RTL unit that takes a vector and gives its result a fixed number of cycles later: every
// accepted beat of the result port is compared in all lanes and in its edge.
//
// Expected values come from hw/model by way of a UnitDriver, expected edges from hw/spec; neither from RTL. Beats come in
// the order of the operands, whose tags they carry. Per vector there is at most one mismatch: of value, of edge, of a
// missing beat or a wrong tag; outputs that move while en_i is low, or inside a cycle, or that say in a reset that something
// is left, are mismatches of their own. A block that lost count is reset, and what was in flight in it counts as missing.
//
// rst_ni falls between two edges now and then, where it can tell most: every second time while a result stands on the port.
// Not tried: an rst_ni that also rises before the next edge, as a log of edges could not repeat that.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/block/held_ports.hpp"
#include "sim/cosim/block/mismatch.hpp"
#include "sim/cosim/stimulus/random.hpp"
#include "sim/cosim/stream/pin_log.hpp"
#include "sim/cosim/stream/unit_driver.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Without a handshake on any port.
inline constexpr int64_t kHangCycles = 10'000;

/// Where the first mismatch of a run was seen, kept or not: the block's cycle, which waves count too, and the lane, or -1.
struct MismatchPlace {
  int64_t cycle = 0;
  int lane = -1;
};

/// A run keeps so many mismatches.
inline constexpr size_t kMaxMessages = 10;

struct LockStepResult {
  struct Group {
    std::string name;
    int64_t vectors = 0, mismatches = 0;
  };
  int64_t vectors = 0;     // accepted beats of the result port, and those that never came
  int64_t mismatches = 0;  // of value, edge or handshake
  int64_t cycle_mismatches = 0;
  int64_t model_cycles = 0, rtl_cycles = 0;  // edges with en_i from the first operand to the last result
  int64_t commands = 0;                      // that the array took
  std::vector<Group> groups{};
  std::vector<Mismatch> first_mismatches{};    // at most kMaxMessages
  std::optional<MismatchPlace> first_place{};  // of the first of them that has one
  /// "every result equal, 3 not in the cycles of hw/spec", or how many mismatches; `if_all_equal` where nothing differs.
  [[nodiscard]] std::string verdict(std::string_view if_all_equal) const;
  /// The first mismatch in words; empty: there is none.
  [[nodiscard]] std::string first_text() const { return cosim::first_text(first_mismatches); }
  /// One more mismatch, which is kept while there are fewer than `most_kept`.
  void report(Mismatch mismatch, size_t most_kept = kMaxMessages);
  /// Counts are summed; groups and messages follow those that are there.
  void add(const LockStepResult& part);
  /// In the handler of a Hang: a run that stood still ends with one more mismatch, after those that say why. Without any the
  /// hang is all there is, and is thrown on, as is that of RTL that stopped itself.
  [[nodiscard]] LockStepResult ended_at(const Hang& hang) const;
};
/// So many cycles after the last command a beat too many has had the time to come out.
inline constexpr int64_t kIdleCycles = 16;

/// The first lane of a result port that differs, with what `explain` says about its operands; none where all are equal.
template <typename Explain>
std::optional<Mismatch> different_lane(std::string port, const Port& results, std::span<const int32_t> expected,
                                       Explain explain) {
  if (std::ranges::equal(std::as_bytes(expected), results.bytes().first(expected.size_bytes()))) return std::nullopt;
  for (size_t lane = 0; lane < expected.size(); ++lane) {
    const auto actual = static_cast<int32_t>(results.field(static_cast<int64_t>(lane), 32));
    if (actual == expected[lane]) continue;
    return Mismatch{.port = std::move(port),
                    .lane = static_cast<int>(lane),
                    .expected = expected[lane],
                    .actual = actual,
                    .operands = explain(static_cast<int>(lane))};
  }
  return std::nullopt;
}

inline constexpr int64_t kProgressVectors = 1000;

/// Tells a sink, which may be empty, about every kProgressVectors vectors what has been compared so far.
class VectorProgress {
 public:
  using Sink = std::function<void(const LockStepResult& so_far)>;
  explicit VectorProgress(const Sink& sink) : sink_(sink) {}
  void show(const LockStepResult& so_far) {
    if (!sink_ || so_far.vectors < next_) return;
    sink_(so_far);
    next_ = so_far.vectors + kProgressVectors;
  }

 private:
  const Sink& sink_;
  int64_t next_ = 0;
};

class LockStep {
 public:
  LockStep(ClockedBlock& block, UnitDriver& driver, uint64_t seed);
  /// No reset in the middle, which would take vectors from a driver that counts them.
  void never_reset() { has_resets_ = false; }
  /// Each edge until the first mismatch goes into a log, which outlives this.
  void keep_log(PinLog& log) { logs_.push_back(&log); }
  /// Runs until `vectors` results have been compared. Hang after kHangCycles without a handshake.
  LockStepResult run(int64_t vectors, const VectorProgress::Sink& progress = {});

 private:
  struct InFlight {
    int slot;
    int64_t edge;  // at which its result is due
  };
  struct Outputs {
    bool valid = false;
    uint64_t tag = 0;
  };
  void cycle(int64_t vectors);
  void drive_cycle(int64_t vectors);
  void probe();
  void sample();
  bool compare_beat();
  void finish(int slot, std::optional<Mismatch> mismatch, bool is_edge_wrong);
  [[nodiscard]] bool is_reset_due() const;
  void reset_in_flight();
  void begin_reset();
  void reset_block();
  void restart();
  void report_state();
  /// A mismatch of the block in this cycle.
  void report(Mismatch mismatch);
  [[nodiscard]] std::string named(std::string_view port) const;
  int free_slot();

  ClockedBlock& block_;
  UnitDriver& driver_;
  Random random_;
  Port en_, valid_in_, tag_in_, valid_out_, tag_out_, results_out_;
  HeldPorts all_outputs_, held_;  // held_: those of the results
  LockStepResult result_;
  Outputs outputs_;
  std::deque<InFlight> in_flight_;
  std::array<bool, kNumSlots> is_used_{};
  std::vector<PinLog*> logs_;
  bool has_resets_ = true;
  int next_slot_ = 0;
  int pending_ = -1;
  bool is_pending_driven_ = false;
  bool is_enabled_ = true, is_valid_ = false, was_enabled_ = true;
  int64_t issued_ = 0;
  int64_t edge_ = 0;  // with en_i since the start
  int64_t first_edge_ = -1;
  int64_t cycle_ = 0;           // without those of resets
  int64_t next_reset_;          // from this cycle_ on
  int64_t num_resets_ = 0;      // in flight
  int64_t last_handshake_ = 0;  // the block's cycle
  int64_t enable_percent_ = 100, valid_percent_ = 100;
};

}  // namespace vernier::cosim
