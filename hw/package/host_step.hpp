// SPDX-License-Identifier: Apache-2.0
// Operators in float32 that the host runs between an end of the source network and its codes. host_program.hpp has what
// several of them are together.
#pragma once

#include "hw/base/tensor.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::package {

/// The numbers stand in packages. x is the first operand, y the second one or a constant c; d are the dimensions.
enum class HostOperator : uint8_t {
  Add = 0,      // x + y
  Sub = 1,      // x - y
  SubFrom = 2,  // c - x
  Mul = 3,      // x * y
  Div = 4,      // x / y
  Relu = 5,
  Clip = 6,  // to the two numbers
  Sigmoid = 7,
  Softmax = 8,    // along d[0]
  Transpose = 9,  // dimension i of the result is dimension d[i] of the value
  Reshape = 10,   // to the shape d
  DivFrom = 11,   // c / x
  Max = 12,
  Min = 13,
  Pow = 14,
  Constant = 15,   // no operand: the numbers
  Slice = 16,      // d[3] elements along axis d[0], from d[1] on, every d[2]-th
  Pick = 17,       // of axis d[0] the elements d[1..]; -1 stands for numbers[0]
  Concat = 18,     // along d[0]
  Blend = 19,      // along axis d[0] sums of d[1] elements each times its number: the elements are d[2..]
  ReduceSum = 20,  // over the axes d, which stay with size 1, as in the next four
  ReduceMean = 21,
  ReduceMax = 22,
  ReduceMin = 23,
  ReduceProd = 24,
  ArgMax = 25,       // along d[0], which stays with size 1; of equal ones the last one where d[1] is 1, else the first
  ArgMin = 26,       // the same
  MatMul = 27,       // of matrices in the last two dimensions; those before go along with each other
  Conv = 28,         // x, weights, a bias for each channel or none: d are the groups, strides, dilations, pads before, sizes
  MaxPool = 29,      // d are kernels, strides, dilations, pads before, pads after, sizes of the result
  AveragePool = 30,  // the same, and at the end 1 where these pads count as elements, else 0
  Abs = 31,          // from here on functions of one number: hw/model/float_functions.hpp, parameters in numbers
  Ceil = 32,
  Celu = 33,
  Cos = 34,
  Elu = 35,
  Erf = 36,
  Exp = 37,
  Floor = 38,
  Gelu = 39,
  GeluTanh = 40,
  HardSigmoid = 41,
  HardSwish = 42,
  LeakyRelu = 43,
  Log = 44,
  Mish = 45,
  Neg = 46,
  Reciprocal = 47,
  Round = 48,
  Selu = 49,
  Sign = 50,
  Sin = 51,
  Softplus = 52,
  Softsign = 53,
  Sqrt = 54,
  Tanh = 55,
  ThresholdedRelu = 56,
  Truncate = 57  // towards 0: what Cast to integers gives
};
inline constexpr std::array<std::string_view, 58> kHostOperatorNames{"Add",         "Sub",       "SubFrom",
                                                                     "Mul",         "Div",       "Relu",
                                                                     "Clip",        "Sigmoid",   "Softmax",
                                                                     "Transpose",   "Reshape",   "DivFrom",
                                                                     "Max",         "Min",       "Pow",
                                                                     "Constant",    "Slice",     "Pick",
                                                                     "Concat",      "Blend",     "ReduceSum",
                                                                     "ReduceMean",  "ReduceMax", "ReduceMin",
                                                                     "ReduceProd",  "ArgMax",    "ArgMin",
                                                                     "MatMul",      "Conv",      "MaxPool",
                                                                     "AveragePool", "Abs",       "Ceil",
                                                                     "Celu",        "Cos",       "Elu",
                                                                     "Erf",         "Exp",       "Floor",
                                                                     "Gelu",        "GeluTanh",  "HardSigmoid",
                                                                     "HardSwish",   "LeakyRelu", "Log",
                                                                     "Mish",        "Neg",       "Reciprocal",
                                                                     "Round",       "Selu",      "Sign",
                                                                     "Sin",         "Softplus",  "Softsign",
                                                                     "Sqrt",        "Tanh",      "ThresholdedRelu",
                                                                     "Truncate"};
inline constexpr HostOperator kLastHostOperator = HostOperator::Truncate;
constexpr std::string_view to_string(HostOperator kind) { return kHostOperatorNames[static_cast<size_t>(kind)]; }
std::optional<HostOperator> host_operator_of(std::string_view name);
/// Whether the operator has two operands; the second one may be a constant that the step holds.
constexpr bool is_binary(HostOperator kind) {
  return kind <= HostOperator::Div || (kind >= HostOperator::DivFrom && kind <= HostOperator::Pow);
}
constexpr bool is_function(HostOperator kind) { return kind >= HostOperator::Abs; }

/// Values of a program are numbered: first those that it is given, then the result of each step.
struct HostStep {
  HostOperator kind = HostOperator::Relu;
  std::string name;                    // of the source's operator
  base::Shape shape;                   // of the constant
  std::vector<float> numbers;          // elements of the constant; parameters, as the operator has them
  std::vector<int64_t> dimensions;     // as the operator has them
  std::vector<int64_t> operands = {};  // numbers of earlier values; none: the value before this one, where it reads one
  bool operator==(const HostStep&) const = default;
};

/// Whether the step itself holds the operand or value that is constant.
inline bool has_constant(const HostStep& step) {
  return step.kind == HostOperator::Constant || (is_binary(step.kind) && step.operands.size() < 2);
}

/// The number of elements; 0 where a dimension is none, and for more than 2^31.
int64_t checked_size(const base::Shape& shape);
/// What is wrong with a step on operands of those shapes; "" when nothing is.
std::string problem_of(const HostStep& step, const std::vector<base::Shape>& operands);
/// The shape of its result; problem_of() is "".
base::Shape result_shape(const HostStep& step, const std::vector<base::Shape>& operands);
/// Multiplications and comparisons that the result takes; problem_of() is "".
int64_t work_of(const HostStep& step, const std::vector<base::Shape>& operands);
/// "Transpose to [1, 3, 32, 32]", "Mul by 0.5": for people.
std::string to_text(const HostStep& step);

/// One axis of a window on an image of batch, channels and `rank - 2` axes: result i reads `kernel` elements from i * stride
/// - before on. What lies outside of the input is no element.
struct HostWindow {
  int64_t kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
  int64_t input = 0, output = 0;
};
/// The axes of a Conv (whose weights are operand 1), MaxPool or AveragePool.
std::vector<HostWindow> windows_of(const HostStep& step, const std::vector<base::Shape>& operands);

/// The shape of two operands together, by numpy's rules; none where they have none.
std::optional<base::Shape> shape_together(const base::Shape& a, const base::Shape& b);

}  // namespace vernier::package
