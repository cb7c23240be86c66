// SPDX-License-Identifier: Apache-2.0
// How long a schedule takes, to choose between several: the machine's queues, tokens and shared resources (hw/timing)
// without values, banks in use or statistics. It follows the simulator's rules of start and end, so that it tells the same
// cycles.
#pragma once

#include "compiler/schedule/known_times.hpp"
#include "hw/base/address.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>
#include <vector>

namespace vernier::schedule {

/// The commands of a stream, without END, linked by tokens; and the memory that they are fetched from.
struct LinkedCommands {
  std::vector<spec::Command> commands;
  base::MemorySpace space = base::MemorySpace::External;
};

/// Cycles from the start of the job to the end of its last command.
int64_t makespan_cycles(const LinkedCommands& linked, const config::MachineConfig& config, KnownTimes& times);

struct CommandTime {
  int64_t start_cycle = 0, end_cycle = 0;
};

/// By command: when it runs.
std::vector<CommandTime> command_times(const LinkedCommands& linked, const config::MachineConfig& config, KnownTimes& times);

/// By command: when it runs if all stand in their queues at cycle 0, however many a queue holds.
std::vector<CommandTime> times_without_stream(const LinkedCommands& linked, const config::MachineConfig& config,
                                              KnownTimes& times);

}  // namespace vernier::schedule
