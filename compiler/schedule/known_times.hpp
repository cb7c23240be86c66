// SPDX-License-Identifier: Apache-2.0
// What commands take on their units, by the timing classes, and what of a command of the array is best chosen so. A plan is
// made of the same few commands, in every attempt again; commands that are timed alike (hw/timing/known_profiles.hpp) are
// one here.
#pragma once

#include "compiler/cost/operands_apart.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"
#include "hw/timing/known_profiles.hpp"

#include <cstdint>
#include <unordered_map>

namespace vernier::schedule {

class KnownTimes {
 public:
  /// `config` is kept by reference.
  explicit KnownTimes(const config::MachineConfig& config) : config_(config), profiles_(config) {}

  /// timing::profile() of a command that has its final addresses, on that machine or on one with another external memory.
  timing::Profile placed_profile(const spec::Command& command, const config::MachineConfig& config);
  /// The same of a command whose operands have no places yet: they will lie apart (compiler/cost/operands_apart.hpp).
  timing::Profile profile(const spec::Command& command, const config::MachineConfig& config);
  timing::Profile profile(const spec::MacCommand& command) {
    return profiles_.profile(cost::operands_apart(command, config_.datapath));
  }
  timing::Profile profile(const spec::DmaCommand& command, const config::MachineConfig& config) {
    return profiles_.profile(command, config);
  }
  /// cost::cycles_alone().
  int64_t cycles_alone(const spec::Command& command, const config::MachineConfig& config);
  /// For what compares commands by itself.
  timing::KnownProfiles& profiles() { return profiles_; }
  /// cost::with_best_slide() and cost::with_best_row_tile().
  spec::MacCommand with_best_slide(const spec::MacCommand& command);
  spec::MacCommand with_best_row_tile(const spec::MacCommand& command);

 private:
  /// What the choices of compiler/cost set.
  struct Tuning {
    int64_t row_tile_rows;
    bool slide_rows;
  };
  using Known = std::unordered_map<spec::MacCommand, Tuning, timing::CommandHash>;
  using Choice = spec::MacCommand (*)(const spec::MacCommand&, const config::MachineConfig&);
  spec::MacCommand tuned(spec::MacCommand command, Known& known, Choice choice);

  const config::MachineConfig& config_;
  timing::KnownProfiles profiles_;
  Known slides_, row_tiles_;
};

}  // namespace vernier::schedule
