// SPDX-License-Identifier: Apache-2.0
// Operators in float32 that the host runs between an end of the source network and its codes.
#pragma once

#include "hw/base/tensor.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::package {

/// The numbers stand in packages. x is the value, c a constant.
enum class HostOperator : uint8_t {
  Add = 0,      // x + c
  Sub = 1,      // x - c
  SubFrom = 2,  // c - x
  Mul = 3,      // x * c
  Div = 4,      // x / c
  Relu = 5,
  Clip = 6,  // to the two numbers
  Sigmoid = 7,
  Softmax = 8,    // along dimensions[0]
  Transpose = 9,  // dimension i of the result is dimension dimensions[i] of the value
  Reshape = 10    // to the shape `dimensions`
};
inline constexpr std::array<std::string_view, 11> kHostOperatorNames{
    "Add", "Sub", "SubFrom", "Mul", "Div", "Relu", "Clip", "Sigmoid", "Softmax", "Transpose", "Reshape"};
constexpr std::string_view to_string(HostOperator kind) { return kHostOperatorNames[static_cast<size_t>(kind)]; }
std::optional<HostOperator> host_operator_of(std::string_view name);
constexpr bool has_constant(HostOperator kind) { return kind <= HostOperator::Div; }

struct HostStep {
  HostOperator kind = HostOperator::Relu;
  std::string name;                 // of the source's operator
  base::Shape shape;                // of the constant: aligned with the value's shape at the end, sizes equal or 1
  std::vector<float> numbers;       // elements of the constant; of Clip the two limits
  std::vector<int64_t> dimensions;  // Softmax, Transpose, Reshape
  bool operator==(const HostStep&) const = default;
};

/// The number of elements; 0 where a dimension is none, and for more than 2^31.
int64_t checked_size(const base::Shape& shape);
/// What is wrong with a step on a value of that shape; "" when nothing is.
std::string problem_of(const HostStep& step, const base::Shape& shape);
/// The shape of its result; problem_of() is "".
base::Shape result_shape(const HostStep& step, const base::Shape& shape);
/// "Transpose to [1, 3, 32, 32]", "Mul by 0.5": for people.
std::string to_text(const HostStep& step);

}  // namespace vernier::package
