// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/scoreboard.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>

namespace vernier::cosim {

void LockStepResult::add(const LockStepResult& part) {
  vectors += part.vectors;
  mismatches += part.mismatches;
  cycle_mismatches += part.cycle_mismatches;
  model_cycles += part.model_cycles;
  rtl_cycles += part.rtl_cycles;
  commands += part.commands;
  groups.insert(groups.end(), part.groups.begin(), part.groups.end());
  if (!first_place) first_place = part.first_place;
  for (const Mismatch& mismatch : part.first_mismatches) {
    if (first_mismatches.size() < kMaxMessages) first_mismatches.push_back(mismatch);
  }
}

void LockStepResult::report(Mismatch mismatch, size_t most_kept) {
  if (!first_place && mismatch.cycle >= 0) first_place = {mismatch.cycle, mismatch.lane};
  ++mismatches;
  if (first_mismatches.size() < most_kept) first_mismatches.push_back(std::move(mismatch));
}

LockStepResult LockStepResult::ended_at(const Hang& hang) const {
  if (mismatches == 0 || hang.is_stop()) throw;
  LockStepResult ended = *this;
  ++ended.mismatches;
  ended.first_mismatches.push_back({.kind = MismatchKind::Stopped, .words = hang.what()});
  return ended;
}

std::string LockStepResult::verdict(std::string_view if_all_equal) const {
  if (mismatches > 0) {
    const std::string all = base::counted(mismatches, "mismatch");
    return cycle_mismatches == 0 ? all
                                 : fmt::format("{}, {} not those of hw/spec", all, base::counted(cycle_mismatches, "edge"));
  }
  if (cycle_mismatches == 0) return std::string(if_all_equal);
  return fmt::format("every result equal, {} not in the cycles of hw/spec", base::with_thousands(cycle_mismatches));
}

Scoreboard::Scoreboard(const ClockedBlock& block, std::vector<std::string> groups)
    : block_(block), groups_(std::move(groups)) {
  static_cast<void>(take());
}

void Scoreboard::report(Mismatch mismatch) {
  mismatch = block_.seen_now(std::move(mismatch));
  if (describe_) describe_(mismatch);
  if (sink_) sink_(mismatch);
  result_.report(std::move(mismatch), most_kept_);
}

void Scoreboard::add_result(int group, std::optional<Mismatch> mismatch, bool is_edge_wrong) {
  LockStepResult::Group& counted = result_.groups[static_cast<size_t>(group)];
  ++result_.vectors;
  ++counted.vectors;
  if (is_edge_wrong) ++result_.cycle_mismatches;
  if (!mismatch) return;
  ++counted.mismatches;
  mismatch->vector = result_.vectors - 1;
  if (mismatch->work.empty()) mismatch->work = counted.name;
  report(std::move(*mismatch));
}

LockStepResult Scoreboard::take() {
  LockStepResult taken = std::exchange(result_, {});
  for (const std::string& name : groups_) result_.groups.push_back({name});
  return taken;
}

}  // namespace vernier::cosim
