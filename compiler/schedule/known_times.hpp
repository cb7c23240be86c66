// SPDX-License-Identifier: Apache-2.0
// What commands take on their units, by the timing classes. A plan is made of the same few commands of the array and the DMA
// over and over, in every attempt again, and timing one of them costs far more than finding it here.
//
// Commands that differ in nothing that their time depends on are one: addresses count modulo the bytes after which the banks
// of SRAM (hw/timing/access_pattern.hpp) or the bursts of external memory repeat, and rows and columns of the array's input
// that no tap reaches not at all. So all stripes in the middle of a map are one command. The array does not see the
// bandwidth and the latency of external memory, in which the machines that plans are made for differ.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"
#include "hw/timing/phase.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

namespace vernier::schedule {

class KnownTimes {
 public:
  /// `config` is kept by reference.
  explicit KnownTimes(const config::MachineConfig& config) : config_(config) {}

  /// timing::profile() of a command on that machine, or on one with another external memory.
  timing::Profile profile(const spec::Command& command, const config::MachineConfig& config);
  timing::Profile profile(const spec::MacCommand& command);
  timing::Profile profile(const spec::DmaCommand& command, const config::MachineConfig& config);
  /// cost::with_best_slide() and cost::with_best_row_tile().
  spec::MacCommand with_best_slide(const spec::MacCommand& command);
  spec::MacCommand with_best_row_tile(const spec::MacCommand& command);

 private:
  struct Hash {
    template <typename Command>
    size_t operator()(const Command& command) const;
  };
  template <typename Command, typename Value>
  using Known = std::unordered_map<Command, Value, Hash>;
  /// What the choices of compiler/cost set.
  struct Tuning {
    int64_t row_tile_rows;
    bool slide_rows;
  };
  using Choice = spec::MacCommand (*)(const spec::MacCommand&, const config::MachineConfig&);
  spec::MacCommand tuned(spec::MacCommand command, Known<spec::MacCommand, Tuning>& known, Choice choice);

  const config::MachineConfig& config_;
  Known<spec::MacCommand, timing::Profile> of_array_;
  Known<spec::MacCommand, Tuning> slides_, row_tiles_;
  /// By bytes per cycle and latency of external memory.
  std::map<std::pair<base::Ratio, int64_t>, Known<spec::DmaCommand, timing::Profile>> of_dma_;
};

/// The command that stands for all that take the same time. For tests, beside KnownTimes.
spec::MacCommand timed_alike(spec::MacCommand command, const config::MachineConfig& config);
spec::DmaCommand timed_alike(spec::DmaCommand command, const config::MachineConfig& config);

}  // namespace vernier::schedule
