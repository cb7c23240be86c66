// SPDX-License-Identifier: Apache-2.0
// Data layout and scatter/gather operators of TOSA 1.0, and IDENTITY: elements move, none changes.
#include "compiler/reference/elements.hpp"
#include "compiler/reference/operators.hpp"

#include <cstring>

namespace vernier::reference {

namespace {

/// Calls visit(index, coordinates) for each element of a tensor of that shape, in row-major order.
template <typename Visit>
void for_each_element(const base::Shape& shape, const Visit& visit) {
  base::Shape coordinates(shape.size());
  const int64_t count = base::num_elements(shape);
  for (int64_t index = 0; index < count; ++index) {
    visit(index, coordinates);
    for (size_t i = shape.size(); i-- > 0;) {
      if (++coordinates[i] < shape[i]) break;
      coordinates[i] = 0;
    }
  }
}

/// The result whose element at each coordinate is the first operand's at the coordinate source(dimension of the operand,
/// coordinates of the result).
template <typename Source>
base::Tensor move_elements(Task& task, const Source& source) {
  base::Tensor output = task.make_output();
  const base::Shape& in = task.operand(0).shape();
  const Reader input(task.operand(0));
  const Writer result(output);
  for_each_element(output.shape(), [&](int64_t index, const base::Shape& coordinates) {
    int64_t from = 0;
    for (size_t d = 0; d < in.size(); ++d) from = from * in[d] + source(d, coordinates);
    result.set(index, input[from]);
  });
  return output;
}

}  // namespace

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

base::Tensor concat(Task& task) {
  const auto axis = static_cast<size_t>(task.op().attributes_as<ir::AxisAttributes>().axis);
  base::Tensor output = task.make_output();
  int64_t num_runs = 1, inner_bytes = base::stored_bytes(output.type());
  for (size_t i = 0; i < axis; ++i) num_runs *= output.shape()[i];
  for (size_t i = axis + 1; i < output.shape().size(); ++i) inner_bytes *= output.shape()[i];
  std::byte* to = output.bytes().data();
  for (int64_t run = 0; run < num_runs; ++run) {
    for (size_t operand = 0; operand < task.op().inputs.size(); ++operand) {
      const base::Tensor& input = task.operand(operand);
      const auto run_bytes = static_cast<size_t>(input.shape()[axis] * inner_bytes);
      std::memcpy(to, input.bytes().data() + static_cast<size_t>(run) * run_bytes, run_bytes);
      to += run_bytes;
    }
  }
  return output;
}

base::Tensor pad(Task& task) {
  base::Tensor output = task.make_output();
  const base::Shape& in = task.operand(0).shape();
  const Reader input(task.operand(0)), padding(task.operand(1));
  const Writer result(output);
  const int64_t constant = task.scalar(2);
  for_each_element(output.shape(), [&](int64_t index, const base::Shape& coordinates) {
    int64_t from = 0;
    bool is_inside = true;
    for (size_t d = 0; d < in.size(); ++d) {
      const int64_t coordinate = coordinates[d] - padding[2 * static_cast<int64_t>(d)];
      is_inside = is_inside && coordinate >= 0 && coordinate < in[d];
      from = from * in[d] + coordinate;
    }
    result.set(index, is_inside ? input[from] : constant);
  });
  return output;
}

base::Tensor reverse(Task& task) {
  const auto axis = static_cast<size_t>(task.op().attributes_as<ir::AxisAttributes>().axis);
  const int64_t last = task.operand(0).shape()[axis] - 1;
  return move_elements(task, [axis, last](size_t d, const base::Shape& coordinates) {
    return d == axis ? last - coordinates[d] : coordinates[d];
  });
}

base::Tensor tile(Task& task) {
  const base::Shape& in = task.operand(0).shape();
  return move_elements(task, [&in](size_t d, const base::Shape& coordinates) { return coordinates[d] % in[d]; });
}

base::Tensor transpose(Task& task) {
  const std::vector<int64_t>& perms = task.op().attributes_as<ir::TransposeAttributes>().perms;
  std::vector<size_t> dimension_of(perms.size());  // of the result, by dimension of the operand
  for (size_t i = 0; i < perms.size(); ++i) dimension_of[static_cast<size_t>(perms[i])] = i;
  return move_elements(task,
                       [&dimension_of](size_t d, const base::Shape& coordinates) { return coordinates[dimension_of[d]]; });
}

namespace {

/// GATHER and SCATTER: calls visit(n, w, index) for each index that lies in [0, size).
template <typename Visit>
void for_each_index(Task& task, int64_t size, const Visit& visit) {
  const base::Shape& shape = task.operand(1).shape();
  const Reader indices(task.operand(1));
  for (int64_t n = 0; n < shape[0]; ++n) {
    for (int64_t w = 0; w < shape[1]; ++w) {
      const int64_t index = indices[n * shape[1] + w];
      if (index >= 0 && index < size) {
        visit(n, w, index);
      } else {
        task.require_violated(fmt::format("index {} of [{}, {}] is not in 0 to {}", index, n, w, size - 1), 0);
      }
    }
  }
}

}  // namespace

base::Tensor gather(Task& task) {
  const base::Tensor& values = task.operand(0);
  base::Tensor output = task.make_output();  // rows of an index that is out of range stay 0
  const int64_t num_rows = values.shape()[1], num_indices = output.shape()[1];
  const auto row_bytes = static_cast<size_t>(values.shape()[2] * base::stored_bytes(values.type()));
  for_each_index(task, num_rows, [&](int64_t n, int64_t w, int64_t index) {
    std::memcpy(output.bytes().data() + static_cast<size_t>(n * num_indices + w) * row_bytes,
                values.bytes().data() + static_cast<size_t>(n * num_rows + index) * row_bytes, row_bytes);
  });
  return output;
}

base::Tensor scatter(Task& task) {
  const base::Tensor& input = task.operand(2);
  base::Tensor output = task.operand(0);
  const int64_t num_rows = output.shape()[1], num_indices = input.shape()[1];
  const auto row_bytes = static_cast<size_t>(output.shape()[2] * base::stored_bytes(output.type()));
  std::vector<bool> is_written(static_cast<size_t>(output.shape()[0] * num_rows));
  for_each_index(task, num_rows, [&](int64_t n, int64_t w, int64_t index) {
    const auto row = static_cast<size_t>(n * num_rows + index);
    if (is_written[row]) task.require_violated(fmt::format("index {} of [{}, {}] comes twice", index, n, w), 0);
    is_written[row] = true;
    std::memcpy(output.bytes().data() + row * row_bytes,
                input.bytes().data() + static_cast<size_t>(n * num_indices + w) * row_bytes, row_bytes);
  });
  return output;
}

}  // namespace vernier::reference
