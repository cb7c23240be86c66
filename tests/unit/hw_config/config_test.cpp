// SPDX-License-Identifier: Apache-2.0
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/config/machine_config.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <unistd.h>

using namespace vernier;
using namespace vernier::config;
using Catch::Matchers::Contains;

namespace {

/// A TOML file that is gone at the end of the test.
class TomlFile {
 public:
  explicit TomlFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("vernier_config_test_{}.toml", ::getpid())) {
    base::write_text_file(path_, text);
  }
  ~TomlFile() { std::filesystem::remove(path_); }
  TomlFile(const TomlFile&) = delete;
  TomlFile& operator=(const TomlFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string error_of(const std::string& text) {
  const TomlFile file(text);
  try {
    load_config(file.path());
  } catch (const base::UserError& error) {
    const std::string message = error.what();
    CHECK(message.find('\n') == std::string::npos);
    CHECK_THAT(message, Contains(file.path()));
    return message;
  }
  return "no error";
}

std::map<std::string, std::string> values(const MachineConfig& config) {
  std::map<std::string, std::string> result;
  for (const ConfigValue& value : values_of(config)) {
    CHECK(result.emplace(value.key, value.value).second);
    CHECK_FALSE(value.meaning.empty());
  }
  return result;
}

}  // namespace

TEST_CASE("every preset is valid, and what it may use is the table of the machine") {
  struct Row {
    const char *name, *macs, *read, *write, *tile, *dma, *sram, *external, *latency, *mode;
  };
  const std::vector<Row> rows{{"v64", "64", "32", "16", "64", "16", "67108864", "16", "100", "sram"},
                              {"v256", "256", "64", "32", "256", "32", "67108864", "16", "100", "sram"},
                              {"v1024", "1024", "128", "64", "1024", "64", "67108864", "16", "100", "sram"},
                              {"v256-sram48", "256", "32", "16", "256", "32", "67108864", "16", "100", "sram"},
                              {"v256-port8", "256", "64", "32", "256", "32", "49152", "8", "32", "external"}};
  REQUIRE(rows.size() == spec::kPresets.size());
  for (const Row& row : rows) {
    INFO(row.name);
    const MachineConfig config = load_config(row.name);
    validate(config, "test");
    auto value = values(config);
    CHECK(value["name"] == row.name);
    CHECK(value["base"] == row.name);
    CHECK(value["macs_per_cycle"] == row.macs);
    CHECK(value["sram_read_bytes_per_cycle"] == row.read);
    CHECK(value["sram_write_bytes_per_cycle"] == row.write);
    CHECK(value["weight_tile_bytes"] == row.tile);
    CHECK(value["dma_bytes_per_cycle"] == row.dma);
    CHECK(value["sram_bytes"] == row.sram);
    CHECK(value["external_bytes_per_cycle"] == row.external);
    CHECK(value["external_latency_cycles"] == row.latency);
    CHECK(value["memory_mode"] == row.mode);
    CHECK(value["external_burst_bytes"] == "64");
    CHECK(value["clock_hz"] == "1000000000");
    CHECK(value["num_sram_banks"] == "8");
    CHECK(value["accumulator_rows"] == "64");
    CHECK(value["sram_read_latency_cycles"] == "2");
    CHECK(value["issue_cycles"] == "16");
  }
  CHECK(values(load_config("v256-port8"))["external_is_full_duplex"] == "true");
}

TEST_CASE("an unknown preset suggests the nearest") {
  CHECK_THROWS_WITH(load_config("v255"), Contains("--config: unknown configuration 'v255', did you mean 'v256'?"));
  CHECK_THROWS_WITH(load_config("v255"), Contains("v1024"));
  CHECK_THROWS_WITH(preset_config("x", "a.vnpu"), Contains("a.vnpu: unknown configuration 'x'"));
  CHECK_THROWS_WITH(load_config("no/such.toml"), Contains("no/such.toml"));
}

TEST_CASE("a TOML file overrides a preset") {
  const TomlFile file(
      "base = \"v64\"\nname = \"small\"\nclock_hz = 500_000_000\nsram_bytes = 4096\nexternal_bytes_per_cycle = 4\n"
      "external_latency_cycles = 7\nexternal_burst_bytes = 32\nexternal_is_full_duplex = true\nqueue_depth_commands = 5\n"
      "memory_mode = \"weights-external\"\n");
  const MachineConfig config = load_config(file.path());
  MachineConfig expected = load_config("v64");
  CHECK_FALSE(config == expected);
  expected.name = "small";
  expected.clock_hz = 500'000'000;
  expected.sram_bytes = 4096;
  expected.external = {4, 7, 32, true};
  expected.queue_depth = 5;
  expected.memory_mode = spec::MemoryMode::WeightsExternal;
  CHECK(config == expected);
}

TEST_CASE("every overridable value can be overridden, and no other") {
  for (const ConfigValue& value : values_of(load_config("v256"))) {
    INFO(value.key);
    if (value.key == "base" || value.key == "name") continue;  // these have a case of their own
    const std::string text =
        value.is_number || value.key == "external_is_full_duplex" ? value.value : '"' + value.value + '"';
    const std::string error = error_of("base = \"v256\"\n" + value.key + " = " + text + "\n");
    if (value.is_overridable) {
      CHECK(error == "no error");
    } else {
      CHECK_THAT(error, Contains("the shape of the datapath is the preset's"));
    }
  }
}

TEST_CASE("the name of a file without one is its stem") {
  const TomlFile file("base = \"v256\"");
  CHECK(load_config(file.path()).name == std::filesystem::path(file.path()).stem().string());
}

TEST_CASE("mistakes in a TOML file are told in one line, with the place") {
  CHECK_THAT(error_of("clock_hz = 1"), Contains("there is no base"));
  CHECK_THAT(error_of(""), Contains("there is no base"));
  CHECK_THAT(error_of("base = \"v257\""), Contains(".toml:1: unknown configuration 'v257', did you mean 'v256'?"));
  CHECK_THAT(error_of("base = 256"), Contains("base is a whole number, allowed is a string"));
  const std::string base = "base = \"v256\"\n";
  CHECK_THAT(error_of(base + "clock = 1000000000"), Contains(".toml:2: key 'clock' lacks its unit, the key is 'clock_hz'"));
  CHECK_THAT(error_of(base + "sram = 65536"), Contains("key 'sram' lacks its unit, the key is 'sram_bytes'"));
  CHECK_THAT(error_of(base + "external_latency = 9"), Contains("the key is 'external_latency_cycles'"));
  CHECK_THAT(error_of(base + "clock_hy = 1"), Contains("unknown key 'clock_hy', did you mean 'clock_hz'?"));
  CHECK_THAT(error_of(base + "lanes = 32"),
             Contains("lanes cannot be set: the shape of the datapath is the preset's (v256 has 16)"));
  CHECK_THAT(error_of(base + "clock_hz = \"1 GHz\""), Contains("clock_hz is a string, allowed is a whole number"));
  CHECK_THAT(error_of(base + "clock_hz = 1.5e9"), Contains("clock_hz is a fraction"));
  CHECK_THAT(error_of(base + "name = 5"), Contains("name is a whole number, allowed is a string"));
  const std::string allowed = "allowed are 1 to 64 bytes, not only blanks, no control characters";
  CHECK_THAT(error_of(base + "name = \"\""), Contains("name is '', " + allowed));
  CHECK_THAT(error_of(base + "name = \"  \""), Contains("name is '  ', " + allowed));
  CHECK_THAT(error_of(base + "name = \"two\\nlines\""), Contains("name is 'two\\x0alines', " + allowed));
  CHECK_THAT(error_of(base + "name = \"" + std::string(65, 'n') + "\""), Contains(allowed));
  CHECK_THAT(error_of(base + "name = \"v64\""),
             Contains("'v64' is the name of a preset, wanted is another: name = \"v64-mine\""));
  CHECK_THAT(error_of(base + "base = \"v64\""), Contains(".toml:2: key 'base' is given twice"));
  CHECK_THAT(error_of(base + "memory_mode = \"srem\""), Contains("unknown memory mode 'srem', did you mean 'sram'?"));
  CHECK_THAT(error_of(base + "[external]\nlatency_cycles = 1"), Contains("unknown key 'external' (allowed are base, "));
  CHECK_THAT(error_of(base + "clock_hz ="), Contains(".toml:2: not TOML"));
  CHECK_THAT(error_of(base + "clock_hz = 1000000\nclock_hz = 1000000"), Contains(".toml:3: key 'clock_hz' is given twice"));
}

TEST_CASE("values out of range name the range") {
  const std::string base = "base = \"v256\"\n";
  CHECK_THAT(error_of(base + "clock_hz = 999999"), Contains("clock_hz is 999999, allowed are 1000000 to 100000000000"));
  CHECK_THAT(error_of(base + "sram_bytes = 512"), Contains("sram_bytes is 512, allowed are 1024 to 268435456"));
  CHECK_THAT(error_of(base + "sram_bytes = 1100"), Contains("allowed are multiples of 128"));
  CHECK_THAT(error_of(base + "sram_bytes = 268435584"), Contains("allowed are 1024 to 268435456"));
  CHECK_THAT(error_of(base + "external_bytes_per_cycle = 0"), Contains("allowed are 1 to 1024"));
  CHECK_THAT(error_of(base + "external_latency_cycles = 0"), Contains("allowed are 1 to 1000000"));
  CHECK_THAT(error_of(base + "external_burst_bytes = 24"), Contains("powers of two from 8 to 4096"));
  CHECK_THAT(error_of(base + "external_burst_bytes = 8192"), Contains("allowed are 8 to 4096"));
  CHECK_THAT(error_of(base + "queue_depth_commands = 3"), Contains("allowed are 4 to 64"));
  CHECK_THAT(error_of(base + "queue_depth_commands = -1"), Contains("allowed are 4 to 64"));
  CHECK(error_of(base + "sram_bytes = 1024\nqueue_depth_commands = 64\nexternal_burst_bytes = 8") == "no error");
}
