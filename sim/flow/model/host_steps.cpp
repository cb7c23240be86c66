// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/host_steps.hpp"

#include "hw/base/error.hpp"
#include "hw/model/host_float.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vernier::flow {

namespace {

using package::HostOperator;
using package::HostStep;

/// Elements between neighbours along each dimension, row-major.
std::vector<int64_t> strides_of(const base::Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Calls visit(element, place) for each element of the shape; the place moves by strides[i] along dimension i.
template <typename Visit>
void for_each_place(const base::Shape& shape, const std::vector<int64_t>& strides, const Visit& visit) {
  base::Shape at(shape.size(), 0);
  int64_t place = 0;
  const int64_t size = base::num_elements(shape);
  for (int64_t i = 0; i < size; ++i) {
    visit(static_cast<size_t>(i), static_cast<size_t>(place));
    for (size_t d = shape.size(); d-- > 0;) {
      place += strides[d];
      if (++at[d] < shape[d]) break;
      place -= strides[d] * shape[d];
      at[d] = 0;
    }
  }
}

float combined(HostOperator kind, float x, float c) {
  switch (kind) {
    case HostOperator::Add: return x + c;
    case HostOperator::Sub: return x - c;
    case HostOperator::SubFrom: return c - x;
    case HostOperator::Mul: return x * c;
    default: return x / c;
  }
}

void combine(const HostStep& step, const base::Shape& shape, std::vector<float>& values) {
  // Dimensions that the constant lacks, or has once, do not move its place.
  const std::vector<int64_t> own = strides_of(step.shape);
  std::vector<int64_t> strides(shape.size(), 0);
  const size_t offset = shape.size() - step.shape.size();
  for (size_t i = 0; i < step.shape.size(); ++i) strides[offset + i] = step.shape[i] == 1 ? 0 : own[i];
  for_each_place(shape, strides,
                 [&](size_t i, size_t place) { values[i] = combined(step.kind, values[i], step.numbers[place]); });
}

void softmax(const HostStep& step, const base::Shape& shape, std::vector<float>& values) {
  const auto axis = static_cast<size_t>(step.dimensions.front());
  const auto count = static_cast<size_t>(shape[axis]), stride = static_cast<size_t>(strides_of(shape)[axis]);
  for (size_t block = 0; block < values.size(); block += count * stride) {
    for (size_t first = block; first < block + stride; ++first) {
      float greatest = values[first], sum = 0;
      for (size_t i = 0; i < count; ++i) greatest = std::max(greatest, values[first + i * stride]);
      for (size_t i = 0; i < count; ++i) {
        float& value = values[first + i * stride];
        value = model::softmax_numerator(value, greatest);
        sum += value;
      }
      for (size_t i = 0; i < count; ++i) values[first + i * stride] /= sum;
    }
  }
}

std::vector<float> transposed(const HostStep& step, const base::Shape& shape, const std::vector<float>& values) {
  const std::vector<int64_t> from = strides_of(shape);
  std::vector<int64_t> strides;
  for (const int64_t dimension : step.dimensions) strides.push_back(from[static_cast<size_t>(dimension)]);
  std::vector<float> result(values.size());
  for_each_place(package::result_shape(step, shape), strides, [&](size_t i, size_t place) { result[i] = values[place]; });
  return result;
}

}  // namespace

std::vector<float> run_steps(const std::vector<HostStep>& steps, base::Shape shape, std::vector<float> values) {
  for (const HostStep& step : steps) {
    VERNIER_CHECK(package::problem_of(step, shape).empty(), "{}: {}", step.name, package::problem_of(step, shape));
    if (package::has_constant(step.kind)) combine(step, shape, values);
    if (step.kind == HostOperator::Relu) std::transform(values.begin(), values.end(), values.begin(), model::relu);
    if (step.kind == HostOperator::Sigmoid) std::transform(values.begin(), values.end(), values.begin(), model::sigmoid);
    if (step.kind == HostOperator::Clip)
      for (float& value : values) value = model::clip(value, step.numbers[0], step.numbers[1]);
    if (step.kind == HostOperator::Softmax) softmax(step, shape, values);
    if (step.kind == HostOperator::Transpose) values = transposed(step, shape, values);
    shape = package::result_shape(step, shape);
  }
  return values;
}

}  // namespace vernier::flow
