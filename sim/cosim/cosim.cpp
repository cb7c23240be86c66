// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/cosim.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cosim/array_lock_step.hpp"
#include "sim/cosim/rescale_driver.hpp"
#include "sim/cosim/table_driver.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::cosim {
namespace {

constexpr size_t kMaxMissing = 10;

const spec::RtlBlock* find_unit(std::string_view unit) {
  const auto* const found = std::ranges::find(spec::kRtlBlocks, unit, &spec::RtlBlock::unit);
  return found == spec::kRtlBlocks.end() ? nullptr : found;
}

void check_vectors(int64_t vectors) {
  if (vectors >= 1 && vectors <= kMaxVectors) return;
  throw base::UserError("--vectors", "{} vectors, allowed are 1 to {}", vectors, kMaxVectors);
}

const spec::RtlBlock& known_unit(std::string_view unit) {
  const spec::RtlBlock* block = find_unit(unit);
  if (block != nullptr) return *block;
  std::vector<std::string> names;
  for (const spec::RtlBlock& known : spec::kRtlBlocks) names.emplace_back(known.unit);
  throw base::UserError("cosim", "'{}' is not one of {}{}", unit, fmt::join(names, ", "), base::suggestion(unit, names));
}

/// A piece of JSON: text in quotes.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

double CosimReport::coverage_percent() const {
  return bins_legal == 0 ? 100.0 : 100.0 * static_cast<double>(bins_hit) / static_cast<double>(bins_legal);
}

std::vector<std::string> cosim_units() {
  std::vector<std::string> units;
  for (const spec::RtlBlock& block : spec::kRtlBlocks) {
    const auto is_built = [&](const RtlEntry& entry) { return entry.name == block.name; };
    if (std::ranges::any_of(rtl_blocks(), is_built)) units.emplace_back(block.unit);
  }
  return units;
}

CosimReport run_cosim(const CosimOptions& options) {
  const spec::RtlBlock& unit = known_unit(options.unit);
  check_vectors(options.vectors);
  auto block = make_rtl_block(unit.name, options.lanes, options.wave == nullptr ? RtlVariant::Plain : RtlVariant::Trace);
  if (!block && options.wave != nullptr && make_rtl_block(unit.name, options.lanes)) {
    throw base::UserError("--wave", "no waves of {} with {} lanes, allowed are 8 or 16: --config v64 or v256", options.unit,
                          options.lanes);
  }
  if (!block) {
    throw base::UserError(options.unit, "this program has no RTL of {} lanes: it was built without Verilator 5",
                          options.lanes);
  }
  return run_cosim(options, std::move(block));
}

CosimReport run_cosim(const CosimOptions& options, std::unique_ptr<RtlBlock> block) {
  const spec::RtlBlock& unit = known_unit(options.unit);
  check_vectors(options.vectors);
  if (options.wave != nullptr) block->open_wave(*options.wave);
  ClockedBlock clocked(std::move(block), unit, options.lanes);
  CosimReport report;
  report.options = options;
  if (unit.unit == "rescale") {
    RescaleDriver driver(clocked);
    report.result = LockStep(clocked, driver, options.seed).run(options.vectors);
    report.bins_hit = driver.coverage().num_hit();
    report.bins_legal = driver.coverage().num_legal();
    report.bins_missing = driver.coverage().missing();
  } else if (unit.latency_cycles == 0) {
    ArrayLockStep lock_step(clocked, {options.lanes, options.sram_read_words, options.sram_read_words / 2}, options.seed);
    report.result = lock_step.run(options.vectors);
    report.bins_hit = lock_step.coverage().num_hit();
    report.bins_legal = lock_step.coverage().num_legal();
    report.bins_missing = lock_step.coverage().missing();
  } else {
    TableDriver driver(clocked);
    report.result = LockStep(clocked, driver, options.seed).run(options.vectors);
    report.bins_hit = driver.coverage().num_hit();
    report.bins_legal = driver.coverage().num_legal();
  }
  if (report.bins_missing.size() > kMaxMissing) report.bins_missing.resize(kMaxMissing);
  return report;
}

std::string cosim_text(const CosimReport& report) {
  const LockStepResult& result = report.result;
  std::string text =
      fmt::format("{} on {}: {} vectors of {} lanes compared, {} mismatches, {} of them in cycles (seed {})\n",
                  report.options.unit, report.options.config, result.vectors, report.options.lanes, result.mismatches,
                  result.cycle_mismatches, report.options.seed);
  text += fmt::format("cycles: RTL {}, model {}\n", result.rtl_cycles, result.model_cycles);
  text += fmt::format("coverage: {} of {} legal bins, {:.2f} %\n", report.bins_hit, report.bins_legal,
                      report.coverage_percent());
  for (const std::string& bin : report.bins_missing) text += fmt::format("  not hit: {}\n", bin);
  for (const LockStepResult::Group& group : result.groups) {
    text += fmt::format("  {:<20} {:>10} vectors {:>8} mismatches\n", group.name, group.vectors, group.mismatches);
  }
  for (const std::string& mismatch : result.first_mismatches) text += fmt::format("mismatch: {}\n", mismatch);
  return text;
}

std::string cosim_json(const CosimReport& report, std::string_view tool_version) {
  const LockStepResult& result = report.result;
  std::vector<std::string> groups, mismatches;
  for (const LockStepResult::Group& group : result.groups) {
    groups.push_back(fmt::format("    {{\"group\": {}, \"vectors\": {}, \"mismatches\": {}}}", quoted(group.name),
                                 group.vectors, group.mismatches));
  }
  for (const std::string& text : result.first_mismatches) mismatches.push_back("    " + quoted(text));
  std::string json = "{\n  \"schema\": \"vernier-cosim/1\",\n";
  json += fmt::format("  \"tool_version\": {},\n  \"unit\": {},\n  \"config\": {},\n  \"lanes\": {},\n  \"seed\": {},\n",
                      quoted(tool_version), quoted(report.options.unit), quoted(report.options.config), report.options.lanes,
                      report.options.seed);
  json += fmt::format("  \"vectors\": {},\n  \"mismatches\": {},\n  \"cycle_mismatches\": {},\n", result.vectors,
                      result.mismatches, result.cycle_mismatches);
  json += fmt::format("  \"model_cycles\": {},\n  \"rtl_cycles\": {},\n", result.model_cycles, result.rtl_cycles);
  json += fmt::format("  \"commands_compared\": {},\n  \"commands_without_rtl\": 0,\n", result.commands);
  json += fmt::format("  \"coverage_bins\": {},\n  \"coverage_bins_hit\": {},\n  \"coverage_percent\": {:.4f},\n",
                      report.bins_legal, report.bins_hit, report.coverage_percent());
  json += fmt::format("  \"groups\": [\n{}\n  ],\n", fmt::join(groups, ",\n"));
  json += mismatches.empty() ? "  \"first_mismatches\": []\n}\n"
                             : fmt::format("  \"first_mismatches\": [\n{}\n  ]\n}}\n", fmt::join(mismatches, ",\n"));
  return json;
}

}  // namespace vernier::cosim
