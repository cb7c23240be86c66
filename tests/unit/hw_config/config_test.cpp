// SPDX-License-Identifier: Apache-2.0
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/config/machine_config.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

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

/// All that is wrong with a file, a line each; FILE stands for its path.
std::string errors_of(const std::string& text) {
  const TomlFile file(text);
  try {
    load_config(file.path());
  } catch (const base::UserError& error) {
    std::string message = error.what();
    for (size_t at = message.find(file.path()); at != std::string::npos; at = message.find(file.path(), at)) {
      message.replace(at, file.path().size(), "FILE.toml");
    }
    return message;
  }
  return "no error";
}

/// The one thing that is wrong.
std::string error_of(const std::string& text) {
  std::string message = errors_of(text);
  CHECK(message.find('\n') == std::string::npos);
  if (message != "no error") CHECK_THAT(message, Contains("FILE.toml"));
  return message;
}

MachineConfig config_of(const std::string& text) {
  const TomlFile file(text);
  return load_config(file.path());
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
    CHECK(value["external_bytes_per_second"] == std::string(row.external) + "000000000");
    CHECK(value["external_latency_ns"] == row.latency);
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
      "memory_mode = \"weights-external\"\nsram_protection = \"parity\"\n");
  const MachineConfig config = load_config(file.path());
  MachineConfig expected = load_config("v64");
  CHECK_FALSE(config == expected);
  expected.name = "small";
  expected.clock_hz = 500'000'000;
  expected.sram_bytes = 4096;
  expected.external = {4, 7, 32, true};
  expected.queue_depth = 5;
  expected.memory_mode = spec::MemoryMode::WeightsExternal;
  CHECK_FALSE(config == expected);
  expected.sram_protection = spec::SramProtection::Parity;
  CHECK(config == expected);
  CHECK(values(config)["sram_protection"] == "parity");
  CHECK(values(config)["sram_parity_bits"] == "73728");  // 4 KiB of SRAM, 64 KiB of RAM, 4 KiB of shared memory
  CHECK(values(load_config("v64"))["sram_parity_bits"] == "0");
}

TEST_CASE("every overridable value can be overridden, and no other") {
  for (const ConfigValue& value : values_of(load_config("v256"))) {
    INFO(value.key);
    if (value.key == "base" || value.key == "name") continue;  // these have a case of their own
    const std::string text = value.number || value.key == "external_is_full_duplex" ? value.value : '"' + value.value + '"';
    const std::string error = error_of("base = \"v256\"\n" + value.key + " = " + text + "\n");
    if (value.is_overridable) {
      CHECK(error == "no error");
    } else {
      CHECK_THAT(error, Contains("the shape of the datapath is the preset's"));
    }
  }
}

TEST_CASE("bandwidth and latency of external memory by time: the clock makes them cycles") {
  const std::string base = "base = \"v256\"\n";
  CHECK(config_of(base + "external_bytes_per_second = 8_000_000").external.bytes_per_cycle == base::Ratio(1, 125));
  CHECK(config_of(base + "external_bytes_per_cycle = \"2/250\"").external.bytes_per_cycle == base::Ratio(1, 125));
  CHECK(config_of(base + "external_bytes_per_cycle = \"12\"").external.bytes_per_cycle == base::Ratio(12));
  CHECK(config_of(base + "external_latency_ns = 60").external.latency_cycles == 60);
  // The clock stands after the keys that it turns into cycles.
  const MachineConfig slow =
      config_of(base + "external_bytes_per_second = 3_200_000_000\nexternal_latency_ns = 61\nclock_hz = 400_000_000");
  CHECK(slow.external.bytes_per_cycle == base::Ratio(8));
  CHECK(slow.external.latency_cycles == 25);  // 24.4 rounds up
  CHECK(values(slow)["external_latency_ns"] == "62.500");
  CHECK(values(slow)["external_bytes_per_second"] == "3200000000");
  CHECK(config_of(base + "external_latency_ns = 1\nclock_hz = 1_000_000").external.latency_cycles == 1);
  const MachineConfig odd = config_of(base + "clock_hz = 333_000_001\nexternal_bytes_per_second = 100_000_000");
  CHECK(odd.external.bytes_per_cycle == base::Ratio(100'000'000, 333'000'001));
  CHECK(values(odd)["external_bytes_per_cycle"] == "100000000/333000001");
  CHECK(values(odd)["external_bytes_per_second"] == "100000000");
}

