// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/network/cosim.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cosim/lockstep/core_lock_step.hpp"
#include "sim/cosim/lockstep/foreign_block.hpp"
#include "sim/cosim/lockstep/vector_lock_step.hpp"
#include "sim/cosim/stream/rescale_driver.hpp"
#include "sim/cosim/stream/table_driver.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace vernier::cosim {
namespace {

constexpr size_t kMaxMissing = 10;

void check_vectors(int64_t vectors) {
  if (vectors >= 1 && vectors <= kMaxVectors) return;
  throw base::UserError("--vectors", "{} vectors, allowed are 1 to {}", vectors, kMaxVectors);
}

const spec::RtlBlock& known_unit(std::string_view unit) {
  const spec::RtlBlock* block = spec::rtl_block_of_unit(unit);
  if (block != nullptr) return *block;
  const std::vector<std::string> names = cosim_units();
  throw base::UserError("cosim", "'{}' is not one of {}{}", unit, fmt::join(names, ", "), base::suggestion(unit, names));
}

/// Hang when the block never answers.
void look_at(ClockedBlock& block, const CosimOptions& options, CosimReport& report) {
  const spec::RtlKind kind = block.description().kind;
  if (kind == spec::RtlKind::VectorUnit) return;  // a run says so
  if (kind != spec::RtlKind::Pipe) return require_answer(block, datapath_of(options));
  report.latency_cycles = measured_latency(block);
  if (!options.is_strict) block.expect_latency(report.latency_cycles);
}

template <typename Coverage>
void add_coverage(const Coverage& coverage, CosimReport& report) {
  report.bins_hit += coverage.num_hit();
  report.bins_legal += coverage.num_legal();
  // The table unit has bins without names.
  if constexpr (requires { coverage.missing(); })
    std::ranges::move(coverage.missing(), std::back_inserter(report.bins_missing));
}

void run_lanes(ClockedBlock& block, UnitDriver& driver, CosimReport& report) {
  const CosimOptions& options = report.options;
  PinLog log(block);
  PinLog kept(block);
  kept.keep_all(options.kept_cycles);
  LockStepOptions run{.logs = {&log}};
  if (options.kept_cycles > 0) run.logs.push_back(&kept);
  LockStep lock_step(block, driver, options.seed, run);
  report.result = lock_step.run(options.vectors, options.progress);
  report.kept = kept.rows();
  if (report.result.mismatches == 0) return;
  report.fault.emplace(FirstFault{.unit = options.unit,
                                  .mismatch = report.result.first_mismatches.front(),
                                  .rows = log.rows(),
                                  .latency_cycles = block.description().latency_cycles,
                                  .is_measured = options.is_foreign});
}

void run_pipe(ClockedBlock& block, CosimReport& report) {
  if (block.description().unit == "table") {
    TableDriver driver(block);
    run_lanes(block, driver, report);
    add_coverage(driver.coverage(), report);
    return;
  }
  RescaleDriver driver(block);
  run_lanes(block, driver, report);
  add_coverage(driver.coverage(), report);
}

RunOptions run_options(const CosimOptions& options) {
  return {.seed = options.seed, .is_strict = options.is_strict, .keeps_fault = true};
}

/// Of an array or a vector unit.
template <typename UnitLockStep>
void run_commands(ClockedBlock& block, CosimReport& report) {
  const CosimOptions& options = report.options;
  UnitLockStep lock_step(block, datapath_of(options), run_options(options));
  report.result = lock_step.run(options.vectors, options.progress);
  report.fault = first_fault(options.unit, lock_step.take_fault());
  add_coverage(lock_step.coverage(), report);
}

void run_core(ClockedBlock& block, CosimReport& report) {
  CoreLockStep lock_step(block, datapath_of(report.options), run_options(report.options));
  report.result = lock_step.run(report.options.vectors, report.options.progress);
  add_coverage(lock_step.array_coverage(), report);
  add_coverage(lock_step.vector_coverage(), report);
}

}  // namespace

spec::Datapath datapath_of(const CosimOptions& options) {
  return {options.lanes, options.sram_read_words, options.sram_read_words / 2};
}

double CosimReport::coverage_percent() const {
  return bins_legal == 0 ? 100.0 : 100.0 * static_cast<double>(bins_hit) / static_cast<double>(bins_legal);
}

