// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/array_log.hpp"

#include <utility>

namespace vernier::cosim {

void ArrayLog::begin(Sequence without_works, int64_t cycle, bool begins_anew) {
  Logged logged = std::exchange(running_, {});
  if (begins_anew) {
    before_.clear();
  } else if (!logged.commands.empty()) {
    before_.push_back(std::move(logged));
  }
  running_.kept = std::move(without_works);
  running_.first_cycle = cycle;
}

void ArrayLog::reset() {
  before_.clear();
  if (!running_.kept.reset_after_cycles) running_ = {};
}

CommandReplay ArrayLog::replay(const kernels::TableMemory& tables) const {
  CommandReplay replay;
  replay.tables = tables;
  replay.first_cycle = before_.empty() ? running_.first_cycle : before_.front().first_cycle;
  const auto add = [&](const Logged& logged) {
    replay.sequences.push_back(logged.kept);
    for (const auto& command : logged.commands) replay.sequences.back().works.push_back(command->work());
  };
  for (const Logged& logged : before_) add(logged);
  add(running_);
  return replay;
}

void ArrayDoubts::add(Mismatch mismatch) {
  if (has_other_edges_) return;
  if (++count_ <= static_cast<int64_t>(kMaxMessages)) first_.push_back(std::move(mismatch));
}

void ArrayDoubts::settle(Scoreboard& board, std::optional<ArrayLog>& log, std::optional<CommandFault>& fault) {
  if (count_ == 0 || (!has_other_edges_ && !has_timely_rows_)) return;
  if (!has_other_edges_) {
    if (fault_ && log) {
      fault = std::move(fault_);
      log.reset();
    }
    LockStepResult& result = board.result();
    result.cycle_mismatches += count_;
    result.mismatches += count_ - std::ssize(first_);
    for (Mismatch& mismatch : first_) result.report(std::move(mismatch), board.most_kept());
  }
  count_ = 0;
  first_.clear();
  fault_.reset();
}

}  // namespace vernier::cosim
