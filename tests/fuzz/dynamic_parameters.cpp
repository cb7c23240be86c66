// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/dynamic_parameters.hpp"

#include <algorithm>
#include <utility>

namespace vernier::tests::fuzz {
namespace {

using ir::OpKind;
using ir::TensorId;

constexpr int64_t kMostMulShift = 63;
/// Two entries of a table of int16 that follow each other are no further apart than int16 holds.
constexpr ValueRange kTable16{-16384, 16383};

/// The values of a constant, from the least to the greatest.
ValueRange range_of(const base::Tensor& values) {
  ValueRange range{values.at(0), values.at(0)};
  for (int64_t i = 1; i < values.size(); ++i)
    range = {std::min(range.least, values.at(i)), std::max(range.most, values.at(i))};
  return range;
}

/// What an input in the place of that constant operand may hold: any zero point of int8, others as they are.
ValueRange legal_range(const ir::Graph& graph, const ir::Operator& op, size_t operand) {
  const ir::TensorInfo& parameter = graph.tensor(op.inputs[operand]);
  const ElementType of = graph.tensor(op.inputs[0]).type;
  const bool is_scale = op.kind == OpKind::Rescale && operand < 3;
  if (op.kind == OpKind::Table && of == ElementType::Int16) return kTable16;
  if (op.kind == OpKind::Mul && of == ElementType::Int32) return {0, kMostMulShift};
  const bool is_any = op.kind == OpKind::Pad || (parameter.type == ElementType::Int8 && op.kind != OpKind::Mul && !is_scale);
  return is_any ? whole_range(parameter.type) : range_of(*parameter.constant);
}

}  // namespace

RandomGraph with_dynamic_parameters(RandomGraph random, uint64_t seed) {
  Random draw(seed + 1);
  ir::Graph& graph = random.graph;
  std::vector<ir::Operator> operators;
  for (ir::Operator op : graph.operators) {
    const ir::OpInfo& info = *ir::find_op_info(op.kind);
    const std::vector<std::string_view> names = ir::split_words(info.operands);
    for (size_t i = 0; i < names.size() && !ir::takes_list(info); ++i) {
      if (names[i].back() != '?' || !graph.is_constant(op.inputs[i]) || draw.chance(25)) continue;
      const ir::TensorInfo& constant = graph.tensor(op.inputs[i]);
      const ir::TensorInfo input{fmt::format("parameter{}", graph.tensors.size()), constant.type, constant.shape, nullptr};
      random.input_ranges.push_back(legal_range(graph, op, i));
      graph.tensors.push_back(input);
      op.inputs[i] = static_cast<TensorId>(graph.tensors.size() - 1);
      graph.inputs.push_back(op.inputs[i]);
      if (!draw.chance(40)) continue;
      ir::Operator same;
      same.kind = OpKind::Identity;
      same.inputs = {op.inputs[i]};
      graph.tensors.push_back({input.name + "_same", input.type, input.shape, nullptr});
      op.inputs[i] = static_cast<TensorId>(graph.tensors.size() - 1);
      same.outputs = {op.inputs[i]};
      operators.push_back(std::move(same));
    }
    operators.push_back(std::move(op));
  }
  graph.operators = std::move(operators);
  return random;
}

}  // namespace vernier::tests::fuzz
