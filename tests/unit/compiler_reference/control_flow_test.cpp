// SPDX-License-Identifier: Apache-2.0
// COND_IF and WHILE_LOOP on the reference, with values worked by hand.
#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "tests/support/control_flow_graphs.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

namespace vernier {

using base::ElementType;
using tests::make_tensor;
using tests::parsed;

namespace {

base::Tensor truth(bool value, const base::Shape& shape = {1}) {
  return make_tensor(ElementType::Bool, shape, {value ? 1 : 0});
}
base::Tensor number(int64_t value) { return make_tensor(ElementType::Int32, {1}, {value}); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("COND_IF runs one of two regions") {
  const ir::Graph graph = parsed(tests::kBranchText);
  const base::Tensor x = make_tensor(ElementType::Int32, {2}, {5, -7});
  CHECK(reference::run(graph, {truth(true), x}).outputs[0] == make_tensor(ElementType::Int32, {2}, {8, -4}));
  CHECK(reference::run(graph, {truth(false), x}).outputs[0] == make_tensor(ElementType::Int32, {2}, {5, 17}));
}

TEST_CASE("WHILE_LOOP hands its values on, none to the next before all are there") {
  const ir::Graph graph = parsed(tests::kLoopText);
  const int64_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  for (int64_t n = 0; n < 10; ++n) {
    const std::vector<base::Tensor> outputs = reference::run(graph, {number(n), number(0), number(1)}).outputs;
    CHECK(outputs[0] == number(fibonacci[n]));
    CHECK(outputs[1] == number(fibonacci[n + 1]));
    CHECK(outputs[2] == number(0));
  }
  CHECK(reference::run(graph, {number(-3), number(4), number(9)}).outputs[2] == number(-3));
}

TEST_CASE("control flow stands 6 deep in each other at level 8K, and no deeper") {
  const base::Tensor x = make_tensor(ElementType::Int32, {3}, {1, 2, 3}),
                     more = make_tensor(ElementType::Int32, {3}, {2, 3, 4});
  for (const int64_t depth : {1, 2, 6}) {
    const ir::Graph graph = tests::nested_branches(depth);
    CHECK(reference::run(graph, {truth(true, {}), x}).outputs[0] == more);
    CHECK(reference::run(graph, {truth(false, {}), x}).outputs[0] == x);
  }
  const ir::Graph seven = tests::nested_branches(7);
  CHECK_THROWS_WITH(reference::run(seven, {truth(true, {}), x}), Catch::EndsWith("allowed are 6 [MaxNestingExceeded]"));
  // The branch that is too deep does not run.
  CHECK(reference::run(seven, {truth(false, {}), x}).outputs[0] == x);
}

TEST_CASE("a region that runs itself is too deep when it runs") {
  std::string text = replaced(tests::kBranchText, "SUB(ten, a) -> (difference)",
                              "COND_IF(yes, a) -> (difference) {then_graph = less, else_graph = less}");
  text = replaced(text, "tensor ten int32[1] = 0x0a000000", "tensor yes bool[1] = 0x01");
  const ir::Graph graph = parsed(text);
  const base::Tensor x = make_tensor(ElementType::Int32, {2}, {5, -7});
  CHECK(reference::run(graph, {truth(true), x}).outputs[0].at(0) == 8);
  CHECK_THROWS_WITH(reference::run(graph, {truth(false), x}), Catch::EndsWith("[MaxNestingExceeded]"));
}

TEST_CASE("a mistake in a region is an error where the region runs alone") {
  const ir::Graph graph =
      parsed(replaced(tests::kBranchText, "tensor three int32[1] = 0x03000000", "tensor three int8[1] = 0x03"));
  const base::Tensor x = make_tensor(ElementType::Int32, {2}, {5, -7});
  CHECK(reference::run(graph, {truth(false), x}).outputs[0].at(0) == 5);
  CHECK_THROWS_WITH(reference::run(graph, {truth(true), x}), Catch::Contains("ADD 'sum': the types are"));
}

TEST_CASE("a loop that goes on and on ends with its limit") {
  // The counter counts up.
  const ir::Graph graph = parsed(replaced(tests::kLoopText, "SUB(i, one)", "MAXIMUM(i, one)"));
  CHECK_THROWS_AS(reference::run(graph, {number(1), number(0), number(0)}), reference::EndlessLoop);
  CHECK_THROWS_WITH(reference::run(graph, {number(1), number(0), number(0)}), Catch::Contains("1000000 operators"));
  CHECK(reference::run(graph, {number(0), number(3), number(0)}).outputs[0] == number(3));
}

TEST_CASE("what is unpredictable in a region is told") {
  const ir::Graph graph = parsed(tests::kLoopText);
  const reference::Result result = reference::run(graph, {number(2), number(0x7fffffff), number(0x7fffffff)});
  REQUIRE(!result.unpredictable.empty());
  CHECK_THAT(result.unpredictable.front(), Catch::Contains("ADD"));
}

}  // namespace vernier