std::vector<std::string> cosim_units() {
  std::vector<std::string> units;
  for (const spec::RtlBlock& block : spec::kRtlBlocks) units.emplace_back(block.unit);
  return units;
}

std::unique_ptr<RtlBlock> make_unit(std::string_view unit, int lanes) { return own_rtl().make(known_unit(unit), lanes, {}); }

CosimReport run_cosim(const CosimOptions& options) {
  check_vectors(options.vectors);
  return run_cosim(options, make_unit(options.unit, options.lanes));
}

CosimReport run_cosim(const CosimOptions& options, std::unique_ptr<RtlBlock> block) {
  const spec::RtlBlock& unit = known_unit(options.unit);
  check_vectors(options.vectors);
  if (options.wave != nullptr) block->open_wave(*options.wave);
  ClockedBlock clocked(std::move(block), unit, options.lanes);
  CosimReport report;
  report.options = options;
  report.latency_cycles = unit.latency_cycles;
  if (options.is_foreign) look_at(clocked, options, report);
  switch (unit.kind) {
    case spec::RtlKind::Pipe: run_pipe(clocked, report); break;
    case spec::RtlKind::Array: run_commands<ArrayLockStep>(clocked, report); break;
    case spec::RtlKind::VectorUnit: run_commands<VectorLockStep>(clocked, report); break;
    case spec::RtlKind::Core: run_core(clocked, report); break;
  }
  if (report.bins_missing.size() > kMaxMissing) report.bins_missing.resize(kMaxMissing);
  if (!options.is_strict && report.result.model_cycles > 0)
    report.result.model_cycles -= report.latency_cycles - unit.latency_cycles;  // of the last result
  return report;
}

namespace {

std::string verdict_of(const CosimReport& report) {
  const bool is_own_depth = report.latency_cycles != known_unit(report.options.unit).latency_cycles;
  return report.result.verdict(is_own_depth ? fmt::format("every result equal, each {} after its vector",
                                                          base::counted(report.latency_cycles, "cycle"))
                                            : "every result and every edge equal");
}

}  // namespace

std::string cosim_text(const CosimReport& report) {
  using base::with_thousands;
  const LockStepResult& result = report.result;
  const std::string verdict = verdict_of(report);
  std::string text =
      fmt::format("{} on {}: {} of {} lanes compared: {} (seed {})\n", report.options.unit, report.options.config,
                  base::counted(result.vectors, "vector"), report.options.lanes, verdict, report.options.seed);
  text +=
      result.model_cycles == 0
          ? "cycles: none counted, as no sequence of commands without stalls came to its end; with more --vectors, some do\n"
          : fmt::format("cycles: RTL {}, model {}\n", with_thousands(result.rtl_cycles),
                        with_thousands(result.model_cycles));
  if (const int64_t specified = known_unit(report.options.unit).latency_cycles; report.latency_cycles != specified)
    text += fmt::format("latency: RTL {}, hw/spec {}: a unit of another depth by itself, the array is built for hw/spec's\n",
                        base::counted(report.latency_cycles, "cycle"), specified);
  const int64_t num_missing = report.bins_legal - report.bins_hit;
  text +=
      num_missing == 0
          ? fmt::format("coverage: all {} legal combinations of modes occurred\n", with_thousands(report.bins_legal))
          : fmt::format("coverage: {} of {} legal combinations of modes occurred, {:.2f} %; with more --vectors, more do\n",
                        with_thousands(report.bins_hit), with_thousands(report.bins_legal), report.coverage_percent());
  for (const std::string& bin : report.bins_missing) text += fmt::format("  not yet: {}\n", bin);
  const int64_t num_more = num_missing - static_cast<int64_t>(report.bins_missing.size());
  if (num_more > 0 && !report.bins_missing.empty()) text += fmt::format("  and {} more\n", with_thousands(num_more));
  size_t longest = 24;  // name
  for (const LockStepResult::Group& group : result.groups) {
    if (group.vectors > 0) longest = std::max(longest, group.name.size());
  }
  for (const LockStepResult::Group& group : result.groups) {
    if (group.vectors == 0) continue;
    text += fmt::format("  {:<{}} {:>12} vectors, {}\n", group.name, longest, with_thousands(group.vectors),
                        group.mismatches == 0 ? "all equal" : with_thousands(group.mismatches) + " different");
  }
  return text + mismatch_lines(result.first_mismatches, result.mismatches);
}

}  // namespace vernier::cosim
