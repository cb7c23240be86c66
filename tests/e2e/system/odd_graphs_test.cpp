// SPDX-License-Identifier: Apache-2.0
// Graphs as they come: edges that are inputs, outputs and constants in any combination, names of any kind, indices, hundreds
// of operators. In every memory mode, with and without fusion, the outputs equal the reference.
#include "compiler/reference/interpreter.hpp"
#include "tests/e2e/system/machine.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

namespace vernier::tests {
namespace {

using ir::OpKind;

void check_everywhere(const ir::Graph& graph, const std::string& preset = "v256", int64_t sram_bytes = 0) {
  const std::vector<base::Tensor> inputs = random_inputs(graph, 5);
  const std::vector<base::Tensor> expected = reference::run(graph, inputs).outputs;
  for (const auto memory : {spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External}) {
    for (const int64_t optimize : {0, 1}) {
      config::MachineConfig config = machine(preset, memory);
      if (sram_bytes > 0 && memory == spec::MemoryMode::External) config.sram_bytes = sram_bytes;
      const package::Package package = compile(graph, config, optimize);
      soc::Npu npu(config);
      const soc::JobResult job = npu.run(package, inputs);
      INFO(spec::kMemoryModeNames[static_cast<size_t>(memory)] << ", optimize " << optimize << ": " << status_text(job));
      REQUIRE(job.is_done());
      REQUIRE(job.outputs == expected);
    }
  }
}

TEST_CASE("an output may be anything, as often as it likes") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {1, 5, 7, 3});
  const auto y = b.input("y", ElementType::Int32, {1, 5, 7, 3});
  b.input("unused", ElementType::Int8, {4});
  const auto fixed = b.constant(random_tensor(ElementType::Int32, {1, 5, 7, 3}, 8));
  const auto sum = b.binary(OpKind::Add, x, y);
  const auto consumed = b.unary(OpKind::Clz, sum);
  const auto folded = b.unary(OpKind::Abs, fixed);
  b.unary(OpKind::Abs, sum);  // nobody reads it
  const auto last = b.binary(OpKind::BitwiseXor, consumed, folded);
  const auto alias = b.reshape(last, {105});
  check_everywhere(b.build({last, consumed, x, fixed, folded, consumed, alias, y}));
}

TEST_CASE("a graph may have no operator") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int16, {3, 3});
  check_everywhere(b.build({x}));
  const auto fixed = b.constant(random_tensor(ElementType::Int16, {2, 9}, 1));
  check_everywhere(b.build({fixed}));
  check_everywhere(b.build({fixed, x, fixed}));
}

TEST_CASE("a graph whose operators all fold needs no command but copies") {
  GraphBuilder b;
  const auto x = b.input("x", ElementType::Int32, {4});
  const auto folded = b.unary(OpKind::Clz, b.constant(random_tensor(ElementType::Int32, {4}, 1)));
  check_everywhere(b.build({x, folded}));
  check_everywhere(b.build({x}));
}

TEST_CASE("names are bytes of no meaning") {
  GraphBuilder b;
  auto sum = b.input("x", ElementType::Int32, {2, 8});
  b.graph().tensors.front().name.clear();
  for (const std::string& name :
       {std::string("/"), std::string("../../etc"), std::string("a b\n\"c\"\\"), std::string("\xc3\xa4\xe4\xb8\xad"),
        std::string(1000, 'n'), std::string("-x"), std::string("%s{}")}) {
    sum = b.binary(OpKind::Add, sum, b.input(name, ElementType::Int32, {2, 8}));
  }
  check_everywhere(b.build({sum}));
}

TEST_CASE("five hundred operators") {
  GraphBuilder b;
  const auto first = b.input("x", ElementType::Int32, {1, 6, 6, 16});
  auto x = first, previous = first;
  for (int64_t i = 0; i < 500; ++i) {
    const auto kind = std::vector{OpKind::Add, OpKind::BitwiseXor, OpKind::Maximum, OpKind::Sub}[static_cast<size_t>(i % 4)];
    const auto next =
        i % 10 == 9 ? b.reduce(OpKind::ReduceMax, x, i / 10 % 4) : b.binary(kind, x, i % 3 == 0 ? first : previous);
    previous = x;
    x = i % 10 == 9 ? b.binary(OpKind::Sub, x, next) : next;
  }
  check_everywhere(b.build({x, previous}));
}

TEST_CASE("rows by indices come from where their table lies") {
  GraphBuilder b;
  const auto table = b.constant(random_tensor(ElementType::Int8, {1, 2000, 64}, 3));
  const auto raw = b.input("indices", ElementType::Int32, {1, 40});
  const auto indices = b.binary(OpKind::BitwiseAnd, raw, b.constant(ElementType::Int32, {1, 1}, {1023}));
  const auto rows = b.op(OpKind::Gather, {table, indices}, ElementType::Int8, {1, 40, 64});
  const auto values = b.input("values", ElementType::Int8, {1, 1024, 64});
  const auto result = b.op(OpKind::Scatter, {values, indices, rows}, ElementType::Int8, {1, 1024, 64});
  const ir::Graph graph = b.build({result, rows});
  check_everywhere(graph);
  check_everywhere(graph, "v64", 40 * spec::kKibi);  // less than the table, and than the result
}

}  // namespace
}  // namespace vernier::tests
