// SPDX-License-Identifier: Apache-2.0
// RESHAPE, SLICE and IDENTITY (TOSA 1.0, sections 2.9 and 2.12): elements move, none changes.
#include "compiler/reference/operators.hpp"

#include <cstring>

namespace vernier::reference {

base::Tensor identity(Task& task) { return task.operand(0); }

base::Tensor reshape(Task& task) { return task.operand(0).reshaped(task.output().shape); }

base::Tensor slice(Task& task) {
  base::Tensor output = task.make_output();
  const base::Shape& in = task.operand(0).shape();
  const base::Tensor& start = task.operand(1);
  const auto width = static_cast<int64_t>(base::stored_bytes(output.type()));
  const int64_t row_elems = output.shape().back();
  for (int64_t i = 0; i < output.size(); i += row_elems) {
    const base::Shape coordinates = base::coordinates_of(output.shape(), i);
    int64_t source = 0;
    for (size_t d = 0; d < in.size(); ++d) source = source * in[d] + start.at(static_cast<int64_t>(d)) + coordinates[d];
    std::memcpy(output.bytes().data() + i * width, task.operand(0).bytes().data() + source * width,
                static_cast<size_t>(row_elems * width));
  }
  return output;
}

}  // namespace vernier::reference
