// SPDX-License-Identifier: Apache-2.0
// Networks with control flow through the commands of the program.
#include "compiler/export/export.hpp"
#include "compiler/import/import.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "sim/flow/files/compile.hpp"
#include "sim/flow/run/run.hpp"
#include "tests/support/control_flow_graphs.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/support/random.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;

/// The text with each `from` replaced by its `to`.
std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [from, to] : pairs) text.replace(text.find(from), from.size(), to);
  return text;
}

class Network {
 public:
  explicit Network(const std::string& text) { base::write_file(file(), exporter::to_tosa(tests::parsed(text), "net.tosa")); }
  [[nodiscard]] std::string file() const { return (scratch_ / "net.tosa").string(); }
  [[nodiscard]] std::string package_file() const { return (scratch_ / "net.vnpu").string(); }
  [[nodiscard]] RunRequest request(const std::string& backend = "sim") const {
    RunRequest request;
    request.model = file();
    request.machine.config = "v64";
    request.backend = backend;
    return request;
  }

 private:
  tests::TemporaryDirectory scratch_;
};

/// The counter of the loop as an input that a random number could make endless: here a constant.
std::string fibonacci(int64_t n) {
  return replaced(tests::kLoopText, {{"tensor n int32[1]", fmt::format("tensor n int32[1] = 0x{:02x}000000", n)},
                                     {"tensor p int32[1]", "tensor p int32[1] = 0x00000000"},
                                     {"tensor q int32[1]", "tensor q int32[1] = 0x01000000"},
                                     {"input n\ninput p\ninput q\n", ""}});
}

base::Tensor number(int64_t value) { return tests::make_tensor(base::ElementType::Int32, {1}, {value}); }

