// SPDX-License-Identifier: Apache-2.0
// Networks with variables through the commands of the program: values worked by hand on both back ends, and what is refused.
#include "compiler/export/export.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "hw/package/disassembler.hpp"
#include "sim/flow/files/compile.hpp"
#include "sim/flow/look/inspect.hpp"
#include "sim/flow/run/interleave.hpp"
#include "sim/flow/run/run.hpp"
#include "sim/soc/device.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/variable_graphs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

namespace vernier::flow {
namespace {

using base::ElementType;
using Catch::Matchers::Contains;
using tests::make_tensor;

base::Tensor int32s(const std::vector<int64_t>& values) {
  return make_tensor(ElementType::Int32, {static_cast<int64_t>(values.size())}, values);
}

class StateNetwork {
 public:
  explicit StateNetwork(const std::string& text) {
    base::write_file(file(), exporter::to_tosa(tests::parsed(text), "net.tosa"));
  }
  [[nodiscard]] std::string file(const std::string& name = "net.tosa") const { return (scratch_ / name).string(); }
  [[nodiscard]] std::string write_array(const std::string& name, const base::Tensor& values) const {
    base::write_npy(file(name), values);
    return file(name);
  }
  [[nodiscard]] RunRequest request(const std::string& backend, int64_t iterations) const {
    RunRequest request;
    request.model = file();
    request.machine.config = "v64";
    request.backend = backend;
    request.iterations = iterations;
    request.finds_least_bandwidth = false;
    return request;
  }
  /// Compiled, and in the file net.vnpu.
  [[nodiscard]] package::Package package() const {
    CompileRequest request;
    request.model = file();
    request.machine.config = "v64";
    request.output = file("net.vnpu");
    compile(request);
    return package::from_bytes("net.vnpu", base::read_file(file("net.vnpu")));
  }
  /// With those inputs in each iteration, by name; the same on both back ends, in two ways to compile.
  [[nodiscard]] RunResult result(int64_t iterations, const std::map<std::string, base::Tensor>& inputs) const {
    RunRequest on_reference = request("reference", iterations);
    for (const auto& [name, value] : inputs) on_reference.inputs.push_back(name + "=" + write_array(name + ".npy", value));
    RunResult expected = run(on_reference);
    for (const int64_t optimize : {0, 1}) {
      RunRequest on_machine = request("sim", iterations);
      on_machine.inputs = on_reference.inputs;
      on_machine.machine.optimize = optimize;
      on_machine.check_all = true;
      const RunResult found = run(on_machine);
      CHECK(found.verdict() == Verdict::Good);
      CHECK(found.report.check.result == "match");
      CHECK(found.report.check.iterations_compared == iterations);
      CHECK(found.outputs == expected.outputs);
      CHECK(found.variables == expected.variables);
    }
    return expected;
  }

