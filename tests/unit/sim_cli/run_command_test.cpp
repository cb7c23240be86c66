// SPDX-License-Identifier: Apache-2.0
// `vernier run` from its options to its exit code: a small network, and packages of it that were tampered with.
#include "sim/cli/run_command.hpp"

#include "compiler/emit/compile.hpp"
#include "compiler/import/import.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "hw/package/command_codec.hpp"
#include "sim/cli/exit_code.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <functional>

namespace vernier::cli {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

const fs::path kDemo = tests::source_path("tests/e2e/demo/demo.tosa");

struct Result {
  int exit_code;
  std::string json;
};

/// Quiet: one line on standard output.
Result run_quietly(const tests::TemporaryDirectory& folder, RunOptions options) {
  options.is_quiet = true;
  options.reports = {(folder / "report.json").string()};
  Result result{run(options), ""};
  if (fs::exists(folder / "report.json")) result.json = base::read_text_file(folder / "report.json");
  return result;
}
RunOptions options_of(const fs::path& model) {
  RunOptions options;
  options.model = model.string();
  options.command_line = "vernier run something";
  return options;
}

package::Package demo_package() {
  const std::vector<std::byte> bytes = base::read_file(kDemo);
  const import::Imported imported = import::import_tosa("demo.tosa", bytes, {ir::kLevel8k, {}});
  return emit::compile(imported.graph, {"demo.tosa", bytes}, config::preset_config("v256", "test"), {1});
}

/// The demo network as a package with something changed.
RunOptions tampered(const tests::TemporaryDirectory& folder, const std::function<void(package::Package&)>& change) {
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

TEST_CASE("A run that matches ends with 0 and says what it was asked for") {
  const tests::TemporaryDirectory folder;
  RunOptions options = options_of(kDemo);
  options.seed = 12;
  options.output_dir = (folder / "out").string();
  const Result result = run_quietly(folder, options);
  CHECK(result.exit_code == kExitSuccess);
  CHECK_THAT(result.json, Contains("\"result\": \"match\""));
  CHECK_THAT(result.json, Contains("\"command_line\": \"vernier run something\""));
  CHECK_THAT(result.json, Contains("\"seed\": 12"));
  CHECK_THAT(result.json, Contains("\"random, seed 12\""));
  CHECK_THAT(result.json, Contains("\"iterations_compared\": 1"));
  CHECK(std::distance(fs::directory_iterator(folder / "out"), {}) == 1);
}

TEST_CASE("The outputs of the simulator and of the reference are equal files") {
  const tests::TemporaryDirectory folder;
  std::vector<std::string> outputs;
  for (const char* backend : {"sim", "reference"}) {
    RunOptions options = options_of(kDemo);
    options.backend = backend;
    options.output_dir = (folder / backend).string();
    const Result result = run_quietly(folder, options);
    CHECK(result.exit_code == kExitSuccess);
    CHECK_THAT(result.json, Contains(std::string("\"backend\": \"") + backend + "\""));
    for (const auto& entry : fs::directory_iterator(folder / backend)) outputs.push_back(base::read_text_file(entry.path()));
  }
  REQUIRE(outputs.size() == 2);
  CHECK(outputs[0] == outputs[1]);
}

TEST_CASE("Every iteration is compared") {
  const tests::TemporaryDirectory folder;
  RunOptions options = options_of(kDemo);
  options.iterations = 3;
  options.check_all = true;
  const Result result = run_quietly(folder, options);
  CHECK(result.exit_code == kExitSuccess);
  CHECK_THAT(result.json, Contains("\"iterations_compared\": 3"));
}

TEST_CASE("An estimate compares nothing and writes no values, and takes the cycles of the run") {
  const tests::TemporaryDirectory folder;
  const std::string ran = run_quietly(folder, options_of(kDemo)).json;
  RunOptions options = options_of(kDemo);
  options.values = false;
  options.no_check = true;
  const Result result = run_quietly(folder, options);
  CHECK(result.exit_code == kExitSuccess);
  CHECK_THAT(result.json, Contains("\"result\": \"skipped\""));
  CHECK_THAT(result.json, Contains("\"file\": \"\""));
  CHECK_THAT(result.json, Contains("\"inputs\": []"));
  const auto totals_of = [](const std::string& json) {
    const size_t begin = json.find("\"totals\"");
    return json.substr(begin, json.find('}', begin) - begin);
  };
  CHECK(totals_of(result.json) == totals_of(ran));
}

TEST_CASE("A wrong weight in a package is a mismatch: 3, with the first difference") {
  const tests::TemporaryDirectory folder;
  RunOptions options = tampered(folder, [](package::Package& package) {
    for (std::byte& byte : package.image.at(0).bytes) byte ^= std::byte{0x15};
  });
  options.check_all = true;
  const Result result = run_quietly(folder, options);
  CHECK(result.exit_code == kExitMismatch);
  CHECK_THAT(result.json, Contains("\"result\": \"mismatch\"") && Contains("\"coordinates\""));
  options.no_check = true;
  CHECK(run_quietly(folder, options).exit_code == kExitSuccess);
}

TEST_CASE("A machine that stops or hangs ends the run with 4, and nothing is written") {
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
    RunOptions options = tampered(folder, [&](package::Package& package) {
      bool is_done = false;
      change_command(package, [&](spec::Command& command) {
        if (is_done) return true;
        is_done = change(command);
        return is_done;
      });
    });
    options.output_dir = (folder / "out").string();
    const Result result = run_quietly(folder, options);
    CHECK(result.exit_code == kExitFault);
    CHECK(result.json.empty());
    CHECK_FALSE(fs::exists(folder / "out"));
  }
}

TEST_CASE("A package without its network runs without a check only") {
  const tests::TemporaryDirectory folder;
  RunOptions options = tampered(folder, [](package::Package& package) { package.source.clear(); });
  CHECK_THROWS_WITH(run_quietly(folder, options), Contains("holds no source graph"));
  options.no_check = true;
  CHECK(run_quietly(folder, options).exit_code == kExitSuccess);
  options.backend = "reference";
  CHECK_THROWS_WITH(run_quietly(folder, options), Contains("holds no source graph"));
}

TEST_CASE("A package for another machine is refused by the option that asks for it") {
  const tests::TemporaryDirectory folder;
  RunOptions options = tampered(folder, [](package::Package&) {});
  CHECK(run_quietly(folder, options).exit_code == kExitSuccess);
  const auto refused = [&](const std::function<void(MachineOptions&)>& ask, const std::string& what) {
    RunOptions asked = options;
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
  CHECK(run_quietly(folder, options).exit_code == kExitSuccess);
}

TEST_CASE("The options of the machine reach the compiler") {
  const tests::TemporaryDirectory folder;
  RunOptions options = options_of(kDemo);
  options.machine = {"v64", "external", 65536, 0, "8k", std::nullopt};
  const std::string json = run_quietly(folder, options).json;
  for (const char* value :
       {"\"name\": \"v64\"", "\"memory_mode\": \"external\"", "\"sram_bytes\": 65536", "\"optimize\": 0"}) {
    CHECK_THAT(json, Contains(value));
  }
}

}  // namespace
}  // namespace vernier::cli
