// SPDX-License-Identifier: Apache-2.0
// Groups of a convolution as one: equal values by the reference, and what must stay as it is.
#include "compiler/passes/merge_groups.hpp"

#include "compiler/reference/interpreter.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_passes/program_runner.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace vernier {
namespace {

using base::ElementType;
using ir::OpKind;
using ir::TensorId;
using tests::GraphBuilder;

constexpr int64_t kGroups = 6, kInputs = 3, kOutputs = 2;  // channels of a group

struct Variant {
  bool rescales_groups = false;  // else the sums are rescaled after the CONCAT
  int64_t odd_zero_point = 4;    // of the weights of the last group; of the others 4
  bool swaps = false;            // the last two groups
  bool shows_sums = false;       // those of the first group are an output
};

GraphBuilder::Scale scale_of(int64_t channels, uint64_t seed) {
  GraphBuilder::Scale scale{.multipliers = {}, .shifts = {}, .output_zp = 3};
  for (int64_t i = 0; i < channels; ++i) {
    scale.multipliers.push_back((1 << 30) + 1000 * (static_cast<int64_t>(seed) + i));
    scale.shifts.push_back(36 + (i + static_cast<int64_t>(seed)) % 3);
  }
  return scale;
}

/// Channels 2 to 2 + 18 of 21 in six groups; then RESCALE, CLAMP and TABLE.
ir::Graph grouped(const Variant& variant) {
  GraphBuilder b;
  const TensorId x = b.input("x", ElementType::Int8, {2, 5, 6, 21});
  std::vector<TensorId> parts;
  TensorId first_sums = -1;
  for (int64_t i = 0; i < kGroups; ++i) {
    const bool is_odd = i + 1 == kGroups;
    const TensorId read = b.slice(x, {0, 0, 0, 2 + kInputs * i}, {2, 5, 6, kInputs});
    const auto seed = static_cast<uint64_t>(i);
    const TensorId w = b.constant(tests::random_tensor(ElementType::Int8, {kOutputs, 3, 3, kInputs}, seed));
    const TensorId bias = b.constant(tests::random_tensor(ElementType::Int32, {kOutputs}, seed, -9000, 9000));
    GraphBuilder::Window window{.pad = {1, 1, 1, 1}, .input_zp = -5, .other_zp = is_odd ? variant.odd_zero_point : 4};
    TensorId part = b.conv2d(read, w, bias, window);
    if (i == 0) first_sums = part;
    if (variant.rescales_groups) part = b.rescale(part, ElementType::Int8, scale_of(kOutputs, seed));
    parts.push_back(part);
  }
  if (variant.swaps) std::swap(parts[4], parts[5]);
  base::Shape shape = b.shape_of(parts[0]);
  shape[3] = kGroups * kOutputs;
  TensorId all = b.op(OpKind::Concat, parts, b.type_of(parts[0]), shape, ir::AxisAttributes{3});
  if (!variant.rescales_groups) all = b.rescale(all, ElementType::Int8, scale_of(kGroups * kOutputs, 1));
  all = b.table(b.clamp(all, -100, 90), b.constant(tests::random_tensor(ElementType::Int8, {256}, 77)));
  std::vector<TensorId> outputs{all};
  if (variant.shows_sums) outputs.push_back(first_sums);
  return b.build(outputs);
}

int64_t num_convolutions(const ir::Graph& graph) {
  return std::count_if(graph.operators.begin(), graph.operators.end(),
                       [](const ir::Operator& op) { return op.kind == OpKind::Conv2d; });
}

TEST_CASE("groups together compute what they compute one by one") {
  for (const bool rescales_groups : {false, true}) {
    const ir::Graph graph = grouped({.rescales_groups = rescales_groups});
    const auto inputs = tests::random_inputs(graph, 5);
    const auto expected = reference::run(graph, inputs).outputs;
    for (const auto& [channels, count] : {std::pair<int64_t, int64_t>{6, 3}, {9, 2}, {17, 2}, {passes::kAllChannels, 1}}) {
      const auto merged = passes::merge_groups(graph, channels);
      REQUIRE(merged);
      CHECK(num_convolutions(merged->graph) == count);
      CHECK(merged->source_ops.size() == merged->graph.operators.size());
      ir::verify(merged->graph, "merged", ir::kLevel8k);
      CHECK(reference::run(merged->graph, inputs).outputs == expected);
    }
  }
}

TEST_CASE("groups that differ in more than weights, biases and scales stay as they are") {
  CHECK_FALSE(passes::merge_groups(grouped({}), 5));  // two groups have six channels
  CHECK_FALSE(passes::merge_groups(grouped({.odd_zero_point = 5}), passes::kAllChannels));
  CHECK_FALSE(passes::merge_groups(grouped({.swaps = true}), passes::kAllChannels));
  CHECK_FALSE(passes::merge_groups(grouped({.shows_sums = true}), passes::kAllChannels));
}

TEST_CASE("a program of merged groups tells of the source's operators and tensors alone") {
  const ir::Graph graph = grouped({.rescales_groups = true});
  const auto config = config::preset_config("v1024", "test");
  for (const int64_t channels : {int64_t{9}, passes::kAllChannels}) {
    const auto merged = passes::merge_groups(graph, channels);
    REQUIRE(merged);
    const passes::Program program = passes::lower(graph, config, {.merged = &*merged}, "test");
    passes::verify(program, graph, config);
    std::vector<bool> has_step(graph.operators.size());
    for (const passes::Step& step : program.steps) {
      for (const ir::OpId op : step.ops) has_step.at(static_cast<size_t>(op)) = true;
    }
    for (size_t op = 0; op < graph.operators.size(); ++op) {
      if (graph.operators[op].kind == OpKind::Conv2d) CHECK(has_step[op]);
    }
    CHECK(program.folded.size() + 1 == graph.operators.size());
  }
}

}  // namespace
}  // namespace vernier
