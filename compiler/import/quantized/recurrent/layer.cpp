// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/recurrent/layer.hpp"

#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/functions/sum_functions.hpp"
#include "compiler/import/quantized/functions/wide.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/constants.hpp"
#include "compiler/import/quantized/recurrent/recurrent.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using base::Shape;
using ir::OpKind;

// Inputs of a node.
constexpr size_t kSequence = 0, kInputWeights = 1, kStateWeights = 2, kGateBias = 3, kLengths = 4;

/// A constant of that shape, in real numbers; zeros where it is left out.
std::vector<double> real_constant(const Lowering& lowering, const Node& node, size_t index, std::string_view what,
                                  const Shape& shape) {
  if (!lowering.has_input(node, index)) return std::vector<double>(static_cast<size_t>(base::num_elements(shape)));
  static_cast<void>(lowering.constant(node, index, what));
  const Value& value = lowering.value(node, index);
  if (value.shape != shape)
    refuse("{} '{}' has shape {}, expected {}", what, node.inputs[index], base::to_string(value.shape),
           base::to_string(shape));
  const std::vector<float> reals = real_numbers(value);
  for (const float real : reals) {
    if (!std::isfinite(real)) refuse("'{}' holds {}", node.inputs[index], real);
  }
  return {reals.begin(), reals.end()};
}

/// What sizes tensors and constants is bounded here.
void check_sizes(const RecurrentLayer& layer, int64_t num_gates) {
  constexpr int64_t kMostOfStep = int64_t{1} << 22;
  const auto num_directions = std::ssize(layer.directions);
  if (layer.num_steps > kMostRecurrentSteps / num_directions)
    refuse("{} steps in {} directions, allowed are {} together", layer.num_steps, num_directions, kMostRecurrentSteps);
  if (layer.hidden < 1) refuse("a state of {} numbers, expected one and more", layer.hidden);
  if (layer.hidden > kMostOfStep / num_gates || layer.batch > kMostOfStep / num_gates / layer.hidden)
    refuse("{} gates of {} numbers, {} times, are more than {} in a step", num_gates, layer.hidden, layer.batch,
           kMostOfStep);
  if (const Shape all{layer.num_steps, layer.batch, num_gates * layer.hidden}; !is_addressable(all))
    refuse("the sums of all steps {} are larger than the machine's memory", base::to_string(all));
}

/// Whether each direction is reverse.
std::vector<bool> directions_of(const Node& node) {
  const std::string direction = string_of(node, "direction", "forward");
  if (direction == "forward") return {false};
  if (direction == "reverse") return {true};
  if (direction == "bidirectional") return {false, true};
  refuse("attribute direction is '{}', allowed are forward, reverse and bidirectional", direction);
}

void check_functions(const Node& node, std::string_view activations, size_t num_directions) {
  std::string wanted(activations);
  if (num_directions == 2) wanted += fmt::format(" {}", activations);
  const std::string found = string_of(node, "activations", wanted);
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  if (!std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(), is_same))
    refuse("attribute activations is {}, allowed is {}", found, wanted);
  if (node.attributes.contains("clip")) refuse("attribute clip is {}, allowed is none", float_of(node, "clip", 0));
}

void check_lengths(const Lowering& lowering, const Node& node, int64_t num_steps) {
  if (!lowering.has_input(node, kLengths)) return;
  const Constant& lengths = lowering.constant(node, kLengths, "the lengths of sequences");
  const bool is_whole = !lengths.type.is_float && std::all_of(lengths.integers.begin(), lengths.integers.end(),
                                                              [&](int64_t one) { return one == num_steps; });
  if (!is_whole)
    refuse("'{}' has sequences of other lengths, allowed are {} steps of each", node.inputs[kLengths], num_steps);
}

/// The node with a name for its first output, of which names of tensors are made.
Node with_name(const Node& node) {
  Node result = node;
  if (result.outputs.empty()) result.outputs.push_back("");
  for (const std::string& output : node.outputs) {
    if (result.outputs.front().empty()) result.outputs.front() = output;
  }
  return result;
}

ir::TensorId slice_of(Lowering& lowering, const Node& node, ir::TensorId tensor, size_t axis, int64_t first, int64_t count) {
  GraphBuilder& graph = lowering.graph;
  Shape shape = graph.tensor(tensor).shape, start(shape.size(), 0);
  if (shape[axis] == count) return tensor;
  start[axis] = first;
  shape[axis] = count;
  const ElementType type = graph.tensor(tensor).type;
  return graph.add(OpKind::Slice, {}, {tensor, graph.add_shape(start), graph.add_shape(shape)},
                   {type, shape, node.outputs[0] + "_slice"}, node.name);
}

/// Whether the input is sums that no function has followed: they are read as they are.
bool is_open_sum(const Value& value) {
  return value.kind == Value::Kind::Integers && value.is_real && value.is_wide() && !value.of_sum;
}