TEST_CASE("by time or by cycle, not both: the ranges are those of the cycles") {
  const std::string base = "base = \"v256\"\n";
  CHECK(error_of(base + "external_bytes_per_second = 16000000000\nexternal_bytes_per_cycle = 16") ==
        "FILE.toml:2: external_bytes_per_second and external_bytes_per_cycle (line 3) say the same, allowed is one of them");
  CHECK(error_of(base + "external_latency_cycles = 5\nexternal_latency_ns = 5") ==
        "FILE.toml:3: external_latency_ns and external_latency_cycles (line 2) say the same, allowed is one of them");
  CHECK(error_of(base + "external_bytes_per_second = 15258\n") ==
        "FILE.toml:2: external_bytes_per_second is 15258, allowed are 15259 to 1024000000000 at a clock of 1000000000 Hz");
  CHECK(error_of(base + "external_bytes_per_second = 15259\n") == "no error");
  CHECK(error_of(base + "external_bytes_per_second = 1024000000000\n") == "no error");
  CHECK_THAT(error_of(base + "external_bytes_per_second = 1024000000001\n"), Contains("allowed are 15259 to 1024000000000"));
  CHECK(error_of(base + "external_bytes_per_second = 8e6\n") == "no error");
  CHECK_THAT(error_of(base + "external_bytes_per_second = 8000000.5\n"),
             Contains("is a fraction (8000000.5), allowed is a whole"));
  CHECK_THAT(error_of(base + "external_latency_ns = 0\n"), Contains("allowed are 1 to 1000000 at a clock of 1000000000 Hz"));
  CHECK_THAT(error_of(base + "clock_hz = 1000000\nexternal_latency_ns = 1000000001\n"),
             Contains("allowed are 1 to 1000000000 at"));
  for (const std::string wrong : {"1/0", "1/", "/125", "", "-1/125", "1/-125", "1/125 ", "0.5", "1/2/3", "1/1000000001", "x",
                                  "99999999999999999999/1"}) {
    CHECK(error_of(fmt::format("{}external_bytes_per_cycle = \"{}\"", base, wrong)) ==
          fmt::format("FILE.toml:2: external_bytes_per_cycle is '{}'"
                      ", allowed is a whole number or a fraction as text, such as \"1/125\" (denominators up to 1000000000)",
                      wrong));
  }
  CHECK_THAT(error_of(base + "external_bytes_per_cycle = 0.5"),
             Contains("is a fraction (0.5), allowed is a whole number or a fraction as text, such as \"1/125\""));
  CHECK_THAT(error_of(base + "sram_bytes = \"1/125\""), Contains("sram_bytes: '1/125' is not a number of bytes"));
}

TEST_CASE("all mistakes of a file are told at once, by line") {
  CHECK(errors_of("lanes = 4\nexternal_latency_ns = 1\nexternal_latency_cycles = 1\nclock = 5\nbase = \"v257\"\n"
                  "queue_depth_commands = 3\nmemory_mode = \"srem\"\nname = \"\"\n") ==
        "FILE.toml:1: lanes cannot be set: the shape of the datapath is the preset's (v256 has 16)\n"
        "FILE.toml:2: external_latency_ns and external_latency_cycles (line 3) say the same, allowed is one of them\n"
        "FILE.toml:4: key 'clock' lacks its unit, the key is 'clock_hz'\n"
        "FILE.toml:5: unknown configuration 'v257', did you mean 'v256'? (allowed are v64, v256, v1024, v256-sram48, "
        "v256-port8)\n"
        "FILE.toml:6: queue_depth_commands is 3, allowed are 4 to 64\n"
        "FILE.toml:7: unknown memory mode 'srem', did you mean 'sram'? (allowed are sram, weights-external, external)\n"
        "FILE.toml:8: name is '', allowed are 1 to 64 bytes, not only blanks, no control characters");
  CHECK(errors_of("\n\nsram_bytes = 4100\nexternal_burst_bytes = 24\n") ==
        "FILE.toml: there is no base, wanted is the preset to start from: base = \"v256\" or another\n"
        "FILE.toml:4: external_burst_bytes is 24, allowed are powers of two from 8 to 4096");
  CHECK(errors_of("base = \"v1024\"\nexternal_burst_bytes = 24\nsram_bytes = 4100\n") ==
        "FILE.toml:2: external_burst_bytes is 24, allowed are powers of two from 8 to 4096\n"
        "FILE.toml:3: sram_bytes is 4100 B (4.0 KiB), allowed on preset 'v1024' are multiples of 256 B (a word in each of "
        "the 8 "
        "banks); the nearest are 4096 B and 4352 B");
}

