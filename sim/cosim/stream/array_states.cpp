// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/array_states.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::cosim {
namespace {

using spec::ArrayState;

std::string_view name_of(ArrayState state) { return spec::kArrayStateNames[static_cast<size_t>(state)]; }

constexpr int64_t kMostUndrained = spec::kNumAccumulatorBanks - 1;  // with a bank left for a row

}  // namespace

ArrayStates::ArrayStates(const ClockedBlock& block, const spec::Datapath& datapath)
    : datapath_(datapath),
      stall_(block.port("stall_o")),
      cmd_ready_(block.port("cmd_ready_o")),
      act_valid_(block.port("act_valid_i")),
      act_ready_(block.port("act_ready_o")),
      act_last_(block.port("act_last_i")),
      wgt_valid_(block.port("wgt_valid_i")),
      wgt_ready_(block.port("wgt_ready_o")),
      wgt_last_(block.port("wgt_last_i")),
      out_valid_(block.port("out_valid_o")),
      out_ready_(block.port("out_ready_i")),
      out_last_of_tile_(block.port("out_last_of_tile_o")),
      out_last_(block.port("out_last_o")) {}

ArrayStates::Running::Running(const spec::MacCommand& given, const spec::Datapath& datapath,
                              const timing::CommandEdges& edges)
    : command(given), order(command, datapath), schedule(edges.states) {}

void ArrayStates::reset() {
  running_.reset();
  num_out_ = num_tiles_ = num_tiles_out_ = 0;
  residual_of_.clear();
  undrained_.clear();
  rows_.clear();
  slot_row_ = slot_cycle_ = 0;
}

std::optional<Mismatch> ArrayStates::see(const Cycle& cycle) {
  if (running_) ++running_->cycles;
  const uint64_t bits = stall_.get();
  if (bits < counts_.size()) ++counts_[bits];
  std::optional<Mismatch> found;
  const auto wants = [&](std::string_view wanted) {
    if (running_ && running_->is_told) return;
    if (running_) running_->is_told = true;
    const auto actual = bits < spec::kArrayStateNames.size() ? spec::kArrayStateNames[bits] : "no state";
    found = Mismatch{.kind = MismatchKind::State,
                     .port = "stall_o",
                     .expected = std::string(wanted),
                     .actual = std::string(actual),
                     .operands = fmt::format("{} after the command's handshake",
                                             base::counted(running_ ? running_->cycles : 0, "cycle"))};
  };
  const auto state = static_cast<ArrayState>(bits);
  const ArrayState due = expected();
  const bool is_possible = state == due || may_hold_residual(state, due) || (cycle.may_drain_stand && may_be(state, due));
  if (!is_possible) wants(name_of(due));
  const std::optional<ArrayState> ideal = scheduled();
  if (cycle.is_exact && ideal && state != *ideal) wants(name_of(*ideal));
  advance(is_possible ? state : due);
  const bool is_over = cmd_ready_.get() != 0;
  if (cycle.taken != nullptr) {
    running_ = std::make_unique<Running>(*cycle.taken, datapath_, *cycle.schedule);
    if (cycle.taken->last) residual_of_.push_back(cycle.taken->residual);
  } else if (is_over) {
    running_.reset();
  }
  return found;
}

bool ArrayStates::reaches_unread_rows() const {
  return std::ranges::any_of(rows_, [&](const Row& row) { return num_tiles_ - row.tile >= spec::kNumAccumulatorBanks; });
}

ArrayState ArrayStates::expected() const {
  if (!running_) return ArrayState::Idle;
  if (running_->cycles <= spec::kSramReadLatencyCycles) return ArrayState::Fill;
  if (!running_->has_rows_left) return running_->command.last ? ArrayState::RescaleContention : ArrayState::Fill;
  if (static_cast<int64_t>(undrained_.size()) > kMostUndrained) return ArrayState::RescaleContention;
  if (!running_->has_weights) return ArrayState::WeightLoad;
  if (!drain_moves() && reaches_unread_rows()) return ArrayState::OutputWait;
  return act_valid_.get() == 0 && !running_->is_high_due ? ArrayState::InputWait : ArrayState::Busy;
}

