// SPDX-License-Identifier: Apache-2.0
// REDUCE_* (TOSA 1.0, section 2.8): along one axis, which keeps a size of 1; and ARGMAX (section 2.3.1), which drops it.
#include "compiler/reference/elements.hpp"
#include "compiler/reference/operators.hpp"
#include "hw/model/elementwise.hpp"

namespace vernier::reference {

namespace {

/// Elements from one step along the axis to the next.
int64_t elements_inside(const base::Shape& shape, size_t axis) {
  int64_t elems = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) elems *= shape[i];
  return elems;
}

/// Combines the elements along the axis from the first to the last.
template <typename Combine, typename IsDefined>
base::Tensor reduce_with(Task& task, const Combine& combine, const IsDefined& is_defined) {
  const base::Shape& in = task.operand(0).shape();
  const auto axis = static_cast<size_t>(task.op().attributes_as<ir::AxisAttributes>().axis);
  const int64_t inner_elems = elements_inside(in, axis);
  base::Tensor output = task.make_output();
  const Reader input(task.operand(0));
  const Writer result(output);
  for (int64_t i = 0; i < output.size(); ++i) {
    const int64_t start = i / inner_elems * inner_elems * in[axis] + i % inner_elems;
    int32_t value = input.small(start);
    for (int64_t k = 1; k < in[axis]; ++k) {
      const int32_t element = input.small(start + k * inner_elems);
      if (!is_defined(value, element)) task.require_violated(fmt::format("{} + {} overflows int32", value, element), i);
      value = combine(value, element);
    }
    result.set(i, value);
  }
  return output;
}

}  // namespace

base::Tensor reduce(Task& task) {
  const auto always = [](int32_t, int32_t) { return true; };
  switch (task.op().kind) {
    case ir::OpKind::ReduceAll: return reduce_with(task, model::logical_and, always);
    case ir::OpKind::ReduceAny: return reduce_with(task, model::logical_or, always);
    case ir::OpKind::ReduceMax: return reduce_with(task, model::maximum, always);
    case ir::OpKind::ReduceMin: return reduce_with(task, model::minimum, always);
    default: return reduce_with(task, model::add, model::add_is_defined);
  }
}

base::Tensor argmax(Task& task) {
  const base::Shape& in = task.operand(0).shape();
  const auto axis = static_cast<size_t>(task.op().attributes_as<ir::AxisAttributes>().axis);
  const int64_t inner_elems = elements_inside(in, axis);
  base::Tensor output = task.make_output();
  const Reader input(task.operand(0));
  const Writer result(output);
  for (int64_t i = 0; i < output.size(); ++i) {
    const int64_t start = i / inner_elems * inner_elems * in[axis] + i % inner_elems;
    int64_t best = 0;
    for (int64_t k = 1; k < in[axis]; ++k) {  // the first of equals wins
      if (model::greater(input.small(start + k * inner_elems), input.small(start + best * inner_elems)) != 0) best = k;
    }
    result.set(i, best);
  }
  return output;
}

}  // namespace vernier::reference
