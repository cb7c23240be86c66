// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/control_flow.hpp"

#include "tests/fuzz/drop_unused.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vernier::tests::fuzz {
namespace {

using ir::Graph;
using ir::OpKind;
using ir::TensorId;

constexpr int64_t kDeepest = 4;  // regions of regions
constexpr int64_t kMostInLists = 40;

TensorId add_tensor(Graph& graph, ir::TensorInfo info) {
  graph.tensors.push_back(std::move(info));
  return static_cast<TensorId>(graph.tensors.size() - 1);
}

TensorId add_constant(Graph& graph, const std::string& name, const base::Tensor& value) {
  return add_tensor(graph, {name, value.type(), value.shape(), std::make_shared<const base::Tensor>(value)});
}

ir::Operator make_op(OpKind kind, std::vector<TensorId> inputs, std::vector<TensorId> outputs,
                     ir::Attributes attributes = {}) {
  ir::Operator op;
  op.kind = kind;
  op.attributes = std::move(attributes);
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  return op;
}

/// Operators of a graph that follow each other, with what they read of others and what others read of them.
struct Span {
  size_t begin = 0, end = 0;
  std::vector<TensorId> inputs, outputs;
};

class Outliner {
 public:
  Outliner(RandomGraph random, uint64_t seed) : random_graph_(std::move(random)), random_(seed) {}

  RandomGraph run() {
    for (int64_t i = random_.within(1, 2); i > 0; --i) outline(random_graph_.graph, 0);
    for (ir::Region& region : regions_) drop_unused(region.graph);
    drop_unused(random_graph_.graph);
    random_graph_.graph.regions = std::move(regions_);
    return std::move(random_graph_);
  }

 private:
  [[nodiscard]] std::string fresh(std::string_view what) { return fmt::format("{}_{}", what, num_names_++); }

  Span draw_span(const Graph& graph) {
    Span span;
    span.begin = static_cast<size_t>(random_.within(0, std::ssize(graph.operators) - 1));
    span.end = span.begin + static_cast<size_t>(random_.within(
                                1, std::min<int64_t>(6, std::ssize(graph.operators) - static_cast<int64_t>(span.begin))));
    std::set<TensorId> made, read_later(graph.outputs.begin(), graph.outputs.end());
    for (size_t i = span.begin; i < span.end; ++i) {
      for (const TensorId id : graph.operators[i].inputs) {
        const bool is_known = made.contains(id) || graph.is_constant(id);
        if (!is_known && std::ranges::find(span.inputs, id) == span.inputs.end()) span.inputs.push_back(id);
      }
      made.insert(graph.operators[i].outputs.begin(), graph.operators[i].outputs.end());
    }
    for (size_t i = span.end; i < graph.operators.size(); ++i)
      read_later.insert(graph.operators[i].inputs.begin(), graph.operators[i].inputs.end());
    std::ranges::set_intersection(made, read_later, std::back_inserter(span.outputs));
    return span;
  }

  /// The operators of the span as a graph of their own.
  static Graph region_of(const Graph& graph, const Span& span) {
    Graph region;
    std::map<TensorId, TensorId> number;
    const auto take = [&](TensorId id) {
      const auto [place, is_new] = number.try_emplace(id, -1);
      if (is_new) place->second = add_tensor(region, graph.tensor(id));
      return place->second;
    };
    for (const TensorId id : span.inputs) region.inputs.push_back(take(id));
    for (size_t i = span.begin; i < span.end; ++i) {
      ir::Operator op = graph.operators[i];
      for (TensorId& id : op.inputs) id = take(id);
      for (TensorId& id : op.outputs) id = take(id);
      region.operators.push_back(std::move(op));
    }
    for (const TensorId id : span.outputs) region.outputs.push_back(take(id));
    return region;
  }

  void outline(Graph& graph, int64_t depth) {
    if (graph.operators.empty()) return;
    const Span span = draw_span(graph);
    const auto is_control = [](const ir::Operator& op) { return ir::is_control_flow(op.kind); };
    const auto first = graph.operators.begin() + static_cast<std::ptrdiff_t>(span.begin);
    const bool is_plain = std::none_of(first, first + static_cast<std::ptrdiff_t>(span.end - span.begin), is_control);
    if (!is_plain || span.outputs.empty() || std::ssize(span.inputs) + std::ssize(span.outputs) > kMostInLists) return;
    Graph region = region_of(graph, span);
    if (depth < kDeepest && random_.chance(40)) outline(region, depth + 1);
    std::vector<ir::Operator> before;
    ir::Operator op = random_.chance(55) ? cond_if(graph, span, std::move(region), depth, before)
                                         : while_loop(graph, span, std::move(region), depth);
    before.push_back(std::move(op));
    auto& operators = graph.operators;
    const auto at = operators.begin() + static_cast<std::ptrdiff_t>(span.begin);
    operators.erase(at, operators.begin() + static_cast<std::ptrdiff_t>(span.end));
    operators.insert(operators.begin() + static_cast<std::ptrdiff_t>(span.begin), before.begin(), before.end());
  }