bool has_note(const report::Report& report, const std::string& text) {
  return std::ranges::any_of(report.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST_CASE("A loop runs on the control CPU as often as its condition says, with the values of the reference") {
  for (const int64_t n : {0, 1, 7}) {
    const Network network(fibonacci(n));
    const RunResult on_reference = run(network.request("reference"));
    const RunResult on_machine = run(network.request());
    const int64_t expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
    CHECK(on_reference.outputs == std::vector{number(expected[n]), number(expected[n + 1]), number(0)});
    CHECK(on_machine.outputs == on_reference.outputs);
    CHECK(on_machine.verdict() == Verdict::Good);
    CHECK(on_machine.report.check.result == "match");
    // First values, then a condition, and for each round the body, its two copies and a condition.
    CHECK(std::ssize(on_machine.report.streams) == 2 + 4 * n);
    CHECK(has_note(on_machine.report, "memory mode 'external' is taken"));
    CHECK(on_machine.report.config.memory_mode == spec::MemoryMode::External);
  }
}

TEST_CASE("MACs count as often as they ran") {
  // A matrix by itself, again and again.
  const auto text = [](int64_t n) {
    return fmt::format(R"(vernier-ir 1
tensor n int32[1] = 0x{:02x}000000
tensor x int8[1, 4, 4]
tensor left int32[1]
tensor y int8[1, 4, 4]
input x
output y
WHILE_LOOP(n, x) -> (left, y) {{cond_graph = goes_on, body_graph = square}}
region goes_on
tensor i int32[1]
tensor a int8[1, 4, 4]
tensor zero int32[1] = 0x00000000
tensor is_left bool[1]
input i
input a
output is_left
GREATER(i, zero) -> (is_left)
region square
tensor i int32[1]
tensor a int8[1, 4, 4]
tensor one int32[1] = 0x01000000
tensor zp int8[1] = 0x00
tensor next int32[1]
tensor product int32[1, 4, 4]
tensor low int8[1, 4, 4]
input i
input a
output next
output low
SUB(i, one) -> (next)
MATMUL(a, a, zp, zp) -> (product)
CAST(product) -> (low)
)",
                       n);
  };
  for (const int64_t n : {1, 5}) {
    const Network network(text(n));
    const RunResult result = run(network.request());
    CHECK(result.verdict() == Verdict::Good);
    CHECK(result.report.macs() == n * 4 * 4 * 4);
    CHECK(run(network.request("reference")).outputs == result.outputs);
  }
}

TEST_CASE("A package of a network with control flow runs as the network does, and says what it holds") {
  const Network network(fibonacci(4));
  CompileRequest request;
  request.model = network.file();
  request.machine.config = "v64";
  request.output = network.package_file();
  const CompileResult compiled = compile(request, {});
  CHECK(compiled.package->flow.steps.size() == 8);
  RunRequest of_package = network.request();
  of_package.model = network.package_file();
  const RunResult result = run(of_package);
  CHECK(result.verdict() == Verdict::Good);
  CHECK(result.report.cycles == run(network.request()).report.cycles);
}

TEST_CASE("What control flow does not go with is refused by one line") {
  const Network network(fibonacci(2));
  RunRequest request = network.request();
  request.machine.memory = "sram";
  CHECK_THROWS_WITH(run(request), Contains("needs memory mode 'external', found 'sram'"));
  request = network.request();
  request.control = "direct";
  CHECK_THROWS_WITH(run(request), Contains("'direct' cannot run"));
  CHECK_THROWS_WITH(estimate(network.request()), Contains("it needs run"));
}

TEST_CASE("A mistake in a region is an error on both back ends where the region runs, and nowhere else") {
  const tests::TemporaryDirectory scratch;
  const Network network(
      replaced(tests::kBranchText, {{"tensor three int32[1] = 0x03000000", "tensor three int8[1] = 0x03"}}));
  for (const bool go : {false, true}) {
    const auto input = [&](const std::string& name, const base::Tensor& value) {
      const std::string file = (scratch / fmt::format("{}{}.npy", name, go)).string();
      base::write_text_file(file, base::to_npy(base::to_array(value)));
      return fmt::format("{}={}", name, file);
    };
    const std::vector<std::string> inputs{input("go", tests::make_tensor(base::ElementType::Bool, {1}, {go ? 1 : 0})),
                                          input("x", tests::make_tensor(base::ElementType::Int32, {2}, {5, -7}))};
    for (const std::string backend : {"reference", "sim"}) {
      RunRequest request = network.request(backend);
      request.inputs = inputs;
      if (go) {
        CHECK_THROWS_WITH(run(request), Contains("ADD 'sum': the types are"));
      } else {
        const RunResult result = run(request);
        CHECK(result.verdict() == Verdict::Good);
        CHECK(result.outputs == std::vector{tests::make_tensor(base::ElementType::Int32, {2}, {5, 17})});
      }
    }
  }
  CompileRequest request;
  request.model = network.file();
  CHECK_THROWS_WITH(compile(request, {}), Contains("ADD 'sum': the types are"));
}

TEST_CASE("A loop that goes on and on comes to an end on both back ends") {
  const Network network(replaced(fibonacci(1), {{"SUB(i, one)", "MAXIMUM(i, one)"}, {"ADD(a, b)", "MINIMUM(a, b)"}}));
  const RunResult on_reference = run(network.request("reference"));
  CHECK(on_reference.verdict() == Verdict::Fault);
  REQUIRE(on_reference.failure);
  CHECK_THAT(messages(*on_reference.failure).at(0), Contains("a loop goes on after 1000000 operators in regions"));
}

TEST_CASE("2,000 files with control flow and bytes changed run, or are refused, or come to an end") {
  std::map<std::string, int> ends;
  tests::Random random(34);
  const std::vector<std::string> texts{tests::kBranchText, tests::kLoopText, fibonacci(3)};
  std::vector<std::vector<std::byte>> files;
  for (const std::string& text : texts) files.push_back(exporter::to_tosa(tests::parsed(text), "net.tosa"));
  files.push_back(exporter::to_tosa(tests::nested_branches(6), "net.tosa"));
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> bytes = random.pick(files);
    for (int64_t changes = random.within(1, 2); changes > 0; --changes)
      bytes[static_cast<size_t>(random.within(0, std::ssize(bytes) - 1))] = static_cast<std::byte>(random.within(0, 255));
    try {
      const ir::Graph graph = import::import_graph("net.tosa", bytes, ir::kLevel8k);
      const auto is_large = [](const ir::TensorInfo& info) { return base::num_elements(info.shape) > 100'000; };
      const auto has_large = [&](const ir::Graph& one) { return std::ranges::any_of(one.tensors, is_large); };
      const auto in_region = [&](const ir::Region& region) { return has_large(region.graph); };
      if (has_large(graph) || std::ranges::any_of(graph.regions, in_region)) continue;
      std::vector<base::Tensor> inputs;
      for (const ir::TensorId id : graph.inputs) inputs.emplace_back(graph.tensor(id).type, graph.tensor(id).shape);
      reference::run(graph, inputs);
      ++ends["runs"];
    } catch (const base::UserError&) {
      ++ends["is refused"];
    } catch (const reference::EndlessLoop&) {
      ++ends["has no end"];
    }
  }
  CHECK(ends["runs"] > 100);
  CHECK(ends["is refused"] > 300);
}

TEST_CASE("A loop that goes on and on ends on the machine at the limit of commands", "[slow]") {
  const Network network(replaced(fibonacci(1), {{"SUB(i, one)", "MAXIMUM(i, one)"}, {"ADD(a, b)", "MINIMUM(a, b)"}}));
  const RunResult result = run(network.request());
  CHECK(result.verdict() == Verdict::Fault);
  REQUIRE(result.failure);
  CHECK_THAT(messages(*result.failure).at(0), Contains("its limit is"));
}

}  // namespace
}  // namespace vernier::flow
