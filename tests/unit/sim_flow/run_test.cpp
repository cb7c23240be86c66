// SPDX-License-Identifier: Apache-2.0
// A run from its request to its result: a small network, and packages of it that were tampered with.
#include "sim/flow/run/run.hpp"

#include "compiler/emit/compile.hpp"
#include "compiler/import/import.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "hw/package/command_codec.hpp"
#include "sim/flow/files/output_files.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/sim_flow/demo.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

/// With a JSON report in the folder.
struct Result {
  Verdict verdict;
  std::string json;
};

Result run_quietly(const tests::TemporaryDirectory& folder, RunRequest options) {
  options.report_files = {(folder / "report.json").string()};
  Result result{run(options).verdict(), ""};
  if (fs::exists(folder / "report.json")) result.json = base::read_text_file(folder / "report.json");
  return result;
}
report::Report report_of(const RunRequest& options, Verdict verdict = Verdict::Good) {
  RunResult result = run(options);
  CHECK(result.verdict() == verdict);
  REQUIRE_FALSE(result.failure);
  return std::move(result.report);
}
RunRequest options_of(const fs::path& model) {
  RunRequest options;
  options.model = model.string();
  options.command_line = "vernier run something";
  return options;
}

package::Package demo_package() {
  const std::vector<std::byte> bytes = base::read_file(tests::demo_file());
  const ir::Graph graph = import::import_graph("demo.tosa", bytes, ir::kLevel8k);
  return emit::compile(graph, {"demo.tosa", bytes}, config::preset_config("v256", "test"), {1});
}

/// The demo network as a package with something changed.
RunRequest tampered(const tests::TemporaryDirectory& folder, const std::function<void(package::Package&)>& change) {
  package::Package package = demo_package();
  change(package);
  base::write_file(folder / "tampered.vnpu", package::to_bytes(package));
  return options_of(folder / "tampered.vnpu");
}

/// Changes the first command for which `change` says true, and encodes the stream anew.
void change_command(package::Package& package, const std::function<bool(spec::Command&)>& change) {
  std::vector<std::byte> stream;
  bool has_changed = false;
  for (size_t offset = 0; offset < package.stream.size();) {
    package::Decoded decoded = package::decode(std::span(package.stream).subspan(offset));
    offset += static_cast<size_t>(decoded.length_bytes);
    has_changed = has_changed || change(decoded.command);
    package::encode(decoded.command, stream);
  }
  REQUIRE(has_changed);
  package.stream = stream;
}

TEST_CASE("A run that matches is good and says what it was asked for") {
  const tests::TemporaryDirectory folder;
  RunRequest options = options_of(tests::demo_file());
  options.seed = 12;
  options.output_dir = (folder / "out").string();
  const Result result = run_quietly(folder, options);
  CHECK(result.verdict == Verdict::Good);
  CHECK_THAT(result.json, Contains("\"result\": \"match\""));
  CHECK_THAT(result.json, Contains("\"command_line\": \"vernier run something\""));
  CHECK_THAT(result.json, Contains("\"seed\": 12"));
  CHECK_THAT(result.json, Contains("\"random, seed 12\""));
  CHECK_THAT(result.json, Contains("\"iterations_compared\": 1"));
  CHECK(std::distance(fs::directory_iterator(folder / "out"), {}) == 1);
}

TEST_CASE("Inputs in memory are those of files, and outputs in memory are what files have") {
  const tests::TemporaryDirectory folder;
  const Model model = load_model(tests::demo_file(), {});
  const End input = ends_of(model).inputs.at(0);
  const base::NpyArray array = base::to_array(make_inputs({input}, {}, 99).at(0));
  base::write_text_file(folder / "x.npy", base::to_npy(array));
  RunRequest options = options_of(tests::demo_file());
  options.output_dir = (folder / "out").string();
  options.inputs = {(folder / "x.npy").string()};
  const RunResult from_file = run(options);
  options.inputs.clear();
  options.arrays = {{input.name, array}};
  const RunResult from_memory = run(options);
  CHECK(from_memory.verdict() == Verdict::Good);
  REQUIRE(from_memory.outputs.size() == 1);
  CHECK(from_memory.outputs == from_file.outputs);
  CHECK(from_memory.report.run.inputs == std::vector<std::string>{"an array"});
  const base::NpyArray output = array_of(from_memory.output_ends[0], from_memory.outputs[0]);
  CHECK(base::to_npy(output) == base::read_text_file(folder / "out" / from_memory.report.outputs.at(0).file));
  CHECK_FALSE(float_array_of(from_memory.output_ends, from_memory.outputs, 0));
  options.arrays = {{"nobody", array}};
  CHECK_THROWS_WITH(run(options), Contains("--input: no input is named 'nobody'"));
  options.arrays = {{input.name, base::to_array(base::Tensor(base::ElementType::Int16, {3}))}};
  CHECK_THROWS_WITH(run(options), Contains("holds int16 [3], expected int8"));
}