  std::string keep(std::string_view role, Graph region) {
    regions_.push_back({fresh(role), std::move(region), {}});
    return regions_.back().name;
  }

  // ------------------------------------------------------------------------------------------------------------ COND_IF

  ir::Operator cond_if(Graph& graph, const Span& span, Graph region, int64_t depth, std::vector<ir::Operator>& before) {
    const TensorId condition = draw_condition(graph, span, depth, before);
    std::string then_graph = keep("then", std::move(region)), else_graph = keep("else", other_branch(graph, span));
    if (random_.chance(30)) std::swap(then_graph, else_graph);
    std::vector<TensorId> inputs{condition};
    inputs.insert(inputs.end(), span.inputs.begin(), span.inputs.end());
    return make_op(OpKind::CondIf, std::move(inputs), span.outputs, ir::CondIfAttributes{then_graph, else_graph});
  }

  TensorId draw_condition(Graph& graph, const Span& span, int64_t depth, std::vector<ir::Operator>& before) {
    if (random_.chance(15))
      return add_constant(graph, fresh("cond"), make_tensor(ElementType::Bool, {1}, {random_.chance(50) ? 1 : 0}));
    std::vector<TensorId> candidates;
    for (const TensorId id : span.inputs) {
      const ElementType type = graph.tensor(id).type;
      if (type != ElementType::Int48 && type != ElementType::Int4 && type != ElementType::Shape) candidates.push_back(id);
    }
    if (depth == 0 && (candidates.empty() || random_.chance(40))) {
      const TensorId id =
          add_tensor(graph, {fresh("cond"), ElementType::Bool, random_.chance(50) ? Shape{} : Shape{1}, nullptr});
      graph.inputs.push_back(id);
      random_graph_.input_ranges.push_back({0, 1});
      return id;
    }
    if (candidates.empty())
      return add_constant(graph, fresh("cond"), make_tensor(ElementType::Bool, {}, {random_.chance(50) ? 1 : 0}));
    return first_element(graph, random_.pick(candidates), before);
  }

  /// Whether it is not 0.
  TensorId first_element(Graph& graph, TensorId id, std::vector<ir::Operator>& before) {
    const ElementType type = graph.tensor(id).type;
    const Shape ones(graph.tensor(id).shape.size(), 1);
    if (!ones.empty()) {
      const auto rank = static_cast<int64_t>(ones.size());
      const auto shape_of = [&](int64_t value) {
        return add_constant(graph, fresh("shape"),
                            make_tensor(ElementType::Shape, {rank}, std::vector<int64_t>(ones.size(), value)));
      };
      const TensorId start = shape_of(0), size = shape_of(1), one = add_tensor(graph, {fresh("first"), type, ones, nullptr});
      before.push_back(make_op(OpKind::Slice, {id, start, size}, {one}));
      id = one;
    }
    if (type == ElementType::Bool) return id;
    const TensorId condition = add_tensor(graph, {fresh("cond"), ElementType::Bool, ones, nullptr});
    before.push_back(make_op(OpKind::Cast, {id}, {condition}));
    return condition;
  }

  /// Something else of the same types and shapes.
  Graph other_branch(const Graph& graph, const Span& span) {
    Graph branch;
    for (const TensorId id : span.inputs) branch.inputs.push_back(add_tensor(branch, graph.tensor(id)));
    for (const TensorId id : span.outputs) {
      const ir::TensorInfo& wanted = graph.tensor(id);
      std::vector<TensorId> alike;
      for (const TensorId input : branch.inputs) {
        if (branch.tensor(input).type == wanted.type && branch.tensor(input).shape == wanted.shape) alike.push_back(input);
      }
      if (alike.empty() || random_.chance(30)) {
        branch.outputs.push_back(
            add_constant(branch, fresh("other"), random_tensor(wanted.type, wanted.shape, random_.seed())));
      } else if (wanted.shape.empty() || wanted.type == ElementType::Int48 || random_.chance(40)) {
        branch.outputs.push_back(random_.pick(alike));
      } else {
        const TensorId result = add_tensor(branch, {fresh("reversed"), wanted.type, wanted.shape, nullptr});
        branch.operators.push_back(make_op(OpKind::Reverse, {random_.pick(alike)}, {result},
                                           ir::AxisAttributes{random_.within(0, std::ssize(wanted.shape) - 1)}));
        branch.outputs.push_back(result);
      }
    }
    return branch;
  }

