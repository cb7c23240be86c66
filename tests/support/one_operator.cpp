// SPDX-License-Identifier: Apache-2.0
#include "tests/support/one_operator.hpp"

#include "compiler/ir/op_table.hpp"
#include "tests/support/graph_builder.hpp"

#include <optional>

namespace vernier::tests {

namespace {

using Values = std::vector<int64_t>;
using enum ir::OpKind;

/// An operand before it has a type. Without values: a graph input, or a constant with `is_constant`, of values from 1 to 5.
struct Operand {
  Shape shape;
  bool is_constant = false;
  std::optional<Values> values{};
};
struct Sketch {
  std::vector<Operand> operands;
  Shape result;
  ir::Attributes attributes{};
};

Operand input(Shape shape) { return {std::move(shape)}; }
Operand weights(Shape shape) { return {std::move(shape), true}; }
Operand constant(const Values& values) { return {{static_cast<int64_t>(values.size())}, true, values}; }
Operand zero() { return constant({0}); }

/// Shapes of one size: all rows are `times` as many.
struct Size {
  int64_t times = 1;
  [[nodiscard]] Shape image() const { return {1, 8 * times, 8, 16}; }
  [[nodiscard]] Shape matrix() const { return {4 * times, 16}; }
  [[nodiscard]] Shape rows(int64_t count) const { return {count * times}; }
};
const Values kNoPad{0, 0, 0, 0}, kPad{1, 1, 1, 1}, kOnes{1, 1};

Sketch sketch_convolution(ir::OpKind kind, ElementType acc, Size size) {
  const Operand bias = weights({16});
  if (kind == Conv3d) {
    const Shape volume{1, 4, 8 * size.times, 8, 16};
    return {{input(volume), weights({16, 3, 3, 3, 16}), bias, zero(), zero()},
            volume,
            ir::ConvAttributes{{1, 1, 1, 1, 1, 1}, {1, 1, 1}, {1, 1, 1}, acc}};
  }
  if (kind == TransposeConv2d) {
    return {{input(size.image()), weights({16, 2, 2, 16}), bias, zero(), zero()},
            {1, 16 * size.times, 16, 16},
            ir::TransposeConvAttributes{kNoPad, {2, 2}, acc}};
  }
  const Shape kernel = kind == Conv2d ? Shape{16, 3, 3, 16} : Shape{3, 3, 16, 1};
  return {{input(size.image()), weights(kernel), bias, zero(), zero()},
          size.image(),
          ir::ConvAttributes{kPad, kOnes, kOnes, acc}};
}

Sketch sketch_pool(ir::OpKind kind, Size size) {
  Sketch sketch{
      {input(size.image())}, {1, 4 * size.times, 4, 16}, ir::PoolAttributes{{2, 2}, {2, 2}, kNoPad, ElementType::Int32}};
  if (kind == AvgPool2d) sketch.operands.insert(sketch.operands.end(), 2, zero());
  return sketch;
}

Sketch sketch_resize(bool is_bilinear, Size size) {
  return {{input(size.image()), constant({4, 2, 4, 2}), constant({-1, -1}), constant({1, 1})},
          {1, 16 * size.times, 16, 16},
          ir::ResizeAttributes{is_bilinear}};
}

Sketch sketch_rescale(ElementType in, ElementType multiplier, Size size) {
  const bool is_wide = multiplier == ElementType::Int32;
  VERNIER_CHECK(!is_wide || in != ElementType::Int48, "int48 takes multipliers of 16 bits");
  return {
      {input(size.image()), constant({int64_t{1} << (is_wide ? 30 : 14)}), constant({is_wide ? 30 : 14}), zero(), zero()},
      size.image(),
      ir::RescaleAttributes{.scale32 = is_wide}};
}

std::optional<Sketch> sketch_movement(ir::OpKind kind, Size size) {
  const int64_t n = size.times;
  const Shape matrix = size.matrix(), values{1, 6, 16}, indices{1, 4 * n}, picked{1, 4 * n, 16}, scattered{1, 6 * n, 16};
  Operand places{indices, false, Values{}};
  for (int64_t i = 0; i < n; ++i) {
    const int64_t first = kind == Scatter ? 6 * i : 0;  // SCATTER writes no place twice
    for (const int64_t place : {3, 0, 5, 1}) places.values->push_back(first + place);
  }
  switch (kind) {
    case Concat: return Sketch{{input(matrix), input(matrix)}, {8 * n, 16}, ir::AxisAttributes{0}};
    case Pad: return Sketch{{input(matrix), constant({1, 1, 0, 0}), constant({1})}, {4 * n + 2, 16}};
    case Reshape: return Sketch{{input(matrix), constant({8 * n, 8})}, {8 * n, 8}};
    case Reverse: return Sketch{{input(matrix)}, matrix, ir::AxisAttributes{0}};
    case Slice: return Sketch{{input(matrix), constant({1, 0}), constant({2 * n, 8})}, {2 * n, 8}};
    case Tile: return Sketch{{input(matrix), constant({3, 1})}, {12 * n, 16}};
    case Transpose: return Sketch{{input(matrix)}, {16, 4 * n}, ir::TransposeAttributes{{1, 0}}};
    case Gather: return Sketch{{input(values), places}, picked};
    case Scatter: return Sketch{{input(scattered), places, input(picked)}, scattered};
    default: return std::nullopt;
  }
}

/// Every operand a map, and the result.
Sketch sketch_elementwise(ir::OpKind kind, size_t num_operands, Size size) {
  Sketch sketch{std::vector<Operand>(num_operands, input(size.image())), size.image()};
  if (kind == Clamp) sketch.attributes = ir::ClampAttributes{2, 4};
  if (kind == ArithmeticRightShift) sketch.attributes = ir::ShiftAttributes{true};
  return sketch;
}

Sketch sketch_of(ir::OpKind kind, const ModeTypes& types, Size size) {
  const Shape image = size.image();
  if (const auto movement = sketch_movement(kind, size)) return *movement;
  switch (kind) {
    case Conv2d:
    case Conv3d:
    case DepthwiseConv2d:
    case TransposeConv2d: return sketch_convolution(kind, types.result, size);
    case MatMul: return {{input({2, 8 * size.times, 16}), input({2, 16, 8}), zero(), zero()}, {2, 8 * size.times, 8}};
    case AvgPool2d:
    case MaxPool2d: return sketch_pool(kind, size);
    case ArgMax: return {{input(size.matrix())}, size.rows(4), ir::AxisAttributes{1}};
    case ReduceAll:
    case ReduceAny:
    case ReduceMax:
    case ReduceMin:
    case ReduceSum: return {{input(size.matrix())}, {4 * size.times, 1}, ir::AxisAttributes{1}};
    case Mul: return {{input(image), input(image), zero()}, image};
    case Negate: return {{input(image), zero(), zero()}, image};
    case Table: return {{input(image), weights({types.result == ElementType::Int8 ? 256 : 513})}, image};
    case Resize: return sketch_resize(types.result != types.operands[0], size);
    case Rescale: return sketch_rescale(types.operands[0], types.operands[1], size);
    default: return sketch_elementwise(kind, types.operands.size(), size);
  }
}

}  // namespace

ModeTypes mode_types(std::string_view text) {
  const std::vector<std::string_view> words = ir::split_words(text);
  VERNIER_CHECK(words.size() >= 2 && words[words.size() - 2] == "->", "'{}' has no result", text);
  const auto type_of = [&](std::string_view word) {
    const auto type = base::element_type_from_name(word);
    VERNIER_CHECK(type.has_value(), "'{}' in '{}' is no type", word, text);
    return *type;
  };
  ModeTypes types{{}, type_of(words.back())};
  for (size_t i = 0; i + 2 < words.size(); ++i) types.operands.push_back(type_of(words[i].substr(0, words[i].find("..."))));
  return types;
}

OneOperator one_operator(ir::OpKind kind, const ModeTypes& types, int64_t times) {
  VERNIER_CHECK(ir::find_op_info(kind) != nullptr, "{} is not in the verifier's table", ir::to_string(kind));
  const Sketch sketch = sketch_of(kind, types, {times});
  const bool is_list = types.operands.size() == 1;
  VERNIER_CHECK(is_list || types.operands.size() == sketch.operands.size(), "{} types of {} operands of {}",
                types.operands.size(), sketch.operands.size(), ir::to_string(kind));
  GraphBuilder b;
  OneOperator one;
  std::vector<ir::TensorId> operands;
  for (const Operand& operand : sketch.operands) {
    const uint64_t seed = operands.size() + 1;
    const ElementType type = types.operands[is_list ? 0 : operands.size()];
    const base::Tensor value = operand.values              ? make_tensor(type, operand.shape, *operand.values)
                               : type == ElementType::Bool ? random_tensor(type, operand.shape, seed)
                                                           : random_tensor(type, operand.shape, seed, 1, 5);
    if (operand.is_constant) {
      operands.push_back(b.constant(value));
    } else {
      operands.push_back(b.input(fmt::format("x{}", operands.size()), type, operand.shape));
      one.inputs.push_back(value);
    }
  }
  one.graph = b.build_unverified({b.op(kind, operands, types.result, sketch.result, sketch.attributes)});
  return one;
}

ir::Graph with_types(ir::Graph graph, const ModeTypes& types) {
  const ir::Operator& op = graph.operators.front();
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    ir::TensorInfo& operand = graph.tensors.at(op.inputs[i]);
    const ElementType type = types.operands.at(types.operands.size() == 1 ? 0 : i);
    if (operand.type == type) continue;
    operand.type = type;
    if (operand.constant) operand.constant = std::make_shared<const base::Tensor>(type, operand.shape);
  }
  graph.tensors.at(op.outputs[0]).type = types.result;
  return graph;
}

ir::Graph with_computed(ir::Graph graph, size_t operand) {
  const ir::TensorId id = graph.operators.front().inputs.at(operand);
  graph.tensors.at(id).constant = nullptr;
  if (std::find(graph.inputs.begin(), graph.inputs.end(), id) == graph.inputs.end()) graph.inputs.push_back(id);
  return graph;
}

}  // namespace vernier::tests