/// int32 in steps of a scale as codes of 16 bits: their high bits, and what these leave where 16 bits are too few. States
/// that another layer gives have 16 bits, as own ones.
std::vector<InputCodes> codes_of_sums(Lowering& lowering, const Node& node, const Value& sums, ir::TensorId tensor) {
  constexpr int64_t kGreatestCode = 32767;
  constexpr size_t kImageRank = 4;
  Arithmetic math(lowering, node);
  const bool is_state = static_cast<double>(sums.magnitude) * scale_of(sums.format) <= 1;
  int64_t halvings = 0;
  while (sums.magnitude >> halvings >= kGreatestCode + (is_state ? 2 : 0)) ++halvings;
  const auto format = [&](int64_t bits) {
    return Format{16, {std::ldexp(scale_of(sums.format), static_cast<int>(bits))}, {0}, 0, false};
  };
  if (is_state || halvings == 0) return {{format(halvings), kGreatestCode + 1, math.codes16(tensor, halvings)}};
  const ir::TensorId high = math.shift_right(tensor, math.number(kImageRank, halvings), true);
  const ir::TensorId low = math.sub(tensor, math.shift_left(high, math.number(kImageRank, halvings)));
  return {{format(halvings), (sums.magnitude >> halvings) + 1, math.codes16(high, 0)},
          {format(0), int64_t{1} << (halvings - 1), math.codes16(low, 0)}};
}

}  // namespace

RecurrentLayer layer_of(Lowering& lowering, const Node& node, int64_t num_gates, std::string_view activations) {
  RecurrentLayer layer;
  layer.node = with_name(node);
  layer.outputs = node.outputs;
  const std::vector<bool> is_reverse = directions_of(node);
  const auto num_directions = static_cast<int64_t>(is_reverse.size());
  check_functions(node, activations, is_reverse.size());
  const int64_t layout = int_of(node, "layout", 0);
  if (layout != 0 && layout != 1) refuse("attribute layout is {}, allowed are 0 and 1", layout);
  layer.is_batch_first = layout == 1;
  const Value& found = lowering.value(node, kSequence);
  const bool has_sums = is_open_sum(found);
  Value x =
      has_sums ? with_one_scale(lowering, found, layer.node.outputs[0] + "_input") : codes_or_16(lowering, node, kSequence);
  if (x.shape.size() != 3) refuse("an input of shape {}, allowed is rank 3", base::to_string(x.shape));
  if (layer.is_batch_first) x = permuted(x, {1, 0, 2});
  layer.num_steps = x.shape[0];
  layer.batch = x.shape[1];
  layer.num_inputs = x.shape[2];
  check_lengths(lowering, node, layer.num_steps);
  const Shape recurrence = lowering.value(node, kStateWeights).shape;
  if (recurrence.size() != 3)
    refuse("the recurrence '{}' has shape {}, allowed is rank 3", node.inputs[kStateWeights], base::to_string(recurrence));
  layer.hidden = recurrence[2];
  if (const int64_t hidden = int_of(node, "hidden_size", layer.hidden); hidden != layer.hidden)
    refuse("attribute hidden_size is {}, the recurrence has {} columns", hidden, layer.hidden);
  static_cast<void>(lowering.value(node, kInputWeights));
  for (const bool one : is_reverse) layer.directions.push_back({one, {}, {}, {}, {}});
  check_sizes(layer, num_gates);
  const int64_t rows = num_gates * layer.hidden;
  const std::vector<double> w =
      real_constant(lowering, node, kInputWeights, "the weights", {num_directions, rows, layer.num_inputs});
  const std::vector<double> r =
      real_constant(lowering, node, kStateWeights, "the recurrence", {num_directions, rows, layer.hidden});
  const std::vector<double> b = real_constant(lowering, node, kGateBias, "the bias", {num_directions, 2 * rows});
  const auto part = [](const std::vector<double>& all, int64_t first, int64_t count) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  for (int64_t d = 0; d < num_directions; ++d) {
    Direction& own = layer.directions[static_cast<size_t>(d)];
    own.weights = part(w, d * rows * layer.num_inputs, rows * layer.num_inputs);
    own.recurrence = part(r, d * rows * layer.hidden, rows * layer.hidden);
    own.bias = part(b, 2 * d * rows, rows);
    own.recurrence_bias = part(b, (2 * d + 1) * rows, rows);
  }
  const ir::TensorId tensor = lowering.in_order(x, {-1, 0, 1, 2});
  layer.x =
      has_sums ? codes_of_sums(lowering, layer.node, x, tensor) : std::vector<InputCodes>{{x.format, x.magnitude, tensor}};
  return layer;
}

