// SPDX-License-Identifier: Apache-2.0
// What commands take on their units, by the timing classes. A plan is made of the same few commands of the array over and
// over, in every attempt again, and timing one of them costs far more than finding it here.
//
// Commands of the array that differ in nothing that their time depends on are one: addresses count modulo the bytes after
// which the banks repeat (hw/timing/access_pattern.hpp), and rows and columns of the input that no tap reaches not at all.
// So all stripes in the middle of a map are one command. The bandwidth of external memory, in which the machines that plans
// are made for differ, is not seen by the array.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"
#include "hw/timing/phase.hpp"

#include <cstddef>
#include <unordered_map>

namespace vernier::schedule {

class KnownTimes {
 public:
  /// `config` is kept by reference.
  explicit KnownTimes(const config::MachineConfig& config) : config_(config) {}

  /// timing::profile() of a command on that machine, or on one with another bandwidth of external memory.
  timing::Profile profile(const spec::Command& command, const config::MachineConfig& config);
  timing::Profile profile(const spec::MacCommand& command);
  /// cost::with_best_slide() and cost::with_best_row_tile().
  spec::MacCommand with_best_slide(const spec::MacCommand& command);
  spec::MacCommand with_best_row_tile(const spec::MacCommand& command);

 private:
  struct Hash {
    size_t operator()(const spec::MacCommand& command) const;
  };
  template <typename Value>
  using ByCommand = std::unordered_map<spec::MacCommand, Value, Hash>;
  /// What the choices of compiler/cost set.
  struct Tuning {
    int64_t row_tile_rows;
    bool slide_rows;
  };
  using Choice = spec::MacCommand (*)(const spec::MacCommand&, const config::MachineConfig&);
  spec::MacCommand tuned(spec::MacCommand command, ByCommand<Tuning>& known, Choice choice);

  const config::MachineConfig& config_;
  ByCommand<timing::Profile> profiles_;
  ByCommand<Tuning> slides_, row_tiles_;
};

/// The command that stands for all that take the same time. For tests, beside KnownTimes.
spec::MacCommand timed_alike(spec::MacCommand command, const spec::Datapath& datapath);

}  // namespace vernier::schedule
