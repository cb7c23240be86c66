// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/generator.hpp"

#include "tests/fuzz/cliffs.hpp"
#include "tests/fuzz/control_flow.hpp"
#include "tests/fuzz/dynamic_parameters.hpp"
#include "tests/fuzz/int4_weights.hpp"
#include "tests/fuzz/makers.hpp"
#include "tests/fuzz/patterns.hpp"
#include "tests/fuzz/variables.hpp"

#include <algorithm>
#include <utility>

namespace vernier::tests::fuzz {

using ir::OpKind;
using ir::TensorId;

namespace {

constexpr int kMostTries = 60;

/// Each mode as often as its operator's weight says, at least once.
std::vector<const OpMode*> make_turns() {
  std::vector<const OpMode*> turns;
  const std::vector<OpMode>& modes = all_modes();
  for (size_t begin = 0, end = 0; begin < modes.size(); begin = end) {
    while (end < modes.size() && modes[end].kind == modes[begin].kind) ++end;
    const auto count = std::max(maker_of(modes[begin].kind).weight, static_cast<int64_t>(end - begin));
    for (int64_t i = 0; i < count; ++i) turns.push_back(&modes[begin + static_cast<size_t>(i) % (end - begin)]);
  }
  return turns;
}

const std::vector<const OpMode*>& turns() {
  static const std::vector<const OpMode*> kTurns = make_turns();
  return kTurns;
}

/// What a connected graph is mostly made of, so that long chains of a kind come about.
enum class Theme { Any, Convolutions, Elementwise, Movements };

bool is_of(Theme theme, OpKind kind) {
  const auto has = [kind](std::span<const Maker> makers) {
    return std::any_of(makers.begin(), makers.end(), [kind](const Maker& maker) { return maker.kind == kind; });
  };
  switch (theme) {
    case Theme::Any: return true;
    case Theme::Convolutions:
      return has(convolution_makers()) || kind == OpKind::Rescale || kind == OpKind::Clamp || kind == OpKind::Table ||
             kind == OpKind::MaxPool2d || kind == OpKind::AvgPool2d || kind == OpKind::Concat || kind == OpKind::Reshape;
    case Theme::Elementwise:
      return has(elementwise_makers()) || kind == OpKind::ReduceMax || kind == OpKind::ReduceSum || kind == OpKind::Reshape;
    case Theme::Movements: return has(movement_makers()) || kind == OpKind::Identity || kind == OpKind::Conv2d;
  }
  return false;
}

class Generator {
 public:
  Generator(uint64_t seed, GraphKind kind, bool is_large)
      : seed_(seed), is_connected_(kind != GraphKind::Single), m_(seed, is_connected_, is_large) {}

  RandomGraph run() {
    if (is_connected_) {
      add_connected();
    } else {
      add_single();
    }
    return {m_.b.build(outputs()), m_.input_ranges()};
  }

 private:
  /// One operator on that tensor, or on a new input; false, and nothing is left of it, when that does not suit.
  bool add_operator(const OpMode& mode, TensorId first) {
    const GraphMaker before = m_;
    if (first < 0) first = m_.new_input(mode.operands[0], m_.first_shape(mode));
    set_location();
    const TensorId result = maker_of(mode.kind).make(m_, mode, first);
    if (result == kDoesNotSuit) {
      const Random random = m_.random;
      m_ = before;
      m_.random = random;
      return false;
    }
    m_.add_result(result);
    return true;
  }

  void add_single() {
    const OpMode& mode = *turns()[seed_ % turns().size()];
    for (int i = 0; i < kMostTries; ++i) {
      if (add_operator(mode, kDoesNotSuit)) return;
    }
    VERNIER_CHECK(false, "no graph for {} with seed {}", mode.name(), seed_);
  }

  void add_connected() {
    m_.new_input(m_.random.chance(75) ? ElementType::Int8 : ElementType::Int16,
                 m_.first_shape({m_.random.chance(70) ? OpKind::Conv2d : OpKind::DepthwiseConv2d,
                                 {},
                                 {},
                                 {},
                                 m_.random.chance(75) ? 4 : 1,
                                 m_.random.chance(75) ? 4 : 6}));
    theme_ = m_.random.pick<Theme>({Theme::Any, Theme::Any, Theme::Convolutions, Theme::Elementwise, Theme::Movements});
    const auto wanted = static_cast<size_t>(m_.random.within(2, 12));
    for (int i = 0; i < kMostTries && num_operators() < wanted; ++i) extend(wanted - num_operators());
    if (num_operators() == 0) m_.add_result(m_.b.unary(OpKind::Identity, m_.pool().front()));
  }

  void extend(size_t room) {
    const TensorId x = m_.random.chance(60) ? m_.pool().back() : m_.random.pick(m_.pool());
    const ElementType type = m_.b.type_of(x);
    const bool is_narrow = type == ElementType::Int8 || type == ElementType::Int16;
    const bool is_map = is_narrow && m_.shape(x).size() == 4;
    if (is_map && type == ElementType::Int8 && room >= 5 && m_.random.chance(25)) {
      add_array_residual(m_, x);
    } else if (is_map && room >= 4 && m_.random.chance(10)) {
      add_branches(m_, x);
    } else if (is_narrow && room >= 5 && m_.random.chance(20)) {
      add_residual(m_, x);
    } else if (is_narrow && room >= 8 && !m_.shape(x).empty() && m_.random.chance(10)) {
      add_softmax(m_, x);
    } else {
      add_any(x);
    }
  }

