// SPDX-License-Identifier: Apache-2.0
// Why a layer is bound by what it is bound by, in the words of somebody who looks at its commands: "9 of 16 taps", "17
// output channels fill 2 blocks of 16". From the fields of the commands and from what the layer's cycles count for.
#pragma once

#include "sim/explain/layer_work.hpp"

#include <string>

namespace vernier::explain {

/// Of a layer that is bound by `bound_by` (bound.hpp).
std::string bound_detail(const units::LayerCount& layer, const std::string& bound_by, const LayerWork& work,
                         const config::MachineConfig& config);

/// "17 output channels fill 2 blocks of 16": of the command that wastes most so.
std::string waste_words(Waste waste, const ArrayWork& work, const spec::Datapath& datapath);
/// What the cycles of a cause went for: "a weight tile takes 16 cycles to load and serves 4 rows".
std::string cause_words(units::Cause cause, const units::LayerCount& layer, const LayerWork& work,
                        const config::MachineConfig& config);

/// Whether the layer's own loads and stores take longer for their latencies than for their bytes.
bool is_bound_by_latency(const LayerWork& work, const spec::ExternalMemory& external);
/// Whether the layer waits for loads more than twice as long as its own loads and stores take: those of other layers go
/// first.
bool waits_for_other_loads(const units::LayerCount& layer, const LayerWork& work, const spec::ExternalMemory& external);

}  // namespace vernier::explain