TEST_CASE("The outputs of the simulator and of the reference are equal files") {
  const tests::TemporaryDirectory folder;
  std::vector<std::string> outputs;
  for (const char* backend : {"sim", "reference"}) {
    RunRequest options = options_of(tests::demo_file());
    options.backend = backend;
    options.output_dir = (folder / backend).string();
    const Result result = run_quietly(folder, options);
    CHECK(result.verdict == Verdict::Good);
    CHECK_THAT(result.json, Contains(std::string("\"backend\": \"") + backend + "\""));
    for (const auto& entry : fs::directory_iterator(folder / backend)) outputs.push_back(base::read_text_file(entry.path()));
  }
  REQUIRE(outputs.size() == 2);
  CHECK(outputs[0] == outputs[1]);
}

TEST_CASE("Every iteration is compared") {
  const tests::TemporaryDirectory folder;
  RunRequest options = options_of(tests::demo_file());
  options.iterations = 3;
  options.check_all = true;
  const report::Report report = report_of(options);
  CHECK(report.check.result == "match");
  CHECK(report.check.iterations_compared == 3);
  CHECK(report.run.iterations == 3);
  options.no_check = true;
  options.check_all = false;
  const report::Report unchecked = report_of(options);
  CHECK(unchecked.check.iterations_compared == 0);
  CHECK(unchecked.check.result == "skipped");
  CHECK(unchecked.run.iterations == 3);
}

TEST_CASE("With --check-all a run compares what commands leave inside, without it outputs alone") {
  RunRequest options = options_of(tests::demo_file());
  const report::Check outputs = report_of(options).check;
  CHECK(outputs.tensors_compared == 1);
  CHECK(outputs.folded.empty());
  options.check_all = true;
  const report::Check all = report_of(options).check;
  CHECK(all.tensors_compared > 1);
  CHECK(all.elements_compared > outputs.elements_compared);
  CHECK_FALSE(all.folded.empty());
}

TEST_CASE("A REQUIRE that the network violates makes the run unpredictable, and is told, and a mismatch counts more") {
  const tests::TemporaryDirectory folder;
  const fs::path model = tests::source_path("tests/golden/networks/shift_left/model.tosa");  // by random amounts
  for (const char* backend : {"sim", "reference"}) {
    RunRequest options = options_of(model);
    options.backend = backend;
    CHECK_FALSE(report_of(options, Verdict::Unpredictable).warnings.empty());
    options.no_check = true;
    if (options.backend == "sim") CHECK(run_quietly(folder, options).verdict == Verdict::Good);
  }
  const std::vector<std::byte> bytes = base::read_file(model);
  package::Package package = emit::compile(import::import_graph("model.tosa", bytes, ir::kLevel8k), {"model.tosa", bytes},
                                           config::preset_config("v256", "test"), {1});
  change_command(package, [](spec::Command& command) {
    auto* vector = std::get_if<spec::VectorCommand>(&command.body);
    if (vector == nullptr) return false;
    for (spec::VectorStep& step : vector->steps) {
      if (step.op == spec::VectorOp::ShiftLeft) step.op = spec::VectorOp::Add;
    }
    return true;
  });
  base::write_file(folder / "tampered.vnpu", package::to_bytes(package));
  CHECK_FALSE(report_of(options_of(folder / "tampered.vnpu"), Verdict::Mismatch).warnings.empty());
}