  // --------------------------------------------------------------------------------------------------------- WHILE_LOOP

  /// Carried are a counter, what the region reads, and what it gives.
  ir::Operator while_loop(Graph& graph, const Span& span, Graph region, int64_t depth) {
    std::vector<TensorId> inputs{draw_count(graph, depth)},
        outputs{add_tensor(graph, {fresh("count"), ElementType::Int32, {1}, nullptr})};
    for (const TensorId id : span.inputs) {
      inputs.push_back(id);
      const ir::TensorInfo info = graph.tensor(id);
      outputs.push_back(add_tensor(graph, {fresh("carried"), info.type, info.shape, nullptr}));
    }
    for (const TensorId id : span.outputs) {
      const ir::TensorInfo info = graph.tensor(id);
      inputs.push_back(add_constant(graph, fresh("first"), random_tensor(info.type, info.shape, random_.seed())));
      outputs.push_back(id);
    }
    const std::string cond_graph = keep("while", count_is_left(graph, inputs)),
                      body_graph = keep("body", body_of(std::move(region)));
    return make_op(OpKind::WhileLoop, std::move(inputs), std::move(outputs),
                   ir::WhileLoopAttributes{cond_graph, body_graph});
  }

  TensorId draw_count(Graph& graph, int64_t depth) {
    if (depth > 0 || random_.chance(60))
      return add_constant(graph, fresh("count"),
                          make_tensor(ElementType::Int32, {1}, {random_.within(0, depth > 0 ? 2 : 3)}));
    const TensorId id = add_tensor(graph, {fresh("count"), ElementType::Int32, {1}, nullptr});
    graph.inputs.push_back(id);
    random_graph_.input_ranges.push_back({0, 3});
    return id;
  }

  Graph count_is_left(const Graph& graph, const std::vector<TensorId>& carried) {
    Graph cond;
    for (const TensorId id : carried) {
      const ir::TensorInfo& info = graph.tensor(id);
      cond.inputs.push_back(add_tensor(cond, {fresh("carried"), info.type, info.shape, nullptr}));
    }
    const TensorId zero = add_constant(cond, fresh("zero"), make_tensor(ElementType::Int32, {1}, {0}));
    const TensorId result = add_tensor(cond, {fresh("goes_on"), ElementType::Bool, {1}, nullptr});
    cond.operators.push_back(make_op(OpKind::Greater, {cond.inputs[0], zero}, {result}));
    cond.outputs = {result};
    return cond;
  }

  /// The region's inputs go through it. Of what it gives two tensors may change places each time.
  Graph body_of(Graph body) {
    const TensorId count = add_tensor(body, {fresh("count"), ElementType::Int32, {1}, nullptr});
    const TensorId left = add_tensor(body, {fresh("left"), ElementType::Int32, {1}, nullptr});
    const TensorId one = add_constant(body, fresh("one"), make_tensor(ElementType::Int32, {1}, {1}));
    body.operators.insert(body.operators.begin() + random_.within(0, std::ssize(body.operators)),
                          make_op(OpKind::Sub, {count, one}, {left}));
    std::vector<TensorId> inputs{count}, outputs{left};
    inputs.insert(inputs.end(), body.inputs.begin(), body.inputs.end());
    outputs.insert(outputs.end(), body.inputs.begin(), body.inputs.end());
    const std::vector<TensorId> results = body.outputs;
    for (const TensorId id : results) {
      const ir::TensorInfo info = body.tensor(id);
      inputs.push_back(add_tensor(body, {fresh("before"), info.type, info.shape, nullptr}));
      outputs.push_back(id);
    }
    const size_t first = outputs.size() - results.size();
    for (size_t i = first; i + 1 < outputs.size(); ++i) {
      const ir::TensorInfo &a = body.tensor(outputs[i]), &b = body.tensor(outputs[i + 1]);
      if (a.type != b.type || a.shape != b.shape) continue;
      if (random_.chance(40)) std::swap(outputs[i], outputs[i + 1]);
      if (random_.chance(30)) outputs[i] = inputs[i + 1];  // what the other one was before
    }
    body.inputs = std::move(inputs);
    body.outputs = std::move(outputs);
    return body;
  }

  RandomGraph random_graph_;
  Random random_;
  std::vector<ir::Region> regions_;
  int64_t num_names_ = 0;
};

}  // namespace

RandomGraph with_control_flow(RandomGraph random, uint64_t seed) { return Outliner(std::move(random), seed).run(); }

}  // namespace vernier::tests::fuzz
