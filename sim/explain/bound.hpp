// SPDX-License-Identifier: Apache-2.0
// What limits a layer: where the cycles that are attributed to it went, and where those of its commands went.
#pragma once

#include "sim/soc/npu.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::explain {

using NamedCycles = std::vector<std::pair<std::string, int64_t>>;  // those above zero

/// "compute" (the array multiplies or drains), "sram" (weight loads, bank conflicts, ports, copies inside SRAM), "external"
/// (external memory), "vector" (the vector unit works, lanes that are taken), "control" (issue, tokens, pipeline fill).
std::string_view bound_of(units::Cause cause);

struct LayerBound {
  NamedCycles attributed_by;  // units::kCauseNames; they sum to attributed_cycles
  /// The bound whose causes have most of the layer's attributed cycles. Of a layer without one: that on which its commands
  /// spent most.
  std::string bound_by;
  /// A layer's commands, added up by themselves, so that cycles in which two overlap count twice; what others in flight
  /// added to a command is `sharing`; cycles attributed to the layer in which no command of it was in flight are
  /// `nothing_in_flight`.
  NamedCycles spent;
};

/// By layer.
std::vector<LayerBound> bounds_of_layers(const soc::JobResult& job);

}  // namespace vernier::explain
