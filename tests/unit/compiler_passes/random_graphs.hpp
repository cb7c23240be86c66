// SPDX-License-Identifier: Apache-2.0
// What the tests of random operators share: a source of random sizes, operands and scales, and the loop that lowers and runs
// a family of graphs on all machines, whole and in stripes.
#pragma once

#include "tests/support/graph_builder.hpp"
#include "tests/support/random.hpp"
#include "tests/unit/compiler_passes/program_runner.hpp"

#include <catch2/catch.hpp>

namespace vernier::tests {

inline ir::TensorId random_constant(GraphBuilder& b, Random& random, ElementType type, const Shape& shape, int64_t least,
                                    int64_t most) {
  return b.constant(random_tensor(type, shape, random.seed(), least, most));
}

inline GraphBuilder::Scale random_scale(Random& random, ElementType from, ElementType to, int64_t channels) {
  GraphBuilder::Scale scale;
  scale.attributes.scale32 = from != ElementType::Int48 && random.chance(70);
  scale.attributes.rounding =
      scale.attributes.scale32 && random.chance(50) ? spec::Rounding::Double : spec::Rounding::Single;
  const int64_t most = scale.attributes.scale32 ? INT32_MAX : INT16_MAX;
  const int64_t n = channels > 1 && random.chance(50) ? channels : 1;
  scale.multipliers.clear();
  scale.shifts.clear();
  for (int64_t i = 0; i < n; ++i) {
    scale.multipliers.push_back(random.within(most / 2, most));
    scale.shifts.push_back(scale.attributes.scale32 ? random.within(33, 45) : random.within(16, 40));
  }
  const bool is_narrow_in = from == ElementType::Int8, is_narrow_out = to == ElementType::Int8;
  scale.attributes.input_unsigned = is_narrow_in && to != ElementType::Int32 && random.chance(20);
  scale.attributes.output_unsigned = is_narrow_out && !scale.attributes.input_unsigned && from != ElementType::Int32 &&
                                     from != ElementType::Int48 && random.chance(20);
  if (is_narrow_in) scale.input_zp = random.within(-128, 127);
  if (is_narrow_out) scale.output_zp = random.within(-128, 127);
  return scale;
}

/// An input or a constant that broadcasts to `shape`.
inline ir::TensorId random_operand(GraphBuilder& b, Random& random, const std::string& name, ElementType type, Shape shape,
                                   int64_t least, int64_t most, bool may_be_constant) {
  for (int64_t& extent : shape) {
    if (random.chance(25)) extent = 1;
  }
  if (may_be_constant && random.chance(40)) return random_constant(b, random, type, shape, least, most);
  if (least == base::min_value(type)) return b.input(name, type, shape);
  // Inputs are over their whole type: bring them into range.
  const auto x = b.input(name, type, shape);
  const auto mask = b.constant(type, Shape(shape.size(), 1), {most});
  return b.binary(ir::OpKind::BitwiseAnd, x, mask);
}

/// Runs on all machines, whole and in stripes, and with nothing optimized; the program is the one for v256.
inline passes::Program run_on_all(const ir::Graph& graph, const std::vector<base::Tensor>& inputs) {
  passes::Program program;
  for (const std::string machine : {"v64", "v1024", "v256"}) {
    for (const uint64_t cut_seed : {uint64_t{5}, uint64_t{0}}) {
      auto result = lower_and_run(graph, inputs, machine, {1, cut_seed});
      INFO(machine << ", cut " << cut_seed);
      CHECK(result.differences == std::vector<std::string>{});
      program = std::move(result.program);
    }
  }
  CHECK(lower_and_run(graph, inputs, "v256", {0, 0}).differences == std::vector<std::string>{});
  return program;
}
inline passes::Program run_on_all(const ir::Graph& graph) { return run_on_all(graph, random_inputs(graph, 7)); }

using Maker = ir::TensorId (*)(GraphBuilder&, Random&);
struct Family {
  std::string name;
  Maker make;
};

inline void run_family(const Family& family) {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    INFO("family " << family.name << ", seed " << seed);
    Random random(seed);
    GraphBuilder b;
    const auto result = family.make(b, random);
    const ir::Graph graph = b.build({result});
    INFO(ir::print(graph).substr(0, 2000));
    const auto inputs = random_inputs(graph, seed);
    const std::vector<std::string> machines{"v64", "v256", "v1024"};
    const std::string& machine = machines[seed % 3];
    for (const int64_t optimize : {0, 1}) {
      for (const uint64_t cut_seed : {uint64_t{0}, seed}) {
        const auto run = lower_and_run(graph, inputs, machine, {optimize, cut_seed});
        REQUIRE(run.differences == std::vector<std::string>{});
        REQUIRE(run.elements_compared > 0);
      }
    }
  }
}

}  // namespace vernier::tests
