// SPDX-License-Identifier: Apache-2.0
// CUMSUM of int32: sums of 2, 4, 8 ... elements that end at each place, so that n elements take log2(n) additions.
#include "compiler/import/tflite/operators/operators.hpp"

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

/// The elements `steps` places later, with zeros before them.
Id later(LiteLowering& lowering, const LiteOperator& op, Id from, size_t axis, int64_t steps) {
  const base::Shape shape = lowering.shape_of(from);
  std::vector<int64_t> padding(2 * shape.size(), 0);
  padding[2 * axis] = steps;
  const Id padded = lowering.pad(op, from, padding, 0, "padded");
  return lowering.slice(op, padded, std::vector<int64_t>(shape.size(), 0), shape, "later");
}

}  // namespace

void lower_cumulative_sum(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_CumsumOptions);
  const LiteTensor& input = lowering.input(op, 0);
  Id result = lowering.value(op, 0);
  if (lowering.graph.tensor(result).type != ElementType::Int32)
    refuse("'{}' is {}, allowed is INT32, as the kernel has it", input.name, type_in_file(input));
  const std::vector<int64_t> axes = lowering.elements(op, 1, "the dimension");
  if (axes.size() != 1) refuse("{} dimensions, expected one", axes.size());
  const size_t axis = dimension_of(axes[0], input.shape.size());
  const auto turned = [&](Id from) {
    if (!options.reverse()) return from;
    return lowering.add(op, OpKind::Reverse, ir::AxisAttributes{static_cast<int64_t>(axis)}, {from}, ElementType::Int32,
                        input.shape, "turned");
  };
  result = turned(result);
  if (options.exclusive()) result = later(lowering, op, result, axis, 1);
  for (int64_t steps = 1; steps < input.shape[axis]; steps *= 2) {
    const Id before = later(lowering, op, result, axis, steps);
    result = lowering.add(op, OpKind::Add, {}, {result, before}, ElementType::Int32, input.shape, "sum");
  }
  lowering.finish(op, turned(result));
}

}  // namespace vernier::import::lite
