// SPDX-License-Identifier: Apache-2.0
// Which value of a network an encoding is for.
#pragma once

#include "compiler/import/aimet/network_facts.hpp"

#include <string>
#include <vector>

namespace vernier::import::aimet {

/// The values that a name of an encodings file may mean: the one of that name, else those that tf2onnx makes of what
/// TensorFlow calls so. tf2onnx keeps or drops ":0" and puts the names of models before: "conv2d/Relu:0" is
/// "model/conv2d/Relu". Variables are named by their reading: "conv2d/kernel:0" is the constant
/// "conv2d/Conv2D/ReadVariableOp", "conv2d/bias:0" is "conv2d/BiasAdd/ReadVariableOp". None: the network has no such tensor;
/// several: it cannot be told.
std::vector<std::string> values_of(const std::string& name, const NetworkFacts& facts);

}  // namespace vernier::import::aimet
