// SPDX-License-Identifier: Apache-2.0
// A tensor as people name it on the command line.
#pragma once

#include "hw/package/package.hpp"

#include <cstdint>
#include <string>

namespace vernier::cli {

/// Index into package.tensors of the one of that name; else the one that the layer makes which is named so
/// (layer_choice.hpp). UserError naming --tensor: why a folded tensor stands nowhere, the nearest names where there is none,
/// and the names of a layer's tensors where it makes several, or the layer that makes none.
int32_t choose_tensor(const package::Package& package, const std::string& wanted);

}  // namespace vernier::cli
