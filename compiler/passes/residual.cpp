// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/residual.hpp"

#include "compiler/passes/placements.hpp"
#include "compiler/passes/rounding_forms.hpp"
#include "compiler/reference/interpreter.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

using base::ElementType;
using ir::OpKind;

constexpr int64_t kLeastShift = 2;
constexpr int64_t kUnitShift = 30;  // of a scale whose multiplier is 2^30

/// An operand of the ADD: an int8 tensor through one or two RESCALEs.
struct Side {
  ir::TensorId source = -1, scaled = -1;
  spec::Scale scale;
  int64_t zero_point = 0;
  std::vector<ir::OpId> ops;
};

/// A scale for all elements, signed, with 32 bits.
std::optional<spec::Scale> plain_scale(const Lowering& lowering, const ir::Operator& op) {
  if (op.kind != OpKind::Rescale) return std::nullopt;
  const auto& attributes = op.attributes_as<ir::RescaleAttributes>();
  const auto multiplier = lowering.uniform_value(op.inputs[1]), shift = lowering.uniform_value(op.inputs[2]);
  const bool are_zero_points_known = lowering.value(op.inputs[3]) != nullptr && lowering.value(op.inputs[4]) != nullptr;
  if (!attributes.scale32 || attributes.input_unsigned || attributes.output_unsigned || !multiplier || !shift ||
      !are_zero_points_known || *multiplier < 0) {
    return std::nullopt;
  }
  return spec::Scale{*multiplier, *shift};
}

std::optional<Side> side_of(const Lowering& lowering, const Recompute& recompute, ir::TensorId id) {
  Side side;
  ir::OpId producer = recompute.recomputed_producer(id);
  while (producer >= 0 && lowering.op(producer).kind != OpKind::Rescale) {  // RESHAPE
    const bool is_rename = lowering.op(producer).kind == OpKind::Reshape || lowering.op(producer).kind == OpKind::Identity;
    if (!is_rename) return std::nullopt;
    side.ops.push_back(producer);
    id = lowering.op(producer).inputs[0];
    producer = recompute.recomputed_producer(id);
  }
  side.scaled = id;
  side.source = recompute.domains().source(id);
  if (side.source < 0 || lowering.type(side.source) != ElementType::Int8 || lowering.type(id) != ElementType::Int32 ||
      lowering.shape(side.source) != lowering.shape(id)) {
    return std::nullopt;
  }
  const std::vector<ir::OpId> chain = recompute.domains().operators_between(side.source, id);
  if (chain.empty() || chain.size() > 2) return std::nullopt;
  // The epilogue stores none of them.
  if (!std::ranges::all_of(chain, [&](ir::OpId op) { return recompute.is_recomputed(op); })) return std::nullopt;
  const auto scale = plain_scale(lowering, lowering.op(chain.back()));
  const auto first = plain_scale(lowering, lowering.op(chain.front()));
  if (!scale || !first) return std::nullopt;
  side.scale = *scale;
  side.zero_point = lowering.scalar_operand(lowering.op(chain.front()), 3, "input zero point");
  if (chain.size() == 2) {
    const bool is_left_shift = first->multiplier == int64_t{1} << kUnitShift && first->shift <= kUnitShift;
    side.scale.shift -= kUnitShift - first->shift;
    if (!is_left_shift || side.scale.shift < kLeastShift) return std::nullopt;
  }
  side.ops.insert(side.ops.end(), chain.begin(), chain.end());
  return side;
}

/// Small graphs for the reference.
class Probe {
 public:
  ir::TensorId input(const base::Tensor& value) {
    const ir::TensorId id = add(value.type(), value.shape(), nullptr);
    graph_.inputs.push_back(id);
    values_.push_back(value);
    return id;
  }
  ir::TensorId add(ir::TensorId a, ir::TensorId b, const base::Shape& shape) {
    return add_op({OpKind::Add, {}, {a, b}, {}, ""}, ElementType::Int32, shape);
  }
  ir::TensorId rescale(ir::TensorId x, const spec::Scale& scale, int64_t input_zp, int64_t output_zp, ElementType type,
                       spec::Rounding rounding) {
    ir::RescaleAttributes attributes;
    attributes.rounding = rounding;
    const ElementType from = graph_.tensor(x).type;
    const base::Shape shape = graph_.tensor(x).shape;
    return add_op({OpKind::Rescale,
                   attributes,
                   {x, scalar(ElementType::Int32, scale.multiplier), scalar(ElementType::Int8, scale.shift),
                    scalar(from, input_zp), scalar(type, output_zp)},
                   {},
                   ""},
                  type, shape);
  }
  base::Tensor run(ir::TensorId result) {
    graph_.outputs = {result};
    return reference::run(graph_, values_).outputs[0];
  }

 private:
  ir::TensorId add(ElementType type, const base::Shape& shape, std::shared_ptr<const base::Tensor> value) {
    graph_.tensors.push_back({fmt::format("t{}", graph_.tensors.size()), type, shape, std::move(value)});
    return static_cast<ir::TensorId>(graph_.tensors.size() - 1);
  }
  ir::TensorId scalar(ElementType type, int64_t value) {
    auto tensor = std::make_shared<base::Tensor>(type, base::Shape{1});
    tensor->set(0, value);
    return add(type, {1}, tensor);
  }
  ir::TensorId add_op(ir::Operator op, ElementType type, const base::Shape& shape) {
    op.outputs = {add(type, shape, nullptr)};
    graph_.operators.push_back(op);
    return op.outputs[0];
  }
  ir::Graph graph_;
  std::vector<base::Tensor> values_;
};