TEST_CASE("Notes of the network and of the machine stand in the report") {
  const tests::TemporaryDirectory folder;
  base::write_text_file(folder / "m.toml", "base = \"v256\"\nexternal_latency_cycles = 7\n");
  RunRequest options = options_of(tests::demo_file());
  CHECK(report_of(options).notes.empty());
  options.machine.config = (folder / "m.toml").string();
  const std::vector<std::string> notes = report_of(options).notes;
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("external_latency_cycles"));

  // The same network with the first dimension of its input open.
  std::vector<std::byte> bytes = base::read_file(tests::demo_file());
  constexpr std::array<int32_t, 5> kShape{4, 1, 8, 8, 1}, kOpenShape{4, -1, 8, 8, 1};  // rank first
  const auto shape = std::as_bytes(std::span(kShape)), open_shape = std::as_bytes(std::span(kOpenShape));
  const auto found = std::search(bytes.begin(), bytes.end(), shape.begin(), shape.end());
  REQUIRE(found != bytes.end());
  std::copy(open_shape.begin(), open_shape.end(), found);
  base::write_file(folder / "open.tosa", bytes);
  options = options_of(folder / "open.tosa");
  for (const char* backend : {"sim", "reference"}) {
    options.backend = backend;
    const std::vector<std::string> told = report_of(options).notes;
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], Contains("open (-1): taken as 1; --batch N takes another"));
  }
}

TEST_CASE("The least bandwidth is looked for unless nobody wants it") {
  RunRequest options = options_of(tests::demo_file());
  options.machine.memory = "external";
  options.machine.sram_bytes = 16384;
  CHECK(report_of(options).least_external_bytes_per_cycle);
  options.finds_least_bandwidth = false;
  CHECK_FALSE(report_of(options).least_external_bytes_per_cycle);
}

TEST_CASE("Nothing that a run reads is overwritten") {
  const tests::TemporaryDirectory folder;
  base::write_file(folder / "net.json", base::read_file(tests::demo_file()));
  base::write_text_file(folder / "m.csv", "base = \"v256\"\n");
  base::write_text_file(folder / "x.json", base::to_npy(base::Tensor(base::ElementType::Int8, {1, 8, 8, 1})));
  const auto refused = [&](const char* report, const char* what) {
    RunRequest options = options_of(folder / "net.json");
    options.machine.config = (folder / "m.csv").string();
    options.inputs = {(folder / "x.json").string()};
    options.report_files = {(folder / report).string()};
    CHECK_THROWS_WITH(run(options), Contains(std::string("would overwrite ") + what));
  };
  refused("net.json", "MODEL");
  refused("m.csv", "--config");
  refused("x.json", "--input");
}

TEST_CASE("An estimate compares nothing and writes no values, and takes the cycles of the run") {
  const tests::TemporaryDirectory folder;
  const std::string ran = run_quietly(folder, options_of(tests::demo_file())).json;
  RunRequest options = options_of(tests::demo_file());
  options.values = false;
  options.no_check = true;
  const Result result = run_quietly(folder, options);
  CHECK(result.verdict == Verdict::Good);
  CHECK_THAT(result.json, Contains("\"result\": \"skipped\""));
  CHECK_THAT(result.json, Contains("\"file\": \"\""));
  CHECK_THAT(result.json, Contains("\"inputs\": []"));
  const std::vector<report::Output> outputs = report_of(options).outputs,
                                    run_outputs = report_of(options_of(tests::demo_file())).outputs;
  REQUIRE(outputs.size() == 1);
  REQUIRE(run_outputs.size() == 1);
  CHECK(outputs[0].tensor == run_outputs[0].tensor);
  CHECK(outputs[0].shape == run_outputs[0].shape);
  CHECK(outputs[0].dtype == run_outputs[0].dtype);
  const auto totals_of = [](const std::string& json) {
    const size_t begin = json.find("\"totals\"");
    return json.substr(begin, json.find('}', begin) - begin);
  };
  CHECK(totals_of(result.json) == totals_of(ran));
  RunRequest request = options_of(tests::demo_file());
  request.check_all = true;
  const RunResult estimated = estimate(request);
  CHECK(estimated.verdict() == Verdict::Good);
  CHECK(estimated.report.check.result == "skipped");
  CHECK(estimated.outputs.empty());
  CHECK(estimated.report.cycles == report_of(options_of(tests::demo_file())).cycles);
  request.injection = parse_injection("accumulator:bitflip@1");
  CHECK_THROWS_WITH(estimate(request), Contains("--inject: needs values"));
}

TEST_CASE("A wrong weight in a package is a mismatch, with the first difference") {
  const tests::TemporaryDirectory folder;
  RunRequest options = tampered(folder, [](package::Package& package) {
    for (std::byte& byte : package.image.at(0).bytes) byte ^= std::byte{0x15};
  });
  options.check_all = true;
  const Result result = run_quietly(folder, options);
  CHECK(result.verdict == Verdict::Mismatch);
  CHECK_THAT(result.json, Contains("\"result\": \"mismatch\"") && Contains("\"coordinates\""));
  // Found when the command ended that wrote it, with --check-all and without it.
  for (const bool check_all : {true, false}) {
    options.check_all = check_all;
    const report::Report found = report_of(options, Verdict::Mismatch);
    REQUIRE(found.check.first_difference);
    const report::FirstDifference& first = *found.check.first_difference;
    const report::Command& command = found.command_list.at(static_cast<size_t>(first.command_idx));
    CHECK(first.cycle == command.end_cycle);
    CHECK(first.layer_idx == command.layer_idx);
  }
  options.check_all = false;
  options.no_check = true;
  CHECK(run_quietly(folder, options).verdict == Verdict::Good);
}