StartState::StartState(Lowering& lowering, const RecurrentLayer& layer, size_t input) : lowering_(lowering), layer_(layer) {
  const auto num_directions = static_cast<int64_t>(layer.directions.size());
  Shape shape{num_directions, layer.batch, layer.hidden};
  if (layer.is_batch_first) std::swap(shape[0], shape[1]);
  const Node& node = layer.node;
  if (!lowering.has_input(node, input) || lowering.is_constant(node, input)) {
    numbers_ = real_constant(lowering, node, input, "the state", shape);
    if (layer.is_batch_first) numbers_ = reordered(numbers_, shape, {1, 0, 2});
    for (const double number : numbers_) reach_ = std::max(reach_, std::fabs(number));
    return;
  }
  const Value codes = codes_or_16(lowering, node, input);
  if (codes.shape != shape)
    refuse("the state '{}' has shape {}, expected {}", node.inputs[input], base::to_string(codes.shape),
           base::to_string(shape));
  codes_ = wide_value(lowering, layer.is_batch_first ? permuted(codes, {1, 0, 2}) : codes, 0, node.outputs[0] + "_state");
  reach_ = static_cast<double>(codes_->magnitude) * scale_of(codes_->format);
}

std::optional<std::vector<double>> StartState::numbers(size_t direction) const {
  if (codes_) return std::nullopt;
  const auto count = static_cast<std::ptrdiff_t>(layer_.batch * layer_.hidden);
  const auto begin = numbers_.begin() + static_cast<std::ptrdiff_t>(direction) * count;
  return std::vector<double>(begin, begin + count);
}

ir::TensorId StartState::tensor(Arithmetic& math, size_t direction, int64_t bits) const {
  if (codes_) {
    const ir::TensorId all = lowering_.in_order(*codes_, {-1, 0, 1, 2});
    const ir::TensorId own = slice_of(lowering_, layer_.node, all, 1, static_cast<int64_t>(direction), 1);
    // RESCALE gives less than 2^29 steps.
    return math.shift_left(math.scaled(own, std::ldexp(scale_of(codes_->format), static_cast<int>(bits - 1))),
                           math.number(4, 1));
  }
  const std::optional<std::vector<double>> own = numbers(direction);
  std::vector<int64_t> steps;
  for (const double number : *own) steps.push_back(std::llround(std::ldexp(number, static_cast<int>(bits))));
  return lowering_.graph.add_constant(ElementType::Int32, {1, 1, layer_.batch, layer_.hidden}, steps);
}

ir::TensorId columns_of(Lowering& lowering, const RecurrentLayer& layer, ir::TensorId tensor, int64_t first, int64_t count) {
  return slice_of(lowering, layer.node, tensor, 3, first, count);
}

ir::TensorId step_of(Lowering& lowering, const RecurrentLayer& layer, ir::TensorId tensor, int64_t step) {
  return slice_of(lowering, layer.node, tensor, 1, step, 1);
}

void define_sequence(Lowering& lowering, const RecurrentLayer& layer, const States& states, size_t output) {
  if (output >= layer.outputs.size() || layer.outputs[output].empty()) return;
  const Node& node = layer.node;
  std::vector<ir::TensorId> directions;
  for (const std::vector<ir::TensorId>& steps : states.tensors)
    directions.push_back(lowering.graph.concat(steps, 1, node.outputs[0] + "_states", node.name));
  const ir::TensorId all = lowering.graph.concat(directions, 0, node.outputs[0] + "_states", node.name);
  const Shape shape{layer.num_steps, std::ssize(states.tensors), layer.batch, layer.hidden};
  Value value = sums_value(all, shape, {1, 0, 2, 3}, {std::ldexp(1.0, -static_cast<int>(states.bits))}, 3, states.magnitude,
                           node.name);
  lowering.define(layer.outputs[output], layer.is_batch_first ? permuted(value, {2, 0, 1, 3}) : value);
}

void define_last(Lowering& lowering, const RecurrentLayer& layer, const States& states, size_t output) {
  if (output >= layer.outputs.size() || layer.outputs[output].empty()) return;
  const Node& node = layer.node;
  std::vector<ir::TensorId> last;
  for (size_t i = 0; i < states.tensors.size(); ++i)
    last.push_back(layer.directions[i].is_reverse ? states.tensors[i].front() : states.tensors[i].back());
  const ir::TensorId all = lowering.graph.concat(last, 0, node.outputs[0] + "_states", node.name);
  const Shape shape{std::ssize(states.tensors), layer.batch, layer.hidden};
  Value value = sums_value(all, shape, {0, -1, 1, 2}, {std::ldexp(1.0, -static_cast<int>(states.bits))}, 2, states.magnitude,
                           node.name);
  lowering.define(layer.outputs[output], layer.is_batch_first ? permuted(value, {1, 0, 2}) : value);
}

double reach_of(const RecurrentLayer& layer) {
  double reach = 0;
  for (const InputCodes& codes : layer.x) reach += static_cast<double>(codes.magnitude) * scale_of(codes.format);
  return reach;
}

std::vector<int64_t> steps_of(const RecurrentLayer& layer, const Direction& direction) {
  std::vector<int64_t> steps(static_cast<size_t>(layer.num_steps));
  std::iota(steps.begin(), steps.end(), 0);
  if (direction.is_reverse) std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace vernier::import::quantized
