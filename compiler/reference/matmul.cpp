// SPDX-License-Identifier: Apache-2.0
// MATMUL (TOSA 1.0, section 2.3.7): [N, H, C] by [N, C, W], batch by batch.
#include "compiler/reference/convolution_operands.hpp"

namespace vernier::reference {

base::Tensor matmul(Task& task) {
  const base::Shape& a_shape = task.operand(0).shape();
  const base::Shape& b_shape = task.operand(1).shape();
  const std::vector<int16_t> a = without_zero_point(task.operand(0), task.scalar(2));
  const std::vector<int16_t> b = without_zero_point(task.operand(1), task.scalar(3));
  base::Tensor output = task.make_output();
  const base::Tensor no_bias(base::ElementType::Int32, {1});
  const AccumulatorWriter result(task, output, no_bias);
  const int64_t rows = a_shape[1], depth = a_shape[2], columns = b_shape[2];
  std::vector<int64_t> acc(static_cast<size_t>(columns));
  for (int64_t row = 0; row < a_shape[0] * rows; ++row) {
    std::fill(acc.begin(), acc.end(), 0);
    for (int64_t c = 0; c < depth; ++c) {
      const int32_t factor = a[static_cast<size_t>(row * depth + c)];
      const int16_t* others = b.data() + (row / rows * depth + c) * columns;
      for (int64_t w = 0; w < columns; ++w) acc[static_cast<size_t>(w)] += factor * others[w];
    }
    for (int64_t w = 0; w < columns; ++w) result.set(row * columns + w, acc[static_cast<size_t>(w)], 0);
  }
  return output;
}

}  // namespace vernier::reference
