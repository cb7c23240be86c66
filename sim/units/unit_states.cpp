// SPDX-License-Identifier: Apache-2.0
#include "sim/units/unit_states.hpp"

#include "sim/units/attribution.hpp"

#include <algorithm>
#include <limits>

namespace vernier::units {
namespace {

Cause busy_of(Work work, bool is_drain) {
  switch (work) {
    case Work::Array: return is_drain ? Cause::Epilogue : Cause::Array;
    case Work::Vector: return Cause::VectorUnit;
    case Work::Copy: return Cause::DmaInSram;
    default: return Cause::DmaExternal;
  }
}

Cause cause_of(kit::Bucket bucket, Work work, bool is_drain) {
  if (bucket == kit::Bucket::busy()) return busy_of(work, is_drain);
  return static_cast<Cause>(kFirstStallCause + bucket.stall_idx());
}

}  // namespace

UnitStates::UnitStates(const CommandRecords& records) : records_(records) {
  for (size_t i = 0; i < records.commands.size(); ++i) {
    const CommandRecord& command = records.commands[i];
    if (command.work != Work::None) queues_[static_cast<size_t>(command.queue)].commands.push_back(static_cast<int32_t>(i));
  }
}

UnitStates::Stretch UnitStates::at(spec::Queue queue_name, int64_t cycle) {
  QueueState& queue = queues_[static_cast<size_t>(queue_name)];
  int64_t until = std::numeric_limits<int64_t>::max();
  if (const CommandRecord* command = advance(queue, queue.main, cycle)) {
    if (command->main.start_cycle <= cycle) return within(*command, queue.main, cycle);
    until = command->main.start_cycle;
  }
  if (const CommandRecord* command = advance(queue, queue.drain, cycle)) {
    if (command->drain.start_cycle <= cycle) return within(*command, queue.drain, cycle);
  }
  // A phase that did not end before the machine stopped: busy, as its unit counts it.
  const Work work = queue.commands.empty() ? Work::None : records_.commands[queue.commands.back()].work;
  return {busy_of(work, false), until};
}

const CommandRecord* UnitStates::advance(const QueueState& queue, Track& track, int64_t cycle) const {
  for (; track.command < queue.commands.size(); ++track.command, track.share_begin = -1) {
    const CommandRecord& command = records_.commands[queue.commands[track.command]];
    if ((command.*track.phase).end_cycle > cycle) return &command;
  }
  return nullptr;
}

UnitStates::Stretch UnitStates::within(const CommandRecord& command, Track& track, int64_t cycle) const {
  const PhaseRecord& phase = command.*track.phase;
  const std::span<const Share> shares = records_.of(phase.shares);
  if (track.share_begin < 0) {
    track.share = 0;
    track.share_begin = phase.start_cycle;
  }
  const bool is_drain = track.phase == &CommandRecord::drain;
  for (; track.share < shares.size(); ++track.share) {
    const int64_t end = track.share_begin + shares[track.share].cycles;
    if (end > cycle) return {cause_of(shares[track.share].bucket, command.work, is_drain), end};
    track.share_begin = end;
  }
  return {busy_of(command.work, is_drain), phase.end_cycle};
}

}  // namespace vernier::units
