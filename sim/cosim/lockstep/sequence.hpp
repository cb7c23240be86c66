// SPDX-License-Identifier: Apache-2.0
// What a run of commands is told before it begins, what it runs, and what it keeps so that it can be run once more.
#pragma once

#include "sim/cosim/block/mismatch.hpp"
#include "sim/cosim/lockstep/scoreboard.hpp"
#include "sim/cosim/stimulus/work.hpp"
#include "sim/cosim/stream/port_stalls.hpp"
#include "sim/kernels/kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::cosim {

/// So many cycles after the last command a beat too many has had the time to come out.
inline constexpr int64_t kIdleCycles = 16;

/// Of a run of commands on a block, whichever unit they are for.
struct RunOptions {
  uint64_t seed = 1;
  /// Edges have to be those of hw/spec. Otherwise those that differ are counted, and are no mismatches: for RTL whose pipes
  /// have other lengths.
  bool is_strict = true;
  bool keeps_fault = false;                      // the first mismatch is kept with what shows it again
  std::optional<kernels::TableMemory> tables{};  // that the slots hold from the beginning; drawn when absent
  StreamMemory* memory = nullptr;                // what stands behind the ports at the pace Memory; outlives the run
  std::vector<Participant*> guests{};            // with other ports of the block; they outlive the run
  [[nodiscard]] RunOptions with(StreamMemory* behind_the_ports) const {
    RunOptions options = *this;
    options.memory = behind_the_ports;
    return options;
  }
};

/// Works that follow each other without a reset, and how their ports are served.
struct Sequence {
  std::vector<Work> works{};
  ArrayPace pace = ArrayPace::Ideal;
  std::vector<std::string> names{};        // of the commands, for mismatches; they have numbers without
  std::optional<uint64_t> random_state{};  // of the generator that draws pauses, and what stands on ports without a beat
  std::optional<int64_t> reset_after_cycles{};   // a reset ends it; after that a result of it is one too many
  int64_t idle_cycles = 0;                       // afterwards: a result is one too many
  int64_t most_results = INT64_MAX;              // that are compared
  std::optional<kernels::TableMemory> tables{};  // that the slots hold from here on; what they held when absent
  ResultSink on_result{};
  /// At most so many mismatches are put into words: to find operands takes as long as a command.
  size_t most_described = kMaxMessages;
  std::optional<int64_t> shared_percent{};  // of the cycles: from here on somebody else has the lanes of the vector unit
  std::optional<int64_t> hold_cycles{};     // at the pace Held: how long each row is there before it is taken
  PortAbsence away{};                       // at the pace Chosen
};

/// Sequences from a reset on.
struct CommandReplay {
  kernels::TableMemory tables{};
  std::vector<Sequence> sequences{};
  int64_t first_cycle = 0;  // of the block, where the first sequence begins
};

/// The first mismatch of a run.
struct CommandFault {
  Mismatch mismatch;
  CommandReplay all;
  size_t command = 0;  // in the last sequence
  /// Where a row of results of the array belongs.
  struct Place {
    int64_t channel_tile = 0, y = 0;
    int64_t row = 0;  // of the command's rows, in the order in which they come
    int lane = -1;    // that differs, or -1
  };
  std::optional<Place> place{};
};

}  // namespace vernier::cosim
