// SPDX-License-Identifier: Apache-2.0
// The command line as data: every option reaches its own field, and no other one.
#include "sim/cli/options.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/cli/options_values.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <tuple>

namespace vernier::cli {
namespace {

using Catch::Matchers::StartsWith;
using Words = std::vector<std::string>;

Command parse(const Words& words) {
  std::vector<const char*> argv{"some/folder/vernier"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}
template <typename T>
T parse_as(const Words& words) {
  const Command command = parse(words);
  REQUIRE(std::holds_alternative<T>(command));
  return std::get<T>(command);
}
std::string refusal(const Words& words) {
  try {
    parse(words);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "nothing is refused";
}

/// All of it, so that an option that changes another field shows.
auto all_of(const MachineOptions& machine) {
  return std::tuple(machine.config, machine.memory, machine.sram_bytes, machine.optimize, machine.level, machine.batch);
}
auto all_of(const flow::RunRequest& run) {
  return std::tuple(run.model, all_of(run.machine), run.backend, run.no_check, run.check_all, run.inputs, run.seed,
                    run.iterations, run.output_dir, run.values);
}
auto all_of(const RunOptions& run) {
  return std::tuple(all_of(static_cast<const flow::RunRequest&>(run)), run.reports, run.is_quiet, run.is_verbose);
}

TEST_CASE("options: quantize and dequantize") {
  const Words words{"in.npy", "--mode", "SCALED", "--type", "quint16", "--min", "-1.5", "--max", "max.npy", "-o", "out.npy"};
  Words line{"quantize"};
  line.insert(line.end(), words.begin(), words.end());
  const auto plain = parse_as<QuantizeCommand>(line);
  CHECK((!plain.is_dequantize && plain.input == "in.npy" && plain.mode == "SCALED" && plain.type == "quint16"));
  CHECK((plain.min == "-1.5" && plain.max == "max.npy" && plain.output == "out.npy"));
  CHECK((!plain.round_mode && !plain.narrow_range && !plain.axis && !plain.ensure_minimum_range));
  const Words more{"--round-mode", "HALF_TO_EVEN", "--narrow-range", "--axis", "3", "--ensure-minimum-range", "1e-3"};
  line.insert(line.end(), more.begin(), more.end());
  line.front() = "dequantize";
  const auto full = parse_as<QuantizeCommand>(line);
  CHECK((full.is_dequantize && full.round_mode == "HALF_TO_EVEN" && full.narrow_range));
  CHECK((full.axis == 3 && full.ensure_minimum_range == "1e-3"));
}

TEST_CASE("options: encodings") {
  const auto check = parse_as<EncodingsCommand>({"encodings", "check", "a.json"});
  CHECK((check.action == EncodingsCommand::Action::Check && check.input == "a.json" && check.output.empty()));
  const auto convert = parse_as<EncodingsCommand>({"encodings", "convert", "a.json", "-o", "b.json", "--version", "1.0.0"});
  CHECK(convert.action == EncodingsCommand::Action::Convert);
  CHECK((convert.input == "a.json" && convert.output == "b.json" && convert.version == "1.0.0"));
}

TEST_CASE("Without options a run has the values that the help names") {
  RunOptions expected;
  expected.model = "a.tosa";
  CHECK(all_of(parse_as<RunOptions>({"run", "a.tosa"})) == all_of(expected));
  CHECK(expected.backend == "sim");
  CHECK(expected.seed == 1);
  CHECK(expected.iterations == 1);
  CHECK(expected.machine.level == "8k");
}

TEST_CASE("Each option of a run changes its own field alone") {
  const auto check = [](const Words& words, const auto& change) {
    CAPTURE(words);
    RunOptions expected;
    expected.model = "a.tosa";
    change(expected);
    Words all{"run", "a.tosa"};
    all.insert(all.end(), words.begin(), words.end());
    CHECK(all_of(parse_as<RunOptions>(all)) == all_of(expected));
  };
  check({"--config", "v64"}, [](RunOptions& run) { run.machine.config = "v64"; });
  check({"--memory", "external"}, [](RunOptions& run) { run.machine.memory = "external"; });
  check({"--sram-bytes", "3KiB"}, [](RunOptions& run) { run.machine.sram_bytes = 3072; });
  check({"--optimize", "0"}, [](RunOptions& run) { run.machine.optimize = 0; });
  check({"--optimize", "1"}, [](RunOptions& run) { run.machine.optimize = 1; });
  check({"--level", "NONE"}, [](RunOptions& run) { run.machine.level = "none"; });
  check({"--level", "8K"}, [](RunOptions&) {});
  check({"--batch", "7"}, [](RunOptions& run) { run.machine.batch = 7; });
  check({"--backend", "reference"}, [](RunOptions& run) { run.backend = "reference"; });
  check({"--no-check"}, [](RunOptions& run) { run.no_check = true; });
  check({"--check-all"}, [](RunOptions& run) { run.check_all = true; });
  check({"--input", "x=1.npy", "--input", "2.npy"}, [](RunOptions& run) { run.inputs = {"x=1.npy", "2.npy"}; });
  check({"--seed", "18446744073709551615"}, [](RunOptions& run) { run.seed = std::numeric_limits<uint64_t>::max(); });
  check({"--iterations", "9"}, [](RunOptions& run) { run.iterations = 9; });
  check({"--output-dir", "out"}, [](RunOptions& run) { run.output_dir = "out"; });
  check({"--report", "a.csv", "--report", "-"}, [](RunOptions& run) { run.reports = {"a.csv", "-"}; });
  check({"-q"}, [](RunOptions& run) { run.is_quiet = true; });
  check({"--verbose"}, [](RunOptions& run) { run.is_verbose = true; });
  check({"--jobs", "3"}, [](RunOptions&) {});
}

TEST_CASE("An estimate is a run without values and without a check") {
  RunOptions expected;
  expected.model = "a.tosa";
  expected.values = false;
  expected.no_check = true;
  expected.machine.config = "v64";
  expected.reports = {"r.json"};
  CHECK(all_of(parse_as<RunOptions>({"estimate", "a.tosa", "--config", "v64", "--report", "r.json"})) == all_of(expected));
}

TEST_CASE("A run knows its command line, quoted for a shell where it has to be") {
  const auto line = [](const Words& words) { return parse_as<RunOptions>(words).command_line; };
  CHECK(line({"run", "a.tosa", "--seed", "3"}) == "vernier run a.tosa --seed 3");
  CHECK(line({"run", "my net.tosa", "--input", "x=it's.npy"}) == "vernier run 'my net.tosa' --input 'x=it'\\''s.npy'");
  CHECK(line({"estimate", "a;b$c.tosa"}) == "vernier estimate 'a;b$c.tosa'");
  CHECK(line({"run", "a.tosa", "--report", "r-1_2/%@+:,.json"}) == "vernier run a.tosa --report r-1_2/%@+:,.json");
}

TEST_CASE("Several runs are all combinations, the last list changing fastest, each with all other options") {
  const auto several = parse_as<SeveralRuns>({"run",
                                              "a.tosa",
                                              "b.tosa",
                                              "--config",
                                              "v64,v256",
                                              "--memory",
                                              "sram,external",
                                              "--sram-bytes",
                                              "64KiB,1e6",
                                              "--seed",
                                              "5",
                                              "--iterations",
                                              "2",
                                              "--optimize",
                                              "0",
                                              "--check-all",
                                              "--jobs",
                                              "3",
                                              "--report",
                                              "t.csv",
                                              "-v"});
  CHECK(several.jobs == 3);
  CHECK(several.reports == Words{"t.csv"});
  CHECK(several.is_verbose);
  CHECK_FALSE(several.is_quiet);
  REQUIRE(several.runs.size() == 16);
  size_t i = 0;
  for (const char* model : {"a.tosa", "b.tosa"}) {
    for (const char* config : {"v64", "v256"}) {
      for (const char* memory : {"sram", "external"}) {
        for (const int64_t sram_bytes : {65'536, 1'000'000}) {
          flow::RunRequest expected;
          expected.model = model;
          expected.machine = {config, memory, sram_bytes, 0, "8k", std::nullopt};
          expected.seed = 5;
          expected.iterations = 2;
          expected.check_all = true;
          CHECK(all_of(several.runs[i]) == all_of(expected));
          CHECK_FALSE(several.runs[i++].finds_least_bandwidth);  // the table is what is printed
        }
      }
    }
  }
  const auto models = parse_as<SeveralRuns>({"estimate", "a.tosa", "b.tosa", "-q"});
  CHECK(models.is_quiet);
  CHECK_FALSE(models.jobs);
  REQUIRE(models.runs.size() == 2);
  CHECK(models.runs[1].model == "b.tosa");
  CHECK_FALSE(models.runs[1].values);
  CHECK(models.runs[1].no_check);
  CHECK_FALSE(models.runs[1].machine.config);
}

TEST_CASE("Configuration files that are there keep the commas in their names, alone and in a list") {
  const tests::TemporaryDirectory folder;
  const std::string file = (folder / "128,,256.toml").string(), part = file.substr(0, file.find(','));
  const auto configs_of = [](const std::string& list) {
    MachineTexts texts;
    texts.config = list;
    Words configs;
    for (const MachineOptions& machine : machines_of(texts)) configs.push_back(machine.config.value());
    return configs;
  };
  CHECK(configs_of(part + ",256") == Words{part, "256"});
  CHECK_THROWS_AS(configs_of(file), base::UserError);  // it is not there yet: an empty entry
  base::write_text_file(file, "");
  CHECK(configs_of(file) == Words{file});
  CHECK(configs_of("v64," + file + ",v256") == Words{"v64", file, "v256"});
  CHECK(configs_of(file + "," + file) == Words{file, file});
  CHECK(configs_of(part + ",256") == Words{part, "256"});
}

TEST_CASE("What cannot go together, or is out of range, is refused by the option's name") {
  CHECK_THAT(refusal({"run", "a.tosa", "--check-all", "--no-check"}), StartsWith("--check-all:"));
  CHECK_THAT(refusal({"run", "a.tosa", "-q", "-v"}), StartsWith("--verbose:"));
  CHECK_THAT(refusal({"run", "a.tosa", "b.tosa", "--output-dir", "o"}), StartsWith("--output-dir:"));
  CHECK_THAT(refusal({"run", "a.tosa", "--config", "v64,v256", "--input", "x.npy"}), StartsWith("--input:"));
  CHECK_THAT(refusal({"run", "a.tosa", "--backend", "rtl2"}), StartsWith("--backend:"));
  CHECK_THAT(refusal({"run", "a.tosa", "--memory", "ddr"}), StartsWith("--memory:"));
  CHECK_THAT(refusal({"run", "a.tosa", "--optimize", "2"}), StartsWith("--optimize:"));
  CHECK_THAT(refusal({"run", "a.tosa", "--level", "9k"}), StartsWith("--level:"));
  CHECK_THAT(refusal({"run", "a.tosa", "--config", "v64,,v256"}), StartsWith("--config:"));
  CHECK_THAT(refusal({"run", "a.tosa", "--config", "v64,"}), StartsWith("--config:"));
  for (const char* option : {"--iterations", "--jobs", "--batch"}) {
    CHECK_THAT(refusal({"run", "a.tosa", option, "0"}), StartsWith(std::string(option) + ":"));
  }
  CHECK(refusal({"run", "a.tosa", "--iterations", "1000000"}) == "nothing is refused");
  CHECK_THAT(refusal({"run", "a.tosa", "--iterations", "1000001"}), StartsWith("--iterations:"));
  CHECK(refusal({"run", "a.tosa", "--jobs", "1024"}) == "nothing is refused");
  CHECK_THAT(refusal({"run", "a.tosa", "--jobs", "1025"}), StartsWith("--jobs:"));
  CHECK(refusal({"run", "a.tosa", "--batch", "2147483647"}) == "nothing is refused");
  CHECK_THAT(refusal({"run", "a.tosa", "--batch", "2147483648"}), StartsWith("--batch:"));
}

TEST_CASE("Numbers of bytes in every unit") {
  const auto bytes = [](const std::string& text) { return parse_bytes("--sram-bytes", text); };
  CHECK(bytes("65536") == 65'536);
  CHECK(bytes("65536B") == 65'536);
  CHECK(bytes("0x1f") == 31);
  CHECK(bytes("0X1F") == 31);
  CHECK(bytes("3kb") == 3'000);
  CHECK(bytes("3 MB") == 3'000'000);
  CHECK(bytes("3GB") == 3'000'000'000);
  CHECK(bytes("3KiB") == 3'072);
  CHECK(bytes("3mib") == 3'145'728);
  CHECK(bytes("3GiB") == 3'221'225'472);
  CHECK(bytes("1.5KiB") == 1'536);
  CHECK(bytes("2e3") == 2'000);
  CHECK(bytes("2e+3") == 2'000);
  CHECK(bytes("2500e-2") == 25);
  CHECK(bytes("0.125e1KiB") == 1'280);
  CHECK(bytes("9223372036854775807") == std::numeric_limits<int64_t>::max());
  for (const char* text :
       {"", "x", "1.5", "1.0001KiB", "0x", "0x-1", "12 KB more", "1TB", "9223372036854775808", "1e40", "-1"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(bytes(text), base::UserError);
  }
}

TEST_CASE("The other commands get their words") {
  const auto compile =
      parse_as<CompileCommand>({"compile", "a.tosa", "-o", "b.vnpu", "--config", "v64", "--dump", "ir", "-q"});
  CHECK(compile.model == "a.tosa");
  CHECK(compile.output == "b.vnpu");
  CHECK(compile.machine.config == "v64");
  CHECK(compile.stage == "ir");
  CHECK(compile.is_quiet);
  CHECK_THAT(refusal({"compile", "a.tosa"}), StartsWith("compile:"));
  const auto disasm = parse_as<DisasmCommand>({"disasm", "b.vnpu", "--layer", "3", "--unit", "vec", "--report", "d.json"});
  CHECK(disasm.package == "b.vnpu");
  CHECK(disasm.layer == "3");
  CHECK(disasm.unit == "vec");
  CHECK(disasm.reports == Words{"d.json"});
  const auto inspect = parse_as<InspectCommand>({"inspect", "a.tosa", "--memory", "sram"});
  CHECK(inspect.model == "a.tosa");
  CHECK(inspect.machine.memory == "sram");
  CHECK(parse_as<ConfigCommand>({"config", "list"}).action == ConfigCommand::Action::List);
  const auto show = parse_as<ConfigCommand>({"config", "show", "v64"});
  CHECK(show.action == ConfigCommand::Action::Show);
  CHECK(show.name == "v64");
  CHECK(parse_as<ConfigCommand>({"config", "check", "m.toml"}).action == ConfigCommand::Action::Check);
  const auto cosim = parse_as<CosimCommand>({"cosim", "table", "--config", "v64", "--vectors", "7", "--seed", "9"});
  CHECK(std::tuple(cosim.subject, cosim.machine.config.value(), cosim.vectors.value(), cosim.seed) ==
        std::tuple("table", "v64", 7, 9));
  CHECK_THAT(parse_as<PrintAndExit>({"--version"}).text, StartsWith("vernier "));
}

}  // namespace
}  // namespace vernier::cli
