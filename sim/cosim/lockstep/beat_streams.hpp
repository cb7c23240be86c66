// SPDX-License-Identifier: Apache-2.0
// Ports with valid, ready and data of at most 64 bits: a source of beats, and a sink that compares them. A port with more
// fields has a participant of its own. Names of pins begin with the port's: in_valid_i, in_ready_o and in_data_i of a source
// "in"; out_valid_o, out_ready_i and out_data_o of a sink "out".
#pragma once

#include "sim/cosim/block/held_ports.hpp"
#include "sim/cosim/lockstep/bench.hpp"
#include "sim/cosim/stimulus/random.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace vernier::cosim {

class BeatSource : public Participant {
 public:
  /// Offers a beat in `percent` of 100 cycles, drawn from `random`, which outlives this; a beat that is offered stays so
  /// until it is taken. Data is anything while nothing is offered. Joins `bench`.
  BeatSource(Bench& bench, std::string name, Random& random, int64_t percent = 75);
  /// The next beat. Only where there is none.
  void give(uint64_t beat) { beat_ = beat; }
  [[nodiscard]] bool has_beat() const { return beat_.has_value(); }
  /// The beat that the edge of this cycle takes: after this has seen the cycle.
  [[nodiscard]] const std::optional<uint64_t>& taken() const { return taken_; }

  void offer(bool is_enabled) override;
  Seen see() override;
  void was_reset() override { is_offered_ = false; }
  [[nodiscard]] std::string waiting() const override;

 private:
  const Bench& bench_;
  std::string name_;
  Random& random_;
  int64_t percent_;
  Port valid_, ready_, data_;
  std::optional<uint64_t> beat_, taken_;
  bool is_offered_ = false;
};

class BeatSink : public Participant {
 public:
  /// Is ready in `percent` of 100 cycles, drawn from `random`, which outlives this. Results are counted in `group` of the
  /// bench's scoreboard. Joins `bench`.
  BeatSink(Bench& bench, std::string name, Random& random, int64_t percent = 75, int group = 0);
  /// One more beat has to come after those that are owed, and valid has to be high for it from `due_edge` on.
  void expect(uint64_t beat, int64_t due_edge) { owed_.push_back({beat, due_edge}); }
  [[nodiscard]] size_t num_owed() const { return owed_.size(); }

  void offer(bool is_enabled) override;
  void settled() override;
  Seen see() override;
  void was_reset() override;
  [[nodiscard]] std::string waiting() const override;

 private:
  struct Owed {
    uint64_t beat = 0;
    int64_t due_edge = 0;
    bool is_told = false;  // that it is late
  };
  [[nodiscard]] bool is_taken() const { return valid_.get() != 0 && ready_.get() != 0 && bench_.is_enabled(); }

  Bench& bench_;
  std::string name_;
  Random& random_;
  int64_t percent_;
  int group_;
  Port valid_, ready_, data_;
  HeldPorts held_;
  std::deque<Owed> owed_;
};

}  // namespace vernier::cosim
