// SPDX-License-Identifier: Apache-2.0
// The fuzzer's command line; see README.md beside it. Exit codes: 0 all graphs are right, 1 one is not, 2 a bad option, 77
// --rtl-memory in a program without RTL.
#include "hw/base/error.hpp"
#include "sim/cosim/block/rtl_block.hpp"
#include "tests/fuzz/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <random>

namespace vernier::tests::fuzz {
namespace {

using base::UserError;

constexpr int kSkipped = 77;

constexpr const char* kHelp = R"(Random graphs through compiler and simulator, against the reference.
  --count N           graphs to make (300)
  --seed N            of the first graph, the next one has N + 1 (a new one each time)
  --replay N          one graph, by its seed
  --graph FILE        the graphs of a file that a failure wrote, in every way that the options below leave open
  --kind K            always single or connected (two to one), or control: connected, with COND_IF and WHILE_LOOP, or
                      dynamic: either, with zero points, scales, shifts and tables that are inputs or computed, or
                      variables: connected, with VARIABLE_READ and VARIABLE_WRITE, half of them in regions; three runs, or
                      int4: either, with convolutions that have weights of int4, or
                      banks, meetings, ports, lanes: what asks much of that (README.md of tests/fuzz)
  --config NAME       always this machine (any)
  --memory MODE       always this mode: sram, weights-external, external
  --optimize 0|1      always this level
  --sram-percent P    always P % of the SRAM that the compiler asks for; 0: the machine's
  --speed N           always external memory and queues drawn from that number; 0: the machine's
  --rtl-scope core    all commands together on the core with its memory too; totals within 3 % or 32 cycles
  --core-percent P    within P % or 32 cycles instead
  --core-exceptions N so many graphs may be up to 15 % off there (0)
  --core-spread FILE  how far off totals are there: mean, most of 99 in 100, worst; an object of JSON
  --rtl-memory M      on RTL too, with streams from: ideal, unlimited, banked (README.md of tests/fuzz)
  --large 0|1         always feature maps worth more than one stripe, or never
  --failures N        stop after so many (10)
  --output-dir DIR    where graphs that failed are written (.)
  --write-tests DIR   writes each graph that came out right as a test of the official suite: desc.json, .tosa, inputs, and
                      the outputs of the reference
  --require-coverage  fail unless each operator was met with each of its types
)";

int64_t number(const std::string& option, const std::string& text, int64_t least, int64_t most) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    throw UserError(option, "found '{}', allowed are {} to {}", text, least, most);
  return value;
}

struct CommandLine {
  Options options;
  std::string graph_file;
  bool is_replay = false, wants_help = false;

  void set(const std::string& option, const std::string& value) {
    constexpr int64_t kMany = int64_t{1} << 40;
    if (option == "--count") {
      options.count = number(option, value, 0, kMany);
    } else if (option == "--seed" || option == "--replay") {
      options.first_seed = static_cast<uint64_t>(number(option, value, 0, kMany));
      is_replay = option == "--replay";
    } else if (option == "--graph") {
      graph_file = value;
    } else if (option == "--kind") {
      const auto kind = std::ranges::find(kGraphKindNames, value);
      if (kind == kGraphKindNames.end())
        throw UserError(option, "found '{}', allowed are {}", value, fmt::join(kGraphKindNames, ", "));
      options.kind = static_cast<GraphKind>(kind - kGraphKindNames.begin());
    } else if (option == "--config") {
      options.presets = {config::preset_config(value, option).name};
    } else if (option == "--memory") {
      options.memory = config::memory_mode_from_name(value, option);
    } else if (option == "--optimize") {
      options.optimize = number(option, value, 0, 1);
    } else if (option == "--sram-percent") {
      options.sram_percent = number(option, value, 0, 100'000);
    } else if (option == "--speed") {
      options.speed = number(option, value, 0, kMany);
    } else if (option == "--rtl-memory") {
      if (std::ranges::find(cosim::kStreamSourceNames, value) == cosim::kStreamSourceNames.end())
        throw UserError(option, "found '{}', allowed are {}", value, fmt::join(cosim::kStreamSourceNames, ", "));
      options.rtl_memory = cosim::stream_source_of(value);
    } else if (option == "--rtl-scope") {
      if (value != "core") throw UserError(option, "found '{}', allowed is core", value);
      options.has_core = true;
    } else if (option == "--core-percent") {
      options.core_percent = number(option, value, 0, 1000);
    } else if (option == "--core-spread") {
      options.core_spread_file = value;
    } else if (option == "--core-exceptions") {
      options.most_core_exceptions = number(option, value, 0, kMany);
    } else if (option == "--large") {
      options.is_large = number(option, value, 0, 1) == 1;
    } else if (option == "--failures") {
      options.most_failures = number(option, value, 1, kMany);
    } else if (option == "--output-dir") {
      options.output_dir = value;
    } else if (option == "--write-tests") {
      options.tests_dir = value;
    } else {
      throw UserError(option, "no such option, --help lists them");
    }
  }
};

CommandLine parse(const std::vector<std::string>& arguments) {
  CommandLine line;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& option = arguments[i];
    if (option == "--help") {
      line.wants_help = true;
    } else if (option == "--require-coverage") {
      line.options.requires_coverage = true;
    } else if (++i < arguments.size()) {
      line.set(option, arguments[i]);
    } else {
      throw UserError(option, "found nothing behind it, needed is a value; --help lists the options");
    }
  }
  if (line.is_replay) line.options.count = 1;
  if (!line.options.first_seed) line.options.first_seed = std::random_device{}();
  return line;
}

int run_program(int argc, char** argv) {
  try {
    const CommandLine line = parse({argv + 1, argv + argc});
    if (line.wants_help) {
      fmt::print("{}", kHelp);
      return 0;
    }
    const bool asks_the_core = line.options.most_core_exceptions || !line.options.core_spread_file.empty() ||
                               line.options.core_percent != Setup::kCorePercent;
    if (asks_the_core && !line.options.has_core)
      throw UserError("--core-percent, --core-exceptions, --core-spread", "are for --rtl-scope core");
    if ((line.options.rtl_memory || line.options.has_core) && cosim::rtl_blocks().empty()) {
      fmt::print("skipped: this program has no RTL\n");
      return kSkipped;
    }
    return line.graph_file.empty() ? run_campaign(line.options) : run_file(line.graph_file, line.options);
  } catch (const UserError& error) {
    fmt::print(stderr, "fuzz-ops: {}\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace vernier::tests::fuzz

/// SystemC's library asks for this name; nothing of ours calls it.
extern "C" int sc_main(int argc, char** argv) { return vernier::tests::fuzz::run_program(argc, argv); }

int main(int argc, char** argv) { return vernier::tests::fuzz::run_program(argc, argv); }
