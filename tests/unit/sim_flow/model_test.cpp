// SPDX-License-Identifier: Apache-2.0
// From the options of the machine to a configuration.
#include "sim/flow/model/model.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/flow/look/tell_layer.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <tuple>
#include <utility>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;

MachineOptions machine(std::optional<std::string> config, std::optional<std::string> memory = {},
                       std::optional<int64_t> sram_bytes = {}, std::optional<int64_t> optimize = {}) {
  return {std::move(config), std::move(memory), sram_bytes, optimize, "8k", {}, {}, {}, {}};
}

TEST_CASE("Without options the machine is v256 as it is") { CHECK(config_of({}) == config::preset_config("v256", "test")); }

TEST_CASE("Each option of the machine changes its own value alone") {
  config::MachineConfig expected = config::preset_config("v64", "test");
  CHECK(config_of(machine("v64")) == expected);
  expected.memory_mode = spec::MemoryMode::WeightsExternal;
  CHECK(config_of(machine("v64", "weights-external")) == expected);
  expected.sram_bytes = 4096 * 64;
  CHECK(config_of(machine("v64", "weights-external", 4096 * 64)) == expected);
  CHECK_THROWS_WITH(config_of(machine({}, {}, 1)), Contains("--sram-bytes"));
}

TEST_CASE("A file's values hold unless an option says otherwise") {
  const tests::TemporaryDirectory folder;
  base::write_text_file(folder / "m.toml", "base = \"v64\"\nmemory_mode = \"external\"\nsram_bytes = 131072\n");
  const MachineOptions options = machine((folder / "m.toml").string());
  CHECK(config_of(options).memory_mode == spec::MemoryMode::External);
  CHECK(config_of(options).sram_bytes == 131'072);
  MachineOptions others = options;
  others.memory = "sram";
  others.sram_bytes = 65'536;
  CHECK(config_of(others).memory_mode == spec::MemoryMode::Sram);
  CHECK(config_of(others).sram_bytes == 65'536);
}

TEST_CASE("Values that the memory mode does not use are told") {
  const tests::TemporaryDirectory folder;
  base::write_text_file(folder / "m.toml", "base = \"v64\"\nexternal_latency_cycles = 7\n");
  const MachineOptions options = machine((folder / "m.toml").string());
  const std::vector<std::string> notes = notes_of(config_of(options), options);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("external_latency_cycles") && Contains("changes nothing"));
  CHECK(notes_of(config_of(machine(options.config, "external")), {}).empty());
  CHECK(notes_of(config_of({}), {}).empty());
}

TEST_CASE("A size of SRAM that leaves banks uneven is the next smaller one, with a note") {
  for (const auto& [preset, asked, taken, row] :
       {std::tuple("v64", 1'000'000, 1'000'000, 64), std::tuple("v256", 1'000'000, 999'936, 128),
        std::tuple("v1024", 65'537, 65'536, 256), std::tuple("v1024", 65'535, 65'280, 256),
        std::tuple("v256", 1024, 1024, 128), std::tuple("v256", 1025, 1024, 128)}) {
    const MachineOptions options = machine(preset, {}, asked);
    const config::MachineConfig config = config_of(options);
    CHECK(config.sram_bytes == taken);
    const std::vector<std::string> notes = notes_of(config, options);
    REQUIRE(notes.size() == (asked == taken ? 0 : 1));
    if (asked != taken) {
      CHECK(notes[0] ==
            fmt::format("--sram-bytes: {} B asked for, {} B taken: the SRAM is a whole number of rows of {} B, a "
                        "word in each of the 8 banks",
                        base::with_thousands(asked), base::with_thousands(taken), row));
    }
  }
  CHECK_THROWS_WITH(config_of(machine({}, {}, 1023)), Contains("1023 B"));
  CHECK_THROWS_WITH(config_of(machine({}, {}, (1 << 28) + 1)), Contains("268435457 B"));
}

TEST_CASE("The level that is named") {
  CHECK(level_of("8k").max_kernel == ir::kLevel8k.max_kernel);
  CHECK(level_of("none").max_kernel == ir::kLevelNone.max_kernel);
}

TEST_CASE("A model is a network or a package, and says so when it is neither") {
  const tests::TemporaryDirectory folder;
  const std::string demo = tests::source_path("tests/e2e/demo/demo.tosa").string();
  const Model network = load_model(demo, {});
  CHECK(network.file == demo);
  CHECK(network.bytes == base::read_file(demo));
  CHECK(network.graph);
  CHECK_FALSE(network.package);
  CHECK(network.notes.empty());
  const package::Package package = package_of(network, machine("v64", {}, {}, 0));
  CHECK(package.config == config::preset_config("v64", "test"));
  CHECK(package.optimize == 0);
  CHECK(package_of(network, {}).optimize == 1);
  base::write_file(folder / "demo.vnpu", package::to_bytes(package));
  const Model again = load_model((folder / "demo.vnpu").string(), {});
  CHECK(again.package);
  CHECK(again.graph);
  CHECK_THROWS_WITH(package_of(again, machine("v256")), Contains("is a package compiled for --config v64"));
  base::write_text_file(folder / "empty", "");
  CHECK_THROWS_WITH(load_model((folder / "empty").string(), {}), Contains("is empty"));
}

TEST_CASE("a package is explained by the compiler's choices only where they give the commands that it has") {
  const tests::TemporaryDirectory folder;
  const std::string file = (folder / "demo.vnpu").string();
  package::Package package = package_of(load_model(tests::source_path("tests/e2e/demo/demo.tosa").string(), {}), {});
  const auto loaded = [&] { return base::write_file(file, package::to_bytes(package)), load_model(file, {}); };
  const ExplainedModel same = explain_model(loaded(), {});
  CHECK_FALSE(same.explained.choices.empty());
  CHECK(same.choices_note.empty());
  const auto is_taken = [&] {
    try {
      return loaded().package.has_value();
    } catch (const base::UserError&) {
      return false;
    }
  };
  for (std::byte& byte : package.stream) {  // as from another version of the compiler
    byte ^= std::byte{1};
    if (is_taken()) break;
    byte ^= std::byte{1};
  }
  const ExplainedModel other = explain_model(loaded(), {});
  CHECK(other.explained.choices.empty());
  CHECK(other.choices_note == "not known: the package was compiled by another version of the compiler");
  CHECK(other.explained.package.stream == package.stream);
}

TEST_CASE("A package whose inner tensors are not those of its source graph is refused, by name") {
  const tests::TemporaryDirectory folder;
  const Model network = load_model(tests::source_path("tests/e2e/demo/demo.tosa").string(), {});
  package::Package package = package_of(network, {});
  REQUIRE_FALSE(package.pieces.empty());
  package::TensorEntry& tensor = package.tensors[package.pieces.front().tensor_idx];
  ++tensor.shape.back();
  base::write_file(folder / "other.vnpu", package::to_bytes(package));
  CHECK_THROWS_WITH(load_model((folder / "other.vnpu").string(), {}),
                    Contains("damaged package: tensor '" + tensor.name + "' is ") && Contains("; recompile"));
}

TEST_CASE("A package whose inputs or outputs are not those of its source graph is refused") {
  const tests::TemporaryDirectory folder;
  const Model network = load_model(tests::source_path("tests/golden/networks/mul_types/model.tosa").string(), {});
  const package::Package good = package_of(network, {});
  const auto said_of = [&](const package::Package& package) {
    const std::string file = (folder / "made.vnpu").string();
    base::write_file(file, package::to_bytes(package));
    try {
      static_cast<void>(load_model(file, {}));
      return std::string();
    } catch (const base::UserError& error) {
      return std::string(error.what());
    }
  };
  CHECK(said_of(good).empty());
  for (const auto& [list, what] :
       {std::pair(&package::Package::inputs, "inputs"), std::pair(&package::Package::outputs, "outputs")}) {
    REQUIRE_FALSE((good.*list).empty());
    const std::string wanted = fmt::format("damaged package: its {} are not those of its source graph; recompile", what);
    package::Package fewer = good;
    (fewer.*list).pop_back();
    CHECK_THAT(said_of(fewer), Contains(wanted));
    for (const int32_t idx : good.*list) {
      package::Package named = good;
      named.tensors[idx].name += "_";
      CHECK_THAT(said_of(named), Contains(wanted));
    }
  }
}

}  // namespace
}  // namespace vernier::flow
