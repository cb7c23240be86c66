// SPDX-License-Identifier: Apache-2.0
// What stall_o has to say in each cycle with en_i, from what happened on the other ports.
//
//   idle                no command runs: from the cycle after an edge with cmd_ready_o that takes none
//   fill                the first two cycles after a command's handshake; of a slice also those after its last row
//   rescale_contention  two row tiles that are over are not drained, or the command waits for its last drain to begin
//   weight_load         the row's weight tile is not the active one
//   output_wait         the drain stands, and the row's bank has rows of an earlier row tile that it has not read
//   input_wait          no beat is there for a row that could be taken
//   busy                a beat of a row is taken; of int16 also the cycle of a row's high bytes
// The first of them that is true counts; a row tile is drained when the drain has come to its last row, a row is read
// kMacPipelineCycles later. docs/architecture/mac-array.md is where this comes from.
//
// The drain stands while a result waits on out_*, and while parameters or an addend miss. The latter is seen on no port, so
// after a cycle in which they stayed away the rest of the sequence is compared in fewer names: those that may be.
// At exact paces each cycle also has the state that timing::mac_edges() gives it, which knows nothing of ports.
#pragma once

#include "hw/sequence/mac_order.hpp"
#include "hw/spec/latency.hpp"
#include "hw/timing/mac_edges.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/block/mismatch.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vernier::cosim {

class ArrayStates {
 public:
  ArrayStates(const ClockedBlock& block, const spec::Datapath& datapath);
  /// The block was reset.
  void reset();
  using Counts = std::array<int64_t, spec::kArrayStateNames.size()>;
  /// Cycles so far in which stall_o named each state.
  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// What else is known of a cycle.
  struct Cycle {
    const spec::MacCommand* taken = nullptr;         // the command that its edge takes
    const timing::CommandEdges* schedule = nullptr;  // that command's
    bool is_exact = false;                           // the pace: `schedule` says the state of each cycle
    bool may_drain_stand = false;                    // parameters or addends have stayed away in this sequence
  };
  /// A cycle with en_i, all its signals settled, before its edge: what differs about stall_o, without unit and cycle.
  std::optional<Mismatch> see(const Cycle& cycle);

 private:
  /// The command that was taken last, until the next one can come.
  struct Running {
    Running(const spec::MacCommand& given, const spec::Datapath& datapath, const timing::CommandEdges& edges);
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    spec::MacCommand command;
    sequence::MacOrder order;
    std::vector<timing::StateCycles> schedule;
    int64_t cycles = 0;        // since its handshake
    size_t part = 0;           // of the schedule: the one that the cycle is in
    int64_t part_begin = 0;    // the last cycle before it
    sequence::MacPlace place;  // of the row that comes
    int64_t row = 0;           // of its row tile
    bool is_high_due = false;  // of an int16 row
    bool has_rows_left = true;
    bool is_shadow_full = false, has_weights = false;
    bool is_told = false;  // a difference: the first one of a command is told
  };
  struct RowTile {
    int64_t number = 0, rows = 0, command = 0;
    int64_t cycles_of_row = 1;
  };
  struct Row {
    int64_t tile = 0;
    int64_t stage = 0;
  };
  [[nodiscard]] bool drain_moves() const { return out_valid_.get() == 0 || out_ready_.get() != 0; }
  [[nodiscard]] bool reaches_unread_rows() const;
  [[nodiscard]] spec::ArrayState expected() const;
  [[nodiscard]] std::optional<spec::ArrayState> scheduled();
  [[nodiscard]] bool may_be(spec::ArrayState state, spec::ArrayState due) const;
  [[nodiscard]] bool may_hold_residual(spec::ArrayState state, spec::ArrayState due) const;
  [[nodiscard]] bool takes_row(spec::ArrayState state) const;
  bool end_row();
  void move_drain();
  void advance(spec::ArrayState state);

  spec::Datapath datapath_;
  Port stall_, cmd_ready_, act_valid_, act_ready_, act_last_, wgt_valid_, wgt_ready_, wgt_last_, out_valid_, out_ready_,
      out_last_of_tile_, out_last_;
  Counts counts_{};
  std::unique_ptr<Running> running_;
  std::vector<bool> residual_of_;  // each command that has a drain
  int64_t num_out_ = 0;            // of these: with their last row out
  // Row tiles: those that are over and not drained, the rows of theirs on the way to their accumulators.
  int64_t num_tiles_ = 0, num_tiles_out_ = 0;
  std::deque<RowTile> undrained_;
  std::deque<Row> rows_;
  int64_t slot_row_ = 0, slot_cycle_ = 0;  // of the first one of them
};

}  // namespace vernier::cosim