TEST_CASE("a configuration knows who said what, which is no part of the machine") {
  CHECK(load_config("v64").origins.sram == "preset 'v64'");
  const MachineConfig plain = config_of("base = \"v64\"\nname = \"x\"");
  CHECK(plain.origins.sram == "preset 'v64'");
  CHECK(plain.origins.external_keys.empty());
  const MachineConfig config =
      config_of("base = \"v64\"\nname = \"x\"\nsram_bytes = 67108864\nexternal_latency_ns = 100\nexternal_burst_bytes = 64");
  CHECK_THAT(config.origins.sram, Catch::Matchers::EndsWith(".toml:3"));
  CHECK(config.origins.external_keys == std::vector<std::string>{"external_burst_bytes", "external_latency_ns"});
  CHECK(config == plain);
}

TEST_CASE("whole numbers may be written with an exponent") {
  const MachineConfig config = config_of(
      "base = \"v64\"\nclock_hz = 1.5e9\nsram_bytes = 1048576.0\nexternal_latency_ns = 1e2\n"
      "external_bytes_per_second = 3e9");
  CHECK(config.clock_hz == 1'500'000'000);
  CHECK(config.sram_bytes == 1'048'576);
  CHECK(config.external.latency_cycles == 150);
  CHECK(config.external.bytes_per_cycle == base::Ratio(2, 1));
}

TEST_CASE("the name of a file without one is its stem") {
  const TomlFile file("base = \"v256\"");
  CHECK(load_config(file.path()).name == std::filesystem::path(file.path()).stem().string());
}

TEST_CASE("mistakes in a TOML file are told in one line, with the place") {
  CHECK_THAT(error_of("clock_hz = 1000000"), Contains("there is no base"));
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
  CHECK_THAT(error_of(base + "clock_hz = 1.5"), Contains("clock_hz is a fraction (1.5), allowed is a whole number"));
  CHECK_THAT(error_of(base + "clock_hz = 1e300"), Contains("clock_hz is a fraction"));
  CHECK_THAT(error_of(base + "clock_hz = nan"), Contains("clock_hz is a fraction"));
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
  CHECK_THAT(error_of(base + "sram_protection = \"party\""),
             Contains("unknown sram_protection 'party', did you mean 'parity'? (allowed are none, parity)"));
  CHECK_THAT(error_of(base + "[external]\nlatency_cycles = 1"), Contains("unknown key 'external' (allowed are base, "));
  CHECK_THAT(error_of(base + "clock_hz ="), Contains(".toml:2: not TOML"));
  CHECK_THAT(error_of(base + "clock_hz = 1000000\nclock_hz = 1000000"), Contains(".toml:3: key 'clock_hz' is given twice"));
}

TEST_CASE("values out of range name the range") {
  const std::string base = "base = \"v256\"\n";
  CHECK_THAT(error_of(base + "clock_hz = 999999"), Contains("clock_hz is 999999, allowed are 1000000 to 100000000000"));
  CHECK_THAT(error_of(base + "sram_bytes = 512"),
             Contains("sram_bytes is 512 B, allowed on every preset are 1024 B (1 KiB) to 268435456 B (256 MiB)"));
  CHECK_THAT(
      error_of(base + "sram_bytes = 1100"),
      Contains("sram_bytes is 1100 B (1.1 KiB), allowed on preset 'v256' are multiples of 128 B (a word in each of the 8 "
               "banks); the nearest are 1024 B and 1152 B"));
  CHECK_THAT(error_of(base + "sram_bytes = 268435584"), Contains("to 268435456 B (256 MiB)"));
  CHECK_THAT(error_of(base + "external_bytes_per_cycle = 0"), Contains("allowed are 1/65536 to 1024"));
  CHECK_THAT(error_of(base + "external_bytes_per_cycle = 1025"), Contains("allowed are 1/65536 to 1024"));
  CHECK_THAT(error_of(base + "external_bytes_per_cycle = \"1/65537\""), Contains("is 1/65537, allowed are 1/65536 to 1024"));
  CHECK_THAT(error_of(base + "external_bytes_per_cycle = \"1025/1\""), Contains("is 1025, allowed"));
  CHECK_THAT(error_of(base + "external_latency_cycles = 0"), Contains("allowed are 1 to 1000000"));
  CHECK_THAT(error_of(base + "external_burst_bytes = 24"), Contains("powers of two from 8 to 4096"));
  CHECK_THAT(error_of(base + "external_burst_bytes = 8192"), Contains("allowed are 8 to 4096"));
  CHECK_THAT(error_of(base + "queue_depth_commands = 3"), Contains("allowed are 4 to 64"));
  CHECK_THAT(error_of(base + "queue_depth_commands = -1"), Contains("allowed are 4 to 64"));
  CHECK(error_of(base + "sram_bytes = 1024\nqueue_depth_commands = 64\nexternal_burst_bytes = 8") == "no error");
}
