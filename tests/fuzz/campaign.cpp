// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/campaign.hpp"

#include "hw/base/file.hpp"
#include "tests/fuzz/core_spread.hpp"
#include "tests/fuzz/coverage.hpp"
#include "tests/fuzz/makers.hpp"
#include "tests/fuzz/shrink.hpp"
#include "tests/fuzz/written_test.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>

namespace vernier::tests::fuzz {

namespace {

struct Case {
  uint64_t seed = 0;
  GraphKind kind = GraphKind::Single;
  bool is_large = false;
  Setup setup;
};

/// Everything is drawn whether it is used or not, so that an option changes nothing but what it names.
Case draw_case(const Options& options, uint64_t seed) {
  Random random(seed * 2 + 1);
  Case drawn;
  drawn.seed = seed;
  const GraphKind kind = random.chance(33) ? GraphKind::Connected : GraphKind::Single;
  drawn.kind = options.kind.value_or(kind);
  const bool is_tight = random.chance(50), is_large = random.chance(is_tight ? 80 : 20);
  const int64_t percent = is_tight ? random.pick<int64_t>({100, 100, 100, 103, 130, 200}) : 0;
  drawn.setup.sram_percent = options.sram_percent.value_or(percent);
  drawn.is_large = options.is_large.value_or(is_large);
  const int64_t speed = random.chance(30) ? random.within(1, 100'000) : 0;
  drawn.setup.speed = options.speed.value_or(speed);
  drawn.setup.preset = random.pick(options.presets);
  const int64_t optimize = random.chance(75) ? 1 : 0;
  drawn.setup.optimize = options.optimize.value_or(optimize);
  // Without a home outside, feature maps stay whole: a tight SRAM says most where everything can move.
  const auto anywhere = static_cast<spec::MemoryMode>(random.within(0, 2));
  drawn.setup.memory = options.memory.value_or(is_tight && random.chance(70) ? spec::MemoryMode::External : anywhere);
  drawn.setup.rtl_memory = options.rtl_memory;
  drawn.setup.has_core = options.has_core;
  drawn.setup.core_percent = options.most_core_exceptions ? Options::kMostCorePercent : options.core_percent;
  return drawn;
}

std::string replay_line(const Case& failed) {
  return fmt::format("./dev fuzz-ops --replay {} --kind {} --large {} {}", failed.seed,
                     kGraphKindNames.at(static_cast<size_t>(failed.kind)), failed.is_large ? 1 : 0, to_string(failed.setup));
}

/// The printed form without the values of long constants.
std::string short_form(const std::string& printed) {
  constexpr size_t kMostColumns = 300;
  std::string text;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);)
    text += line.size() > kMostColumns ? line.substr(0, kMostColumns) + "...\n" : line + "\n";
  return text;
}

void report_failure(Oracle& oracle, const Case& failed, const RandomGraph& random, const Verdict& verdict,
                    const std::string& output_dir) {
  fmt::print("FAILED {}\n  {}\n", replay_line(failed), verdict.message);
  std::fflush(stdout);
  const auto still_fails = [&](const RandomGraph& smaller) {
    return oracle.judge(smaller, failed.setup, failed.seed).kind == Verdict::Kind::Failed;
  };
  const RandomGraph small = shrink(random, still_fails);
  const Verdict last = oracle.judge(small, failed.setup, failed.seed);
  const std::string printed = ir::print(small.graph);
  const std::string file = fmt::format("{}/fuzz-{}.graph", output_dir, failed.seed);
  const std::string text = fmt::format("# {}\n# {}\n{}", to_string(failed.setup), last.message, printed);
  base::write_text_file(file, text);
  fmt::print("  made small: {}\n{}  written to {}\n\n", last.message, short_form(printed), file);
  std::fflush(stdout);
}

/// The graphs of a file: each ends before the next comment.
std::vector<std::string> graphs_of(const std::string& file) {
  std::istringstream lines(base::read_text_file(file));
  std::vector<std::string> graphs(1);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) {
      graphs.back() += line + "\n";
    } else if (!graphs.back().empty()) {
      graphs.emplace_back();
    }
  }
  return graphs;
}

