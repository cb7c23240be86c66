// SPDX-License-Identifier: Apache-2.0
// Operators on each element of constants, which are done at once: arithmetic on shapes, scales that the file computes.
#pragma once

#include "compiler/import/quantized/network.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::quantized {

inline constexpr int64_t kMostFolded = int64_t{1} << 20;  // elements that a file may make us compute

/// Whether the operator computes each element of its result of one element of each operand, and elementwise() knows it.
bool is_elementwise(const std::string& kind);
/// The result. Operands go along with each other as numpy's do. NodeMistake for operands of several types or that do not go
/// together, and for integers beyond those of shapes.
Constant elementwise(const Node& node, const std::vector<const Constant*>& operands);

/// The shape of operands together, by numpy's rules; NodeMistake where they have none, or more than kMostFolded elements.
base::Shape common_shape(const base::Shape& a, const base::Shape& b);
/// The constant with its elements repeated to that shape, which has to be one that it goes along with.
Constant broadcast_to(const Constant& from, const base::Shape& shape);

/// The integers that a number of TensorProto means, BOOL with one bit included.
std::optional<NumberType> integer_type(int64_t data_type);

}  // namespace vernier::import::quantized
