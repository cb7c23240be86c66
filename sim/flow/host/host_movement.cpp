// SPDX-License-Identifier: Apache-2.0
// Operators that move numbers: exact.
#include "sim/flow/host/host_operators.hpp"

#include <algorithm>

namespace vernier::flow {

std::vector<float> run_transpose(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape) {
  const std::vector<int64_t> from = strides_of(operands[0]->shape);
  std::vector<int64_t> strides;
  for (const int64_t dimension : step.dimensions) strides.push_back(from[static_cast<size_t>(dimension)]);
  std::vector<float> result(operands[0]->numbers.size());
  for_each_place(shape, strides, [&](size_t i, size_t place) { result[i] = operands[0]->numbers[place]; });
  return result;
}

namespace {

/// Along an axis the elements that `index_of` says, from the first result on; -1 stands for `outside`.
template <typename IndexOf>
std::vector<float> elements_along(const HostArray& value, int64_t axis, size_t count, const IndexOf& index_of,
                                  float outside) {
  const AlongAxis along = along_axis(value.shape, axis);
  std::vector<float> result;
  result.reserve(along.outer * count * along.inner);
  for (size_t o = 0; o < along.outer; ++o) {
    for (size_t i = 0; i < count; ++i) {
      const int64_t index = index_of(i);
      if (index < 0) {
        result.insert(result.end(), along.inner, outside);
        continue;
      }
      const auto first =
          value.numbers.begin() + static_cast<std::ptrdiff_t>((o * along.size + static_cast<size_t>(index)) * along.inner);
      result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(along.inner));
    }
  }
  return result;
}

}  // namespace

std::vector<float> run_slice(const package::HostStep& step, const HostOperands& operands, const base::Shape& /*shape*/) {
  const std::vector<int64_t>& d = step.dimensions;
  return elements_along(
      *operands[0], d[0], static_cast<size_t>(d[3]), [&](size_t i) { return d[1] + static_cast<int64_t>(i) * d[2]; }, 0);
}

std::vector<float> run_pick(const package::HostStep& step, const HostOperands& operands, const base::Shape& /*shape*/) {
  const std::vector<int64_t>& d = step.dimensions;
  return elements_along(
      *operands[0], d[0], d.size() - 1, [&](size_t i) { return d[1 + i]; }, step.numbers.empty() ? 0 : step.numbers[0]);
}

std::vector<float> run_concat(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape) {
  const size_t outer = along_axis(shape, step.dimensions[0]).outer;
  std::vector<float> result;
  result.reserve(static_cast<size_t>(base::num_elements(shape)));
  for (size_t o = 0; o < outer; ++o) {
    for (const HostArray* operand : operands) {
      const size_t block = operand->numbers.size() / outer;
      const auto first = operand->numbers.begin() + static_cast<std::ptrdiff_t>(o * block);
      result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(block));
    }
  }
  return result;
}

}  // namespace vernier::flow
