// SPDX-License-Identifier: Apache-2.0
// The operators of a host program, each on whole arrays. Internal to this room: shapes are good (package::shapes_of).
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/host_step.hpp"
#include "sim/flow/host/host_program.hpp"

#include <cstdint>
#include <vector>

namespace vernier::flow {

using HostOperands = std::vector<const HostArray*>;

/// Elements between neighbours along each dimension, row-major.
std::vector<int64_t> strides_of(const base::Shape& shape);
/// The same for an operand that goes along `shape` by numpy's rules: 0 along dimensions that it lacks, or has once.
std::vector<int64_t> strides_along(const base::Shape& operand, const base::Shape& shape);

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

/// A shape around one of its axes: element (o, a, i) lies at (o * size + a) * inner + i.
struct AlongAxis {
  size_t outer = 1, size = 1, inner = 1;
};
AlongAxis along_axis(const base::Shape& shape, int64_t axis);

// Each gives the numbers of its result, which has that shape.
using HostFunction = std::vector<float> (*)(const package::HostStep& step, const HostOperands& operands,
                                            const base::Shape& shape);
// host_elementwise.cpp
std::vector<float> run_binary(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
std::vector<float> run_function(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
std::vector<float> run_softmax(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
// host_movement.cpp
std::vector<float> run_transpose(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
std::vector<float> run_slice(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
std::vector<float> run_pick(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
std::vector<float> run_concat(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
// host_sums.cpp
std::vector<float> run_blend(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
std::vector<float> run_reduction(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
std::vector<float> run_search(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
std::vector<float> run_matmul(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
// host_windows.cpp
std::vector<float> run_conv(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);
std::vector<float> run_pool(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape);

}  // namespace vernier::flow