  void add_any(TensorId x) {
    const ElementType type = m_.b.type_of(x);
    // Sums are rescaled sooner or later.
    const bool is_sum = type == ElementType::Int32 || type == ElementType::Int48;
    const bool wants_rescale = is_sum && m_.random.chance(60);
    std::vector<const OpMode*> suiting;
    const Theme theme = m_.random.chance(85) ? theme_ : Theme::Any;
    for (const OpMode* mode : turns()) {
      if (mode->takes(type, m_.shape(x)) && (wants_rescale ? mode->kind == OpKind::Rescale : is_of(theme, mode->kind)))
        suiting.push_back(mode);
    }
    if (!suiting.empty()) add_operator(*m_.random.pick(suiting), x);
  }

  /// Some operators share a layer, some have none.
  void set_location() {
    if (m_.random.chance(40)) m_.b.set_location(m_.random.chance(20) ? "" : fmt::format("layer/{}", num_operators()));
  }

  /// What others read is sometimes an output too, in some graphs often: wide results above all, which a command then stores
  /// on its way.
  std::vector<TensorId> outputs() {
    const ir::Graph& graph = m_.b.graph();
    const auto consumers = graph.consumers();
    std::vector<TensorId> outputs;
    const int64_t of_read = m_.random.pick<int64_t>({3, 12, 12, 50}), of_wide = m_.random.pick<int64_t>({3, 12, 30, 50});
    for (const ir::Operator& op : graph.operators) {
      const ElementType type = graph.tensor(op.outputs[0]).type;
      const bool is_wide = type == ElementType::Int16 || type == ElementType::Int32;
      const bool is_read = !consumers[op.outputs[0]].empty();
      if (m_.random.chance(is_read ? (is_wide ? of_wide : of_read) : is_connected_ ? 92 : 100))
        outputs.push_back(op.outputs[0]);
    }
    if (outputs.empty()) outputs.push_back(graph.operators.back().outputs[0]);
    if (m_.random.chance(4)) outputs.push_back(m_.random.pick(outputs));
    if (!graph.inputs.empty() && m_.random.chance(4)) outputs.push_back(m_.random.pick(graph.inputs));
    if (m_.random.chance(3)) outputs.push_back(m_.constant(ElementType::Int8, {3, 5}));
    if (m_.random.chance(20)) std::swap(outputs.front(), outputs.back());
    return outputs;
  }

  [[nodiscard]] size_t num_operators() { return m_.b.graph().operators.size(); }

  uint64_t seed_;
  bool is_connected_;
  Theme theme_ = Theme::Any;
  GraphMaker m_;
};

/// The first of the seed's graphs that has a convolution whose weights can be int4.
RandomGraph random_int4_graph(uint64_t seed, bool is_large) {
  constexpr uint64_t kGraphsOfSeed = 1000;
  const GraphKind kind = seed % 2 == 0 ? GraphKind::Single : GraphKind::Connected;
  for (uint64_t i = 0; i < kGraphsOfSeed; ++i) {
    RandomGraph random = random_graph(seed * kGraphsOfSeed + i, kind, is_large);
    if (use_int4_weights(random) > 0) return random;
  }
  VERNIER_CHECK(false, "no convolution of int8 with seed {}", seed);
}

}  // namespace

RandomGraph random_graph(uint64_t seed, GraphKind kind, bool is_large) {
  if (kind == GraphKind::Dynamic) {  // one operator as often as several
    const GraphKind base = seed % 2 == 0 ? GraphKind::Single : GraphKind::Connected;
    return with_dynamic_parameters(random_graph(seed / 2, base, is_large), seed);
  }
  if (kind == GraphKind::Variables) {  // in regions as often as not
    RandomGraph random = with_variables(random_graph(seed / 2, GraphKind::Connected, is_large), seed);
    return seed % 2 == 0 ? random : with_control_flow(std::move(random), seed);
  }
  if (kind == GraphKind::Int4) return random_int4_graph(seed, is_large);
  if (kind >= GraphKind::Banks) return cliff_graph(kind, seed);
  RandomGraph random = Generator(seed, kind, is_large).run();
  return kind == GraphKind::Control ? with_control_flow(std::move(random), seed) : random;
}

std::vector<base::Tensor> random_inputs(const RandomGraph& random, uint64_t seed) {
  std::vector<base::Tensor> inputs;
  for (size_t i = 0; i < random.graph.inputs.size(); ++i) {
    const ir::TensorInfo& tensor = random.graph.tensor(random.graph.inputs[i]);
    inputs.push_back(odd_values(tensor.type, tensor.shape, seed * 1000 + i, random.input_ranges.at(i)));
  }
  return inputs;
}

std::string mode_name(const ir::Graph& graph, const ir::Operator& op) {
  const auto is_of_mode = [&](const OpMode& mode) {
    if (mode.kind != op.kind || mode.result != graph.tensor(op.outputs[0]).type) return false;
    const bool is_list = ir::takes_list(*ir::find_op_info(op.kind));
    bool is_equal = true;
    for (size_t i = 0; i < mode.operands.size(); ++i) {
      const bool is_multiplier = op.kind == OpKind::Rescale && i == 1;
      if (!is_multiplier && graph.tensor(op.inputs[is_list ? 0 : i]).type != mode.operands[i]) is_equal = false;
    }
    return is_equal;
  };
  for (const std::vector<OpMode>* modes : {&all_modes(), &int4_modes()}) {
    const auto mode = std::ranges::find_if(*modes, is_of_mode);
    if (mode != modes->end()) return mode->name();
  }
  VERNIER_CHECK(false, "{} with these types is not in the verifier's table", ir::to_string(op.kind));
  return "";
}

int64_t num_single_turns() { return static_cast<int64_t>(turns().size()); }

}  // namespace vernier::tests::fuzz