 private:
  tests::TemporaryDirectory scratch_;
};

/// The message of what is thrown.
template <typename Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

bool has_variable_note(const report::Report& report, const std::string& text) {
  return std::ranges::any_of(report.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST_CASE("A variable hands its value from one iteration to the next, on both back ends") {
  const StateNetwork network(tests::kTotalText);
  for (const int64_t n : {1, 2, 3}) {
    const RunResult result = network.result(n, {{"x", int32s({1, 10})}});
    CHECK(result.outputs == std::vector{int32s({5 + n - 1, 7 + 10 * (n - 1)}), int32s({5 + n, 7 + 10 * n})});
    CHECK(result.variables == std::vector{int32s({5 + n, 7 + 10 * n})});
  }
}

TEST_CASE("Two variables change places over 20 iterations") {
  const RunResult result = StateNetwork(tests::kSwapText).result(20, {{"zero", int32s({0})}});
  CHECK(result.outputs == std::vector{int32s({4181})});
  CHECK(result.variables == std::vector{int32s({6765}), int32s({10946})});
}

TEST_CASE("Of two writes of an iteration the last one stays") {
  const RunResult result = StateNetwork(tests::kTwiceText).result(2, {{"x", int32s({21})}});
  CHECK(result.outputs == std::vector{int32s({21}), int32s({42})});
  CHECK(result.variables == std::vector{int32s({42})});
}

TEST_CASE("A shift register of int8 holds the last inputs") {
  const base::Tensor x = make_tensor(ElementType::Int8, {1, 1}, {-9});
  CHECK(StateNetwork(tests::kShiftText).result(3, {{"x", x}}).outputs ==
        std::vector{make_tensor(ElementType::Int8, {1, 4}, {0, -9, -9, -9})});
}

TEST_CASE("Regions read and write variables, on the control CPU too") {
  const StateNetwork branch(tests::kBranchWithVariableText);
  const auto go = [](bool value) { return make_tensor(ElementType::Bool, {1}, {value ? 1 : 0}); };
  const RunResult added = branch.result(3, {{"go", go(true)}, {"x", int32s({4})}});
  CHECK(added.outputs == std::vector{int32s({4}), int32s({12})});
  CHECK(added.variables == std::vector{int32s({12}), int32s({10})});
  CHECK(branch.result(3, {{"go", go(false)}, {"x", int32s({4})}}).outputs == std::vector{int32s({0}), int32s({0})});
  const StateNetwork loop(tests::kLoopWithVariableText);
  const RunResult looped = loop.result(2, {{"i", int32s({1})}});
  CHECK(looped.outputs == std::vector{int32s({3}), int32s({10})});
  CHECK(looped.variables == std::vector{int32s({10}), int32s({3})});
}

TEST_CASE("The condition of a loop writes a variable, also the last time that it is asked") {
  std::string text = tests::kLoopWithVariableText;
  const std::string read = "VARIABLE_READ() -> (most) {variable = limit}\n";
  text.replace(text.find(read), read.size(), read + "VARIABLE_WRITE(most) -> (again) {variable = limit}\n");
  text.replace(text.find("tensor is_less"), 0, "tensor again int32[1]\n");
  const RunResult same = StateNetwork(text).result(1, {{"i", int32s({0})}});
  CHECK(same.variables == std::vector{int32s({6}), int32s({3})});
  const StateNetwork counting(tests::kCountingConditionText);
  for (const int64_t n : {1, 2, 3}) {
    // Each run asks three times: the body, which runs twice, has seen 1 and 2, 4 and 5, and so on.
    const RunResult result = counting.result(n, {{"i", int32s({0})}});
    CHECK(result.outputs == std::vector{int32s({2}), int32s({3 * n * n})});
    CHECK(result.variables == std::vector{int32s({3 * n}), int32s({3 * n * n})});
  }
}

TEST_CASE("A package keeps its variables, and says what they are") {
  const StateNetwork network(tests::kTotalText);
  const package::Package package = network.package();
  RunRequest request = network.request("sim", 3);
  request.machine.config.reset();
  request.model = network.file("net.vnpu");
  request.inputs = {network.write_array("x.npy", int32s({1, 10}))};
  const RunResult result = run(request);
  CHECK(result.report.check.result == "match");
  CHECK(result.report.check.tensors_compared == 3);  // two outputs, and what the variable holds in the end
  CHECK(result.report.check.elements_compared == 6);
  CHECK(result.variables == std::vector{int32s({8, 37})});
  request.backend = "reference";
  CHECK(run(request).variables == std::vector{int32s({8, 37})});
  REQUIRE(package.variables.size() == 1);
  CHECK(package.inputs.size() == 1);
  CHECK(package.outputs.size() == 2);
  CHECK(package.variables[0].is_initialised);
  CHECK(package.variables[0].value == int32s({5, 7}));
  CHECK(package.tensors[package.variables[0].before_idx].name == "total");
  CHECK(package.tensors[package.variables[0].after_idx].name == "total/written");
  CHECK_THAT(package::disassemble(package), Contains("# variable total int32[2]: 8 bytes, starts with values, read at "));
  InspectRequest inspection;
  inspection.model = network.file("net.vnpu");
  const std::string text = to_text(inspect(inspection), {});
  CHECK_THAT(text, Contains("variable total int32 [2]") && Contains("first value: the network"));
}

TEST_CASE("A device hands variables from job to job, each with inputs of its own") {
  const StateNetwork network(tests::kTotalText);
  const package::Package package = network.package();
  for (const soc::Control control : {soc::Control::Direct, soc::Control::Cpu}) {
    soc::Device device(package.config, {.control = control});
    const int32_t one = device.load(package), other = device.load(package);
    std::vector<int32_t> jobs;
    for (const int64_t x : {1, 2, 3}) {
      jobs.push_back(device.submit({.network = one, .inputs = {int32s({x, 10 * x})}}));
      jobs.push_back(device.submit({.network = other, .inputs = {int32s({-x, 0})}}));
    }
    device.run_until_idle();
    std::vector<base::Tensor> after;
    for (const int32_t job : jobs) after.push_back(device.take(job).result->outputs.at(1));
    CHECK(after ==
          std::vector{int32s({6, 17}), int32s({4, 7}), int32s({8, 37}), int32s({2, 7}), int32s({11, 67}), int32s({-1, 7})});
  }
}

TEST_CASE("A file gives the first value") {
  const StateNetwork network(tests::kSwapText);
  RunRequest request = network.request("sim", 2);
  request.inputs = {network.write_array("zero.npy", int32s({0}))};
  request.variables = {"a=" + network.write_array("a.npy", int32s({100})),
                       "b=" + network.write_array("b.npy", int32s({11}))};
  const RunResult result = run(request);
  CHECK(result.report.check.result == "match");
  CHECK(result.outputs == std::vector{int32s({11})});
  CHECK(result.variables == std::vector{int32s({111}), int32s({122})});
  REQUIRE(result.report.variables.size() == 2);
  CHECK(result.report.variables[0].name == "a");
  CHECK(result.report.variables[0].dtype == "int32");
  CHECK(result.report.variables[0].num_bytes == 4);
  CHECK(result.report.variables[0].source == network.file("a.npy"));
  CHECK_FALSE(has_variable_note(result.report, "with zeros"));
  CHECK(has_variable_note(result.report, "EXT-VARIABLE has variables of int8 alone"));
  request.variables.clear();
  const RunResult anew = run(request);
  CHECK(has_variable_note(anew.report, "variable 'a' begins with zeros"));
  CHECK(anew.report.variables[1].source == "the network");
  const std::string json = report::to_json(anew.report);
  CHECK_THAT(json, Contains("\"variables\"") && Contains("\"first_value\": \"zeros\""));
  CHECK_THAT(report::to_text(anew.report, {}), Contains("variable a int32 [1]"));
}

TEST_CASE("An array in memory gives the first value, as a file does") {
  const StateNetwork network(tests::kSwapText);
  for (const char* backend : {"reference", "sim"}) {
    RunRequest request = network.request(backend, 2);
    request.inputs = {network.write_array("zero.npy", int32s({0}))};
    request.variables = {"b=" + network.write_array("b.npy", int32s({11}))};
    request.variable_arrays = {{"a", base::to_array(int32s({100}))}};
    const RunResult result = run(request);
    CHECK(result.outputs == std::vector{int32s({11})});
    CHECK(result.variables == std::vector{int32s({111}), int32s({122})});
    CHECK(result.report.variables[0].source == "an array");
    request.variable_arrays = {{"b", base::to_array(int32s({1}))}};
    CHECK(refusal_of([&] { run(request); }) == "--variable: 'b' is given twice");
    request.variable_arrays = {{"aa", base::to_array(int32s({1}))}};
    CHECK_THAT(refusal_of([&] { run(request); }), Contains("no variable is named 'aa'") && Contains("'a'?"));
    request.variable_arrays = {{"a", base::to_array(int32s({1, 2}))}};
    CHECK_THAT(refusal_of([&] { run(request); }), Contains("a: holds int32 [2], expected int32 [1]"));
  }
}

TEST_CASE("What is wrong with --variable and --carry is one line") {
  const StateNetwork network(tests::kSwapText);
  const auto complaint = [&](const std::vector<std::string>& variables, const std::vector<std::string>& carries = {}) {
    std::string first;
    for (const char* backend : {"reference", "sim"}) {
      RunRequest request = network.request(backend, 2);
      request.inputs = {network.write_array("zero.npy", int32s({0}))};
      request.variables = variables;
      request.carries = carries;
      const std::string message = refusal_of([&] { run(request); });
      if (!first.empty()) CHECK(message == first);
      first = message;
    }
    return first;
  };
  const std::string good = network.write_array("good.npy", int32s({1}));
  CHECK(complaint({"a"}) == "--variable: 'a' is not NAME=FILE.npy, the variables are 'a', 'b'");
  CHECK(complaint({"a="}) == "--variable: 'a=' is not NAME=FILE.npy, the variables are 'a', 'b'");
  CHECK_THAT(complaint({"aa=" + good}), Contains("--variable: no variable is named 'aa', the variables are 'a', 'b'"));
  CHECK_THAT(complaint({"aa=" + good}), Contains("'a'?"));
  CHECK(complaint({"a=" + good, "a=" + good}) == "--variable: 'a' is given twice");
  const std::string wrong_type = network.write_array("t.npy", make_tensor(ElementType::Int8, {1}, {1}));
  CHECK_THAT(complaint({"a=" + wrong_type}), Contains("t.npy") && Contains("int8") && Contains("int32"));
  CHECK_THAT(complaint({"a=" + network.write_array("s.npy", int32s({1, 2}))}), Contains("[2]") && Contains("[1]"));
  CHECK_THAT(complaint({"a=" + network.file("nobody.npy")}), Contains("nobody.npy"));
  CHECK(complaint({}, {"y=a"}) == "--carry: 'a' is a variable, which leaves its value to the next iteration by itself");
  const StateNetwork without("vernier-ir 1\ntensor x int32[1]\ntensor y int32[1]\ninput x\noutput y\nABS(x) -> (y)\n");
  RunRequest request = without.request("sim", 1);
  request.variables = {"a=" + good};
  CHECK_THAT(refusal_of([&] { run(request); }), Contains("is for a network with variables, ") && Contains("has none"));
  request.variables.clear();
  request.variable_arrays = {{"a", base::to_array(int32s({1}))}};
  CHECK_THAT(refusal_of([&] { run(request); }), Contains("is for a network with variables, ") && Contains("has none"));
}

TEST_CASE("Jobs that are interleaved leave their values to the next one of the same network") {
  const StateNetwork network(tests::kSwapText), other(tests::kTotalText);
  InterleaveRequest request;
  request.models = {network.file(), other.file()};
  request.machine.config = "v64";
  request.machine.memory = "external";
  request.inferences = 5;
  for (const char* control : {"direct", "cpu"}) {
    request.control = control;
    const InterleaveResult result = interleave(request);
    CHECK(result.verdict() == Verdict::Good);
    CHECK(result.table.is_checked);
  }
}

}  // namespace
}  // namespace vernier::flow
