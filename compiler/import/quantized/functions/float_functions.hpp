// SPDX-License-Identifier: Apache-2.0
// ONNX's elementwise operators in float32, as onnxruntime's kernels compute them: by ONNX's name, for whoever evaluates an
// operator for each code.
#pragma once

#include "compiler/import/quantized/network.hpp"
#include "hw/model/float_functions.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::quantized {

using UnaryFunction = std::function<float(float x)>;

/// The function of an operator of one number, with the node's attributes, whose defaults are those of ONNX. Empty for
/// another operator. Relu, Clip and those with constant operands are not among them. NodeMistake for an attribute that is
/// not allowed.
UnaryFunction unary_function(const Node& node);

/// The row of that function and the numbers that its node gives the parameters; none for another operator.
struct NodeFunction {
  const model::FloatFunctionRow* row = nullptr;
  std::vector<float> parameters;
};
std::optional<NodeFunction> node_function(const Node& node);

using NumbersFunction = std::function<float(const std::vector<float>& numbers)>;

/// The function of an operator of several numbers: Add, Sub, Mul, Div, Pow of two; Max, Min, Sum, Mean of one and more, from
/// the first one on. Empty for another operator.
NumbersFunction numbers_function(const std::string& kind);
/// Whether such an operator takes that many numbers.
bool takes_numbers(const std::string& kind, size_t count);

}  // namespace vernier::import::quantized
