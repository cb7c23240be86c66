// SPDX-License-Identifier: Apache-2.0
// When the ports of the array stay away: the pace of a sequence, and how many cycles its edges may be later for that.
#pragma once

#include "sim/cosim/stimulus/random.hpp"
#include "sim/cosim/stream/stream_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace vernier::cosim {

/// ArrayLockStep says what each of them compares.
enum class ArrayPace : uint8_t { Ideal, Frozen, Stalls, Held, Chosen, Memory };
inline constexpr int kNumPaces = 4;  // those that are drawn

/// At the pace Chosen: the cycles [from, to) of a sequence in which `port` of PortStalls stays away. Its first cycle, 0,
/// offers its first command.
struct PortAbsence {
  size_t port = 0;
  int64_t from = 0, to = 0;
};

class PortStalls {
 public:
  /// Weights, activations, parameters, addends; then commands, and results.
  static constexpr size_t kNumPorts = 6;
  static constexpr size_t kWeights = 0, kActivations = 1, kParameters = 2, kAddends = 3, kCommands = 4, kResults = 5;

  /// `memory` says at the pace Memory whether a port has something; both outlive this.
  explicit PortStalls(Random& random, const StreamMemory* memory = nullptr) : random_(random), memory_(memory) {}
  /// A sequence begins. `hold_cycles`: how many cycles each row is there before it is taken at the pace Held, at least one;
  /// drawn when absent. `away` is for the pace Chosen.
  void start(ArrayPace pace, std::optional<int64_t> hold_cycles = {}, PortAbsence away = {});
  /// Whether edges are those of the ideal pace, not only as late as it or later.
  [[nodiscard]] bool is_exact() const {
    if (pace_ == ArrayPace::Memory) return memory_->is_ideal();
    return pace_ == ArrayPace::Ideal || pace_ == ArrayPace::Frozen;
  }
  /// Cycles so far, of this sequence, each of which may make an edge later by one; of a memory with limits as many as it
  /// likes.
  [[nodiscard]] int64_t stall_cycles() const {
    return pace_ == ArrayPace::Memory && !memory_->is_ideal() ? kManyCycles : stall_cycles_;
  }

  // Of the next cycle.
  /// Once in each cycle.
  bool is_enabled();
  /// Whether a port that has something (to give, or room) stays away.
  bool withholds(size_t port, bool has_something);
  /// Whether a row of results would be taken.
  bool gives_result_room();
  /// Whether a row of results waits in this cycle.
  void see_results(bool has_row, bool is_taken);

 private:
  [[nodiscard]] bool is_in_burst(size_t port);
  static constexpr int64_t kManyCycles = int64_t{1} << 40;
  Random& random_;
  const StreamMemory* memory_;
  ArrayPace pace_ = ArrayPace::Ideal;
  int64_t percent_ = 0;
  int64_t most_stall_cycles_ = 1;    // of a port in a row
  bool stalls_drain_alone_ = false;  // parameters, addends and results
  bool is_bursty_ = false;
  int64_t stall_cycles_ = 0;
  int64_t cycle_ = 0;  // of the sequence: how many there have been
  PortAbsence absence_;
  std::array<int64_t, kNumPorts> left_{};  // cycles that a port stays away
  int64_t hold_cycles_ = 1, held_cycles_ = 0;
};

}  // namespace vernier::cosim
