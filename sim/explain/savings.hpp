// SPDX-License-Identifier: Apache-2.0
// What would make a layer faster, in the words of bound_detail.hpp, with the cycles that its commands spend on it.
#pragma once

#include "sim/explain/layer_work.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::explain {

struct Saving {
  std::string words;
  /// Cycles by which the layer's commands, added up, get shorter when it costs nothing: the run cannot get shorter by more.
  /// None where the fields of the commands do not tell.
  std::optional<int64_t> most_cycles;
};

/// Of the layer, the largest first; without those of less than 1 % of its attributed cycles, and of a layer that has none
/// the sentence that says so alone. `work` is the layer's.
std::vector<Saving> savings_of(int32_t layer_idx, const soc::JobResult& job, const LayerWork& work,
                               const config::MachineConfig& config);

}  // namespace vernier::explain