std::vector<Setup> all_setups(const Options& options) {
  std::vector<Setup> setups;
  for (const std::string& preset : options.presets) {
    for (const auto memory : {spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External}) {
      for (const int64_t optimize : {0, 1}) {
        for (const int64_t percent : {0, 100}) {
          if (options.memory.value_or(memory) == memory && options.optimize.value_or(optimize) == optimize &&
              options.sram_percent.value_or(percent) == percent)
            setups.push_back(
                {preset, memory, optimize, percent, options.speed.value_or(0), options.rtl_memory, options.has_core});
        }
      }
    }
  }
  return setups;
}

}  // namespace

int run_campaign(const Options& options) {
  const uint64_t first = options.first_seed.value_or(0);
  fmt::print("{} graphs from seed {}\n", options.count, first);
  std::fflush(stdout);
  Oracle oracle;
  Coverage coverage;
  CoreSpread spread;
  int64_t num_failed = 0, num_exceptions = 0;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(options.count) && num_failed < options.most_failures;
       ++seed) {
    const Case drawn = draw_case(options, seed);
    const RandomGraph random = random_graph(seed, drawn.kind, drawn.is_large);
    const Verdict verdict = oracle.judge(random, drawn.setup, seed);
    coverage.add(random.graph, verdict);
    if (verdict.core) spread.add(seed, *verdict.core);
    if (verdict.core && verdict.core->is_more_than(options.core_percent)) {
      ++num_exceptions;
      fmt::print("D-034: on the core {:+.1f} % {}\n", verdict.core->more_percent(), replay_line(drawn));
    }
    if (verdict.kind == Verdict::Kind::Equal && !options.tests_dir.empty())
      write_test(fmt::format("{}/{}", options.tests_dir, seed), random.graph, random_inputs(random, seed));
    if (verdict.kind != Verdict::Kind::Failed) continue;
    ++num_failed;
    report_failure(oracle, drawn, random, verdict, options.output_dir);
  }
  fmt::print("{}", coverage.text());
  const bool are_exceptions_too_many = num_exceptions > options.most_core_exceptions.value_or(0);
  if (options.has_core)
    fmt::print("{} graphs are more than {} % and {} cycles off on the core, allowed are {}\n", num_exceptions,
               options.core_percent, Setup::kCoreCycles, options.most_core_exceptions.value_or(0));
  if (!spread.is_empty()) fmt::print("{}", spread.text());
  if (!options.core_spread_file.empty() && !spread.is_empty()) {
    const std::string_view kind = options.kind ? kGraphKindNames.at(static_cast<size_t>(*options.kind)) : "any";
    base::write_text_file(options.core_spread_file,
                          spread.json(std::string(kind), fmt::format("{}", fmt::join(options.presets, " "))));
  }
  const std::vector<std::string> missing = coverage.missing();
  if (options.requires_coverage) {
    for (const std::string& mode : missing) fmt::print("never ran: {}\n", mode);
  }
  return num_failed > 0 || are_exceptions_too_many || (options.requires_coverage && !missing.empty()) ? 1 : 0;
}

int run_file(const std::string& file, const Options& options) {
  Oracle oracle;
  int exit_code = 0;
  for (const std::string& text : graphs_of(file)) {
    RandomGraph random{ir::parse(file, text), {}};
    ir::verify(random.graph, file, ir::kLevel8k);
    ir::judge_regions(random.graph, file, ir::kLevel8k);
    for (const ir::TensorId id : random.graph.inputs)
      random.input_ranges.push_back(whole_range(random.graph.tensor(id).type));
    uint64_t seed = 0;  // inputs differ from one setup to the next
    for (const Setup& setup : all_setups(options)) {
      const Verdict verdict = oracle.judge(random, setup, seed++);
      if (verdict.kind == Verdict::Kind::Equal) continue;
      fmt::print("FAILED {} {}\n  {}\n", file, to_string(setup), verdict.message);
      exit_code = 1;
    }
  }
  return exit_code;
}

}  // namespace vernier::tests::fuzz
