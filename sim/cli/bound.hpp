// SPDX-License-Identifier: Apache-2.0
// What limits a layer: where the cycles of its commands went.
#pragma once

#include "hw/package/package.hpp"
#include "sim/soc/npu.hpp"

#include <string>
#include <vector>

namespace vernier::cli {

/// By layer: "compute" (the array multiplies), "vector" (the vector unit works), "sram" (weight loads, bank conflicts,
/// ports, DMA inside SRAM), "external" (external memory), "control" (issue, tokens, pipeline fill), whichever its commands
/// spent most cycles on. A command's own costs come from its timing profile; what sharing added to it counts as "sram", or
/// "external" for a DMA that reaches outside; cycles attributed to the layer that no command of it covers count as
/// "control".
std::vector<std::string> bound_of_layers(const package::Package& package, const soc::JobResult& job);

}  // namespace vernier::cli
