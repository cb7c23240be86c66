// SPDX-License-Identifier: Apache-2.0
// Variables on the reference, with values worked by hand.
#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/support/variable_graphs.hpp"

#include <catch2/catch.hpp>

namespace vernier {
namespace {

using base::ElementType;
using tests::make_tensor;
using tests::parsed;

base::Tensor numbers(const std::vector<int64_t>& values) {
  return make_tensor(ElementType::Int32, {static_cast<int64_t>(values.size())}, values);
}

}  // namespace

TEST_CASE("A read before a write has the value of the run before, one after it the new value") {
  const ir::Graph graph = parsed(tests::kTotalText);
  reference::Variables variables = reference::initial_variables(graph);
  CHECK(variables == reference::Variables{numbers({5, 7})});
  const std::vector<base::Tensor> inputs{numbers({1, 10})};
  CHECK(reference::run(graph, inputs, {}, &variables).outputs == std::vector{numbers({5, 7}), numbers({6, 17})});
  CHECK(reference::run(graph, inputs, {}, &variables).outputs == std::vector{numbers({6, 17}), numbers({7, 27})});
  CHECK(variables == reference::Variables{numbers({7, 27})});
  // Without them each run begins anew.
  CHECK(reference::run(graph, inputs).outputs[0] == numbers({5, 7}));
  CHECK(reference::run(graph, inputs).outputs[0] == numbers({5, 7}));
}

TEST_CASE("Two variables change places over 20 runs") {
  const ir::Graph graph = parsed(tests::kSwapText);
  reference::Variables variables = reference::initial_variables(graph);
  const int64_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181};
  for (const int64_t expected : fibonacci)
    CHECK(reference::run(graph, {numbers({0})}, {}, &variables).outputs == std::vector{numbers({expected})});
  CHECK(variables == reference::Variables{numbers({6765}), numbers({10946})});
}

TEST_CASE("A variable that is written twice in a run keeps the last value") {
  const ir::Graph graph = parsed(tests::kTwiceText);
  reference::Variables variables = reference::initial_variables(graph);
  CHECK(reference::run(graph, {numbers({21})}, {}, &variables).outputs == std::vector{numbers({21}), numbers({42})});
  CHECK(variables == reference::Variables{numbers({42})});
}

TEST_CASE("Regions read and write the variables of the main graph") {
  const ir::Graph branch = parsed(tests::kBranchWithVariableText);
  reference::Variables variables = reference::initial_variables(branch);
  const auto go = [](bool value) { return make_tensor(ElementType::Bool, {1}, {value ? 1 : 0}); };
  const auto outputs = [&](bool value, int64_t x) {
    return reference::run(branch, {go(value), numbers({x})}, {}, &variables).outputs;
  };
  CHECK(outputs(false, 4) == std::vector{numbers({0}), numbers({0})});
  CHECK(outputs(true, 4) == std::vector{numbers({4}), numbers({4})});
  CHECK(outputs(true, 5) == std::vector{numbers({5}), numbers({9})});
  CHECK(outputs(false, 6) == std::vector{numbers({9}), numbers({9})});
  CHECK(variables == reference::Variables{numbers({9}), numbers({10})});
  const ir::Graph loop = parsed(tests::kLoopWithVariableText);
  variables = reference::initial_variables(loop);
  CHECK(reference::run(loop, {numbers({0})}, {}, &variables).outputs == std::vector{numbers({3}), numbers({6})});
  CHECK(reference::run(loop, {numbers({2})}, {}, &variables).outputs == std::vector{numbers({3}), numbers({9})});
  CHECK(reference::run(loop, {numbers({8})}, {}, &variables).outputs == std::vector{numbers({8}), numbers({9})});
}

TEST_CASE("A shift register keeps the last inputs") {
  const ir::Graph graph = parsed(tests::kShiftText);
  reference::Variables variables = reference::initial_variables(graph);
  for (const int64_t x : {-1, 2, -3, 4, 5}) {
    const base::Tensor input = make_tensor(ElementType::Int8, {1, 1}, {x});
    reference::run(graph, {input}, {}, &variables);
  }
  CHECK(variables == reference::Variables{make_tensor(ElementType::Int8, {1, 4}, {2, -3, 4, 5})});
}

TEST_CASE("The reference takes no other number of values than there are variables") {
  const ir::Graph graph = parsed(tests::kTotalText);
  reference::Variables variables;
  CHECK_THROWS_AS(reference::run(graph, {numbers({1, 2})}, {}, &variables), base::InternalError);
}

}  // namespace vernier
