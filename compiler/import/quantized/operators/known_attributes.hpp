// SPDX-License-Identifier: Apache-2.0
// Which attributes an operator may have: one that nothing reads would change the network without a word.
#pragma once

#include "compiler/import/quantized/network.hpp"

#include <optional>
#include <string>

namespace vernier::import::quantized {

/// What is wrong with the attributes of a node of a supported operator: the first that its operator has not, and those that
/// it has. Attributes of ONNX from opset 10 on, and of the domains of QONNX and onnxruntime.
std::optional<std::string> unknown_attribute(const Node& node);

}  // namespace vernier::import::quantized
