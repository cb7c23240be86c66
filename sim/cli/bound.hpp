// SPDX-License-Identifier: Apache-2.0
// What limits a layer: where the cycles of its commands went.
#pragma once

#include "hw/package/package.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vernier::cli {

/// A layer's commands, added up. A command's own cycles come from its timing profile (hw/timing), so that cycles in which
/// two commands overlap count twice; what sharing added to it is `sharing`; cycles attributed to the layer in which no
/// command of it was in flight are `nothing_in_flight`.
struct LayerSpent {
  std::vector<std::pair<std::string, int64_t>> cycles;  // by name, those above zero
  /// The sum that is largest: "compute" (the array multiplies), "vector" (the vector unit works), "sram" (weight loads, bank
  /// conflicts, ports, DMA inside SRAM), "external" (external memory), "control" (issue, tokens, pipeline fill).
  std::string bound_by;
};

/// By layer.
std::vector<LayerSpent> spent_by_layers(const package::Package& package, const soc::JobResult& job);

}  // namespace vernier::cli
