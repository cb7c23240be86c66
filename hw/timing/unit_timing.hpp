// SPDX-License-Identifier: Apache-2.0
// How long each unit takes for a command. SystemC-free; used by the compiler's cost model, its schedule and by sim/units
// alike. profile() is a pure function of the command and the machine. earliest_start() and reserve() keep what one command
// leaves behind for the next: when the unit is free, and provisional ends for schedules that do without a simulation.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"
#include "hw/timing/in_flight.hpp"
#include "hw/timing/phase.hpp"

#include <cstdint>

namespace vernier::timing {

/// What InFlight may give out on that machine.
Capacities capacities_of(const config::MachineConfig& config);

Profile profile(const spec::MacCommand& command, const config::MachineConfig& config);
/// The same where the streams of the command do not meet in banks: never more cycles than profile(), and a fraction of its
/// host time.
Profile profile_before_banks(const spec::MacCommand& command, const config::MachineConfig& config);
Profile profile(const spec::VectorCommand& command, const config::MachineConfig& config);
Profile profile(const spec::DmaCommand& command, const config::MachineConfig& config);
/// Of any command; END takes no unit's time.
Profile profile(const spec::Command& command, const config::MachineConfig& config);

/// Bytes that a command moves, for the report and the roofline.
struct Traffic {
  int64_t sram_read_bytes = 0, sram_write_bytes = 0, external_read_bytes = 0, external_write_bytes = 0;
  bool operator==(const Traffic&) const = default;
};
Traffic& operator+=(Traffic& sum, const Traffic& traffic);
Traffic traffic_of(const Profile& profile, const config::MachineConfig& config);

/// A unit's own calendar: in order, one main phase at a time; the drain of one command may overlap the main of the next, and
/// drains do not overlap each other. A drain that waits for the one before it keeps the next main out: the two hold both
/// accumulator banks.
class UnitTiming {
 public:
  /// The earliest cycle, at or after `ready`, at which the next command may start.
  [[nodiscard]] int64_t earliest_start(int64_t ready) const;
  /// Enters the command at `start` (>= earliest_start) and returns its provisional end, nobody else slowing it.
  int64_t reserve(const Profile& profile, int64_t start);

 private:
  int64_t main_free_ = 0;
  int64_t drain_free_ = 0;
};

/// When more than kUrgentCommands wait in a unit's queue, the command processor fetches ahead of any need: after such a
/// dispatch it pauses for kPauseFetches times the cycles of the fetch, and so leaves three quarters of the port to the DMA.
inline constexpr int64_t kUrgentCommands = 8, kPauseFetches = 3;
/// Those cycles; 0 where there is no pause. `num_waiting`: in the queue after the dispatch.
constexpr int64_t pause_cycles(int64_t num_waiting, int64_t fetch_cycles) {
  return num_waiting > kUrgentCommands ? kPauseFetches * fetch_cycles : 0;
}

/// Fetch of a stream: cycles from asking for a command's first word to its dispatch, in a steady stream (prefetched, so that
/// the latency of the memory is hidden): a word a cycle, then decoding.
Phase fetch_phase(int64_t command_bytes, base::MemorySpace space, const config::MachineConfig& config);

}  // namespace vernier::timing