TEST_CASE("A machine that stops or hangs is a value of the result, and nothing is written") {
  const tests::TemporaryDirectory folder;
  const auto waits_for_ever = [](spec::Command& command) {
    command.header.wait |= spec::queue_bit(spec::Queue::Dma1);
    return true;
  };
  const auto reads_nothing = [](spec::Command& command) {
    auto* mac = std::get_if<spec::MacCommand>(&command.body);
    if (mac != nullptr) mac->input.base += 1 << 20;  // nobody has written there
    return mac != nullptr;
  };
  for (const std::function<bool(spec::Command&)>& change :
       std::initializer_list<std::function<bool(spec::Command&)>>{waits_for_ever, reads_nothing}) {
    RunRequest options = tampered(folder, [&](package::Package& package) {
      bool is_done = false;
      change_command(package, [&](spec::Command& command) {
        if (is_done) return true;
        is_done = change(command);
        return is_done;
      });
    });
    options.output_dir = (folder / "out").string();
    options.report_files = {(folder / "report.json").string()};
    const RunResult result = run(options);
    CHECK(result.verdict() == Verdict::Fault);
    REQUIRE(result.failure);
    CHECK(result.failure->subject == options.model);
    CHECK_THAT(messages(*result.failure).at(0), Contains("tampered.vnpu: the simulated machine "));
    CHECK(result.outputs.empty());
    CHECK_FALSE(fs::exists(folder / "report.json"));
    CHECK_FALSE(fs::exists(folder / "out"));
  }
}

TEST_CASE("A package without its network runs without a check only") {
  const tests::TemporaryDirectory folder;
  RunRequest options = tampered(folder, [](package::Package& package) { package.source.clear(); });
  CHECK_THROWS_WITH(run_quietly(folder, options), Contains("holds no source graph"));
  options.no_check = true;
  CHECK(run_quietly(folder, options).verdict == Verdict::Good);
  options.backend = "reference";
  CHECK_THROWS_WITH(run_quietly(folder, options), Contains("holds no source graph"));
}

TEST_CASE("A package for another machine is refused by the option that asks for it") {
  const tests::TemporaryDirectory folder;
  RunRequest options = tampered(folder, [](package::Package&) {});
  CHECK(run_quietly(folder, options).verdict == Verdict::Good);
  const auto refused = [&](const std::function<void(MachineOptions&)>& ask, const std::string& what) {
    RunRequest asked = options;
    ask(asked.machine);
    CHECK_THROWS_WITH(run_quietly(folder, asked), Contains("is a package compiled for " + what));
  };
  refused([](MachineOptions& machine) { machine.config = "v64"; }, "--config v256");
  refused([](MachineOptions& machine) { machine.memory = "external"; }, "--memory sram");
  refused([](MachineOptions& machine) { machine.sram_bytes = 65536; }, "--sram-bytes 67108864");
  refused([](MachineOptions& machine) { machine.optimize = 0; }, "--optimize 1");
  options.machine.config = "v256";
  options.machine.memory = "sram";
  options.machine.sram_bytes = int64_t{64} << 20;
  options.machine.optimize = 1;
  CHECK(run_quietly(folder, options).verdict == Verdict::Good);
}

TEST_CASE("The options of the machine reach the compiler") {
  const tests::TemporaryDirectory folder;
  RunRequest options = options_of(tests::demo_file());
  options.machine = {"v64", "external", 65536, 0, "8k", std::nullopt};
  const std::string json = run_quietly(folder, options).json;
  for (const char* value :
       {"\"name\": \"v64\"", "\"memory_mode\": \"external\"", "\"sram_bytes\": 65536", "\"optimize\": 0"}) {
    CHECK_THAT(json, Contains(value));
  }
  options.backend = "reference";
  CHECK_THAT(run_quietly(folder, options).json, Contains("\"optimize\": 0"));
}

}  // namespace
}  // namespace vernier::flow
