// SPDX-License-Identifier: Apache-2.0
// Operators on each element, and Softmax: one rounding to float32 each.
#include "hw/base/error.hpp"
#include "hw/model/float_functions.hpp"
#include "sim/flow/host/host_operators.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::flow {

namespace {

using package::HostOperator;

/// Max and Min as onnxruntime has them: of a NaN, NaN.
float combined(HostOperator kind, float x, float y) {
  switch (kind) {
    case HostOperator::Add: return x + y;
    case HostOperator::Sub: return x - y;
    case HostOperator::SubFrom: return y - x;
    case HostOperator::Mul: return x * y;
    case HostOperator::Div: return x / y;
    case HostOperator::DivFrom: return y / x;
    case HostOperator::Max: return std::isnan(x) || std::isnan(y) ? x + y : std::max(x, y);
    case HostOperator::Min: return std::isnan(x) || std::isnan(y) ? x + y : std::min(x, y);
    default: return model::power(x, y);
  }
}

}  // namespace

std::vector<float> run_binary(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape) {
  const bool is_constant = operands.size() == 1;
  const base::Shape& other_shape = is_constant ? step.shape : operands[1]->shape;
  const std::vector<float>& other = is_constant ? step.numbers : operands[1]->numbers;
  std::vector<float> result(static_cast<size_t>(base::num_elements(shape)));
  const std::vector<float>& first = operands[0]->numbers;
  for_each_place(shape, strides_along(operands[0]->shape, shape), [&](size_t i, size_t place) { result[i] = first[place]; });
  for_each_place(shape, strides_along(other_shape, shape),
                 [&](size_t i, size_t place) { result[i] = combined(step.kind, result[i], other[place]); });
  return result;
}

std::vector<float> run_function(const package::HostStep& step, const HostOperands& operands, const base::Shape& /*shape*/) {
  const model::FloatFunctionRow* row = model::find_float_function(package::to_string(step.kind));
  VERNIER_CHECK(row != nullptr, "{} is a function", package::to_string(step.kind));
  const float a = step.numbers.empty() ? 0 : step.numbers[0], b = step.numbers.size() < 2 ? 0 : step.numbers[1];
  std::vector<float> result = operands[0]->numbers;
  for (float& number : result) number = row->function(number, a, b);
  return result;
}

std::vector<float> run_softmax(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape) {
  const AlongAxis along = along_axis(shape, step.dimensions.front());
  std::vector<float> values = operands[0]->numbers;
  for (size_t block = 0; block < values.size(); block += along.size * along.inner) {
    for (size_t first = block; first < block + along.inner; ++first) {
      float greatest = values[first], sum = 0;
      for (size_t i = 0; i < along.size; ++i) greatest = std::max(greatest, values[first + i * along.inner]);
      for (size_t i = 0; i < along.size; ++i) {
        float& value = values[first + i * along.inner];
        value = model::softmax_numerator(value, greatest);
        sum += value;
      }
      for (size_t i = 0; i < along.size; ++i) values[first + i * along.inner] /= sum;
    }
  }
  return values;
}

}  // namespace vernier::flow
