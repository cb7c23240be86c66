// SPDX-License-Identifier: Apache-2.0
#include "compiler/reference/convolution_operands.hpp"

#include <algorithm>

namespace vernier::reference {

std::vector<int16_t> without_zero_point(const base::Tensor& tensor, int32_t zero_point) {
  std::vector<int16_t> result(static_cast<size_t>(tensor.size()));
  const auto subtract = [&](auto elements) {
    std::transform(elements.begin(), elements.end(), result.begin(),
                   [zero_point](auto element) { return static_cast<int16_t>(element - zero_point); });
  };
  if (tensor.type() == base::ElementType::Int16) {
    subtract(tensor.as<int16_t>());
  } else {
    subtract(tensor.as<int8_t>());
  }
  return result;
}

int64_t dot(const int16_t* a, const int16_t* b, int64_t count) {
  constexpr int64_t kChunk = 256;  // products of 2^15 and 255 do not overflow int32
  int64_t sum = 0;
  for (int64_t start = 0; start < count; start += kChunk) {
    const int64_t end = std::min(count, start + kChunk);
    int32_t partial = 0;
    for (int64_t i = start; i < end; ++i) partial += a[i] * b[i];
    sum += partial;
  }
  return sum;
}

Axis convolution_axis(const Task& task, size_t axis, int64_t kernel) {
  const auto& a = task.op().attributes_as<ir::ConvAttributes>();
  return {task.operand(0).shape()[1 + axis], kernel, a.stride[axis], a.pad[2 * axis], a.dilation[axis]};
}

}  // namespace vernier::reference