base::Tensor reshaped(const base::Tensor& tensor, const base::Shape& shape) {
  base::Tensor result(tensor.type(), shape);
  for (int64_t i = 0; i < tensor.size(); ++i) result.set(i, tensor.at(i));
  return result;
}

bool are_equal(const base::Tensor& a, const base::Tensor& b) { return std::ranges::equal(a.bytes(), b.bytes()); }

/// What the epilogue makes of every value of a side.
base::Tensor scaled_by_epilogue(const Side& side, spec::Rounding rounding) {
  base::Tensor values(ElementType::Int8, {kMostSourceValues});
  for (int64_t i = 0; i < values.size(); ++i) values.set(i, base::min_value(ElementType::Int8) + i);
  Probe probe;
  return probe.run(probe.rescale(probe.input(values), side.scale, side.zero_point, 0, ElementType::Int32, rounding));
}

bool is_exact(const Recompute& recompute, const Side& own, const Side& other, const Residual& residual,
              spec::Rounding sum_rounding, spec::Rounding rounding) {
  const base::Tensor wanted_own = recompute.domains().evaluate(own.source, own.scaled);
  const base::Tensor wanted_other = recompute.domains().evaluate(other.source, other.scaled);
  const base::Tensor made_own = scaled_by_epilogue(own, rounding), made_other = scaled_by_epilogue(other, rounding);
  if (sum_rounding == rounding && are_equal(wanted_own, made_own) && are_equal(wanted_other, made_other)) return true;
  const auto sums = [&](const base::Tensor& a, const base::Tensor& b, spec::Rounding rounds) {
    Probe probe;
    const ir::TensorId left = probe.input(reshaped(a, {kMostSourceValues, 1}));
    const ir::TensorId right = probe.input(reshaped(b, {1, kMostSourceValues}));
    const ir::TensorId sum = probe.add(left, right, {kMostSourceValues, kMostSourceValues});
    return probe.run(probe.rescale(sum, residual.sum_scale, 0, residual.sum_zero_point, ElementType::Int8, rounds));
  };
  return are_equal(sums(wanted_own, wanted_other, sum_rounding), sums(made_own, made_other, rounding));
}

}  // namespace

std::optional<Residual> match_residual(const Lowering& lowering, const Recompute& recompute, ir::TensorId own, ir::OpId add,
                                       spec::Rounding rounding) {
  const ir::Operator& op = lowering.op(add);
  const ir::TensorId sum = op.outputs[0];
  if (op.kind != OpKind::Add || lowering.is_output(sum)) return std::nullopt;
  const std::optional<EvenTies> ties = match_even_ties(lowering, recompute, sum);
  const std::optional<ShiftedDown> shifted = ties ? std::nullopt : match_shifted_down(lowering, recompute, sum);
  const ir::TensorId rounded = ties ? ties->result : shifted ? shifted->result : sum;
  const auto& rescales = recompute.consumers()[rounded];
  if (rescales.size() != 1) return std::nullopt;
  const ir::Operator& down = lowering.op(rescales[0]);
  const auto sum_scale = plain_scale(lowering, down);
  if (!sum_scale || down.inputs[0] != rounded || lowering.type(down.outputs[0]) != ElementType::Int8) return std::nullopt;
  auto left = side_of(lowering, recompute, op.inputs[0]), right = side_of(lowering, recompute, op.inputs[1]);
  if (!left || !right || left->source == right->source) return std::nullopt;
  if (right->source == own) std::swap(left, right);
  if (left->source != own) return std::nullopt;
  const auto without_ones = [&](ir::TensorId id) {
    base::Shape shape = lowering.shape(id);
    std::erase(shape, 1);
    return shape;
  };
  if (without_ones(own) != without_ones(right->source) || without_ones(own) != without_ones(sum)) return std::nullopt;
  Residual residual;
  residual.addend = right->source;
  residual.own_scale = left->scale;
  residual.addend_scale = right->scale;
  residual.sum_scale = *sum_scale;
  residual.own_zero_point = left->zero_point;
  residual.addend_zero_point = right->zero_point;
  residual.sum_zero_point = lowering.scalar_operand(down, 4, "output zero point");
  for (const Side* side : {&*left, &*right}) residual.ops.insert(residual.ops.end(), side->ops.begin(), side->ops.end());
  residual.ops.push_back(add);
  if (ties) residual.ops.insert(residual.ops.end(), ties->ops.begin(), ties->ops.end());
  if (shifted) {
    if (shifted->biases != std::vector<int64_t>{0} || shifted->shifts.size() != 1) return std::nullopt;
    residual.ops.insert(residual.ops.end(), shifted->ops.begin(), shifted->ops.end());
    residual.sum_scale.shift = shifted->shifts[0];
  }
  residual.ops.push_back(rescales[0]);
  const auto is_in_range = [](const spec::Scale& scale) { return scale.shift >= kLeastShift && scale.shift <= 62; };
  if (!is_in_range(left->scale) || !is_in_range(right->scale) || !is_in_range(residual.sum_scale)) return std::nullopt;
  const spec::Rounding sum_rounding = ties ? spec::Rounding::HalfEven : down.attributes_as<ir::RescaleAttributes>().rounding;
  return is_exact(recompute, *left, *right, residual, sum_rounding, rounding) ? std::optional(residual) : std::nullopt;
}

}  // namespace vernier::passes
