// SPDX-License-Identifier: Apache-2.0
// Operands of an operator as int32 in steps of one size, so that they can be compared and chosen from.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::quantized {

/// The shape that two of the same or of other ranks have together, by numpy's rules. NodeMistake where they do not go
/// together.
base::Shape broadcast_shape(const base::Shape& a, const base::Shape& b);

/// The value with as many dimensions as the order has, those of size 1 that it lacks first, and in that order.
Value ordered_value(Lowering& lowering, const Node& node, Value value, const std::vector<int64_t>& order);

/// Values and constants with their dimensions in one order, of one rank.
struct CommonSteps {
  std::vector<ir::TensorId> tensors;  // int32, one for each operand; dimensions of 1 go along with others
  base::Shape shape;                  // of all operands together, in the source's order
  std::vector<int64_t> order;
  double step = 1;        // what 1 stands for
  int64_t magnitude = 0;  // the greatest |number|
};

/// Codes of 8 bits whose function is a line through a code that stands for 0: these codes, with that scale and zero point,
/// within 2^-22 of the greatest number. None of others.
std::optional<Value> as_line(const Value& value);

/// Whether the node gives one of the numbers that it reads.
enum class Result : uint8_t { Other, OneOfOperands };

/// The operands at these inputs of the node. Where the scales have ratios of powers of two the numbers are exact. Else the
/// operand with the largest scale is, and the others are within half of a step, which is 2^-21 of that scale for 8 bits and
/// 2^-13 for 16 bits. Sums are taken too. Constants are rounded to a step. Where the result is one of the operands and a
/// quantizer follows, all of them get its codes, which is exact. A function of 8-bit codes that is a line is taken as that.
/// Integers that are no numbers are taken as what they are. NodeMistake where an operand is not quantized, or a constant is
/// so large that the others get steps above their own.
CommonSteps in_common_steps(Lowering& lowering, const Node& node, const std::vector<size_t>& operands,
                            Result result = Result::Other);

/// The value that one tensor of these steps is: sums, which a quantizer has to follow.
Value value_of(const CommonSteps& common, ir::TensorId tensor, const std::string& layer);

}  // namespace vernier::import::quantized
