// SPDX-License-Identifier: Apache-2.0
// What the unit of a queue does in each cycle in which a command of the queue is in flight, from what a job has left of its
// commands. A main phase goes before a drain of the same cycle, as in the counts of the units; a DMA channel is a unit by
// itself here. SystemC-free.
#pragma once

#include "sim/units/command_record.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace vernier::units {

enum class Cause : uint8_t;

class UnitStates {
 public:
  explicit UnitStates(const CommandRecords& records);
  struct Stretch {
    Cause cause;
    int64_t until_cycle;
  };
  /// What holds at `cycle`, and until when. To be asked in ascending cycles of each queue, while a command is in flight.
  [[nodiscard]] Stretch at(spec::Queue queue, int64_t cycle);

 private:
  /// The phases of one kind of a queue's commands, in order, and how far the cycles have come in them.
  struct Track {
    PhaseRecord CommandRecord::*phase;
    size_t command = 0;        // into the queue's
    size_t share = 0;          // of the phase
    int64_t share_begin = -1;  // its cycle; -1: the phase was not looked at
  };
  struct QueueState {
    std::vector<int32_t> commands;  // in the order of their starts
    Track main{&CommandRecord::main}, drain{&CommandRecord::drain};
  };
  /// Moves the track to the phase that ends after `cycle`; null when there is none.
  [[nodiscard]] const CommandRecord* advance(const QueueState& queue, Track& track, int64_t cycle) const;
  [[nodiscard]] Stretch within(const CommandRecord& command, Track& track, int64_t cycle) const;

  const CommandRecords& records_;
  std::array<QueueState, spec::kNumQueues> queues_;
};

}  // namespace vernier::units
