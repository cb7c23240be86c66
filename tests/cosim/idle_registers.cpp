// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/idle_registers.hpp"

#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/register_changes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::cosim {
namespace {

constexpr int64_t kLeastChanges = 500;  // of a command: the count counts

struct Kind {
  std::string name;
  Work array;
};

Work with_int16(Work array) {
  spec::MacCommand& m = array.mac();
  m.input.type = base::ElementType::Int16;
  m.input_zero_point = 0;
  m.input.pixel_pitch_bytes *= 2;
  m.input.row_pitch_bytes *= 2;
  m.input.block_pitch_bytes *= 2;
  return array;
}

/// Commands after which different registers hold what came last.
std::vector<Kind> kinds() {
  std::vector<Kind> kinds{{"a residual and a table", with_residual(kN8, 8, 16, true)},
                          {"int16", with_int16(pointwise(kN8, 24, 8))},
                          {"weights of int16", with_int16(pointwise(kN8, 24, 8))},
                          {"depthwise", depthwise(kN8)},
                          {"depthwise, int16", with_int16(depthwise(kN8))},
                          {"4 pixels a row", pointwise(kN8, 24, 8)},
                          {"depthwise, 4 pixels a row", depthwise(kN8)},
                          {"weights that lie by taps", pointwise(kN8, 24, 8)},
                          {"the first slice of a reduction", pointwise(kN8, 24, 8)},
                          {"results of 32 bits", pointwise(kN8, 24, 8)}};
  const auto of = [&](std::string_view name) -> spec::MacCommand& {
    return std::ranges::find(kinds, name, &Kind::name)->array.mac();
  };
  of("weights of int16").weight_type = base::ElementType::Int16;
  of("weights of int16").weight_zero_point = 0;
  of("weights of int16").weight_base = 4096;
  of("4 pixels a row").lane_split_log2 = 2;
  of("depthwise, 4 pixels a row").lane_split_log2 = 2;
  of("weights that lie by taps").weight_order = spec::WeightOrder::TapMajor;
  of("weights that lie by taps").weight_pitch_bytes = 8;
  of("the first slice of a reduction").last = false;
  of("the first slice of a reduction").reduction_end = 8;
  of("the first slice of a reduction").row_tile_rows = 64;
  of("results of 32 bits").rescale = false;
  of("results of 32 bits").output = {0, 3 * 8 * 4, 8 * 4, 8 * 4, base::ElementType::Int32};
  return kinds;
}

}  // namespace

std::string idle_register_changes(ClockedBlock& block) {
  RegisterChanges registers(block, 9);
  ArrayLockStep lock_step(block, kN8);
  const std::string_view unit = block.description().unit;
  std::vector<std::string_view> valids{"cmd_valid_i", "wgt_valid_i", "act_valid_i", "prm_valid_i", "add_valid_i"};
  if (unit == "mac_array") valids.insert(valids.end(), {"scale_valid_i", "look_valid_i"});
  if (unit == "datapath") valids.emplace_back("tbl_valid_i");
  for (const Kind& kind : kinds()) {
    const int64_t from = block.cycle();
    lock_step.run_sequence({.works = {kind.array}, .idle_cycles = 8});
    registers.add(kind.name, from);
    registers.scramble("idle after " + kind.name, valids, true);
  }
  // In the middle of a command that has rows in every stage: en_i low, and nothing offered; then no row is taken.
  lock_step.run_sequence({.works = {pointwise(kN8, 8, 32)}, .most_results = 20});
  registers.scramble("en_i low in a command", std::span(valids).last(1), false);
  valids.emplace_back("out_ready_i");
  registers.scramble("until all stands", valids, true);
  registers.scramble("while a result waits", valids, true);
  const bool waits = unit != "datapath" || block.port("out_valid_o").get() == 1;
  std::string what = waits ? "" : "no result waits; ";
  for (const Mismatch& mismatch : lock_step.result().first_mismatches) what += mismatch.print() + "; ";
  for (const auto& [name, changes] : registers.finish()) {
    const bool is_command = std::ranges::any_of(kinds(), [&](const Kind& kind) { return kind.name == name; });
    const int64_t least = is_command ? kLeastChanges : name == "until all stands" ? 1 : 0;
    if (least > 0 ? changes < least : changes > 0) what += fmt::format("{} changes of registers: {}; ", changes, name);
  }
  return what;
}

}  // namespace vernier::cosim