/// The state that the current cycle has to have. Cycles come in ascending order, so the search goes on where it was.
std::optional<ArrayState> ArrayStates::scheduled() {
  if (!running_) return std::nullopt;
  Running& run = *running_;
  while (run.part < run.schedule.size() && run.cycles > run.part_begin + run.schedule[run.part].cycles) {
    run.part_begin += run.schedule[run.part++].cycles;
  }
  if (run.part == run.schedule.size()) return std::nullopt;
  return run.schedule[run.part].state;
}

/// Where the drain may stand for want of parameters or an addend, or may have stood: `due` is of one that has not.
bool ArrayStates::may_be(ArrayState state, ArrayState due) const {
  if (state == due) return true;
  const bool waits_for_drain = due == ArrayState::OutputWait || due == ArrayState::InputWait || due == ArrayState::Busy;
  if (state == ArrayState::RescaleContention) {
    const bool can_bank_miss = num_tiles_ - num_tiles_out_ > kMostUndrained;
    return can_bank_miss && (due == ArrayState::WeightLoad || waits_for_drain);
  }
  return state == ArrayState::OutputWait && waits_for_drain && num_tiles_ > num_tiles_out_ && act_ready_.get() == 0;
}

/// A row with a residual that was read may stay a cycle longer while the drain stands.
bool ArrayStates::may_hold_residual(ArrayState state, ArrayState due) const {
  const bool is_row_due = due == ArrayState::InputWait || due == ArrayState::Busy;
  return state == ArrayState::OutputWait && is_row_due && !drain_moves() && residual_of_[static_cast<size_t>(num_out_)];
}

/// Whether the row that comes ends in this cycle.
bool ArrayStates::takes_row(ArrayState state) const {
  if (running_->command.input.type == base::ElementType::Int16) return running_->is_high_due && state == ArrayState::Busy;
  return act_valid_.get() != 0 && act_ready_.get() != 0 && act_last_.get() != 0;
}

/// The next row's place; whether the active weight tile is over.
bool ArrayStates::end_row() {
  Running& run = *running_;
  const int64_t rows = run.order.end_row(run.place.row_tile) - run.order.first_row(run.place.row_tile);
  if (++run.row < rows) return false;
  run.row = 0;
  const sequence::MacPlace before = run.place;
  run.has_rows_left = run.order.advance(run.place);
  const bool ends_tile =
      !run.has_rows_left || run.place.row_tile != before.row_tile || run.place.channel_tile != before.channel_tile;
  if (ends_tile && run.command.last) {
    undrained_.push_back(
        {num_tiles_++, rows, std::ssize(residual_of_) - 1, run.command.residual ? spec::kResidualPaceCycles : 1});
  }
  return !run.has_rows_left || run.order.is_loaded(run.place);
}

void ArrayStates::move_drain() {
  for (Row& row : rows_) ++row.stage;
  while (!rows_.empty() && rows_.front().stage > spec::kMacPipelineCycles) rows_.pop_front();
  if (undrained_.empty() || undrained_.front().command != num_out_) return;
  const RowTile& tile = undrained_.front();
  if (slot_cycle_ == 0) rows_.push_back({tile.number, 1});
  if (++slot_cycle_ < tile.cycles_of_row) return;
  slot_cycle_ = 0;
  if (++slot_row_ < tile.rows) return;
  slot_row_ = 0;
  undrained_.pop_front();
}

/// What the edge does.
void ArrayStates::advance(ArrayState state) {
  const bool is_out = out_valid_.get() != 0 && out_ready_.get() != 0;
  if (drain_moves()) move_drain();
  if (is_out && out_last_of_tile_.get() != 0) ++num_tiles_out_;
  if (is_out && out_last_.get() != 0) ++num_out_;
  if (!running_) return;
  Running& run = *running_;
  bool is_tile_over = false;
  const bool takes_beat = act_valid_.get() != 0 && act_ready_.get() != 0;
  if (run.has_rows_left && takes_row(state)) {
    is_tile_over = end_row();
    run.is_high_due = false;
  } else if (takes_beat && act_last_.get() != 0) {
    run.is_high_due = true;  // of int16
  }
  const bool has_bank = static_cast<int64_t>(undrained_.size()) <= kMostUndrained;
  if (is_tile_over) run.has_weights = false;
  if (run.is_shadow_full && !run.has_weights && has_bank) {
    run.is_shadow_full = false;
    run.has_weights = true;
  }
  if (wgt_valid_.get() != 0 && wgt_ready_.get() != 0 && wgt_last_.get() != 0) run.is_shadow_full = true;
}

}  // namespace vernier::cosim
