// SPDX-License-Identifier: Apache-2.0
// profile() of commands, each worked out once. A network is the same few commands over and over,
// and timing one of them costs far more than finding it here.
//
// Commands that differ in nothing that their time depends on are one: addresses count modulo the bytes after which the banks
// of SRAM (access_pattern.hpp) or the bursts of external memory repeat, and rows and columns of the array's input that no
// tap reaches not at all; immediate values of the vector unit's steps count neither. So all stripes in the middle of a map
// are one command. Array and vector unit do not see the bandwidth and the latency of external memory.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"
#include "hw/timing/phase.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

namespace vernier::timing {

/// Hashes all fields of a command.
struct CommandHash {
  size_t operator()(const spec::MacCommand& command) const;
  size_t operator()(const spec::DmaCommand& command) const;
  size_t operator()(const spec::VectorCommand& command) const;
};

/// The command that stands for all that take the same time.
spec::MacCommand timed_alike(spec::MacCommand command, const config::MachineConfig& config);
spec::DmaCommand timed_alike(spec::DmaCommand command, const config::MachineConfig& config);
spec::VectorCommand timed_alike(spec::VectorCommand command, const config::MachineConfig& config);

class KnownProfiles {
 public:
  /// `config` is kept by reference.
  explicit KnownProfiles(const config::MachineConfig& config) : config_(config) {}

  const Profile& profile(const spec::MacCommand& command);
  const Profile& profile(const spec::VectorCommand& command);
  /// On the machine, or on one with another bandwidth or latency of external memory.
  const Profile& profile(const spec::DmaCommand& command, const config::MachineConfig& config);

 private:
  const config::MachineConfig& config_;
  std::unordered_map<spec::MacCommand, Profile, CommandHash> of_array_;
  std::unordered_map<spec::VectorCommand, Profile, CommandHash> of_vector_unit_;
  /// By bytes per cycle and latency of external memory.
  std::map<std::pair<base::Ratio, int64_t>, std::unordered_map<spec::DmaCommand, Profile, CommandHash>> of_dma_;
};

}  // namespace vernier::timing
