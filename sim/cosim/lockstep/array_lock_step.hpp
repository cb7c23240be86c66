// SPDX-License-Identifier: Apache-2.0
// Lock-step comparison of npu_mac_array and npu_datapath: sequences of commands from an idle array on, each stream from a
// memory of its own, each row of results compared in all lanes, mask, row, bank, flags and edge; each command in its
// handshake; stall_o in each cycle (array_states.hpp).
//
// Expected rows come from sim/kernels, expected edges from timing::mac_edges(); neither from RTL. A sequence runs at one
// pace:
//   Ideal   every stream is ready kSramReadLatencyCycles after its command, results are always taken: edges are exact
//   Frozen  and en_i is low in some cycles, in which nothing is taken: edges are exact, counted in those with en_i
//   Stalls  ports are not ready in some cycles: no edge is earlier than ideal, or later by more than those cycles
//   Chosen  as Stalls, and a test says which port is not ready when
//   Memory  the streams come from an ArrayMemory: edges are exact where that has no limits
//   Held    out_ready_i is low until a row has been there for some cycles: a valid that waits for ready never comes
// A missing, an additional or a wrong beat is a mismatch. A block that lost count is reset, and the rows that it owes are
// missing. Some sequences end by a reset in the middle of a command, with or without an edge in it: the outputs say at once
// that nothing is left, nothing of it comes out after that, and the next sequence is compared as the first one was.
#pragma once

#include "sim/cosim/lockstep/array_log.hpp"
#include "sim/cosim/lockstep/bench.hpp"
#include "sim/cosim/lockstep/sequence.hpp"
#include "sim/cosim/stimulus/array_coverage.hpp"
#include "sim/cosim/stream/array_inputs.hpp"
#include "sim/cosim/stream/array_results.hpp"
#include "sim/cosim/stream/array_states.hpp"
#include "sim/cosim/stream/golden_lanes.hpp"

#include <optional>
#include <utility>

namespace vernier::cosim {

class ArrayLockStep : private Participant {
 public:
  /// `block` outlives this.
  ArrayLockStep(ClockedBlock& block, const spec::Datapath& datapath, const RunOptions& options = {});
  /// Random sequences at random paces until `vectors` rows have been compared.
  LockStepResult run(int64_t vectors, const VectorProgress::Sink& progress = {});
  /// One sequence. Of one that a reset ends, rows before the reset are compared; afterwards a row of it is one too many.
  void run_sequence(Sequence sequence);
  /// Fills the slots of the block in cycles of their own, where they hold something else.
  void fill_slots(const kernels::TableMemory& tables);
  /// Cycles without a command, in which a row of results is one too many.
  void idle(int64_t cycles);

  /// How many cycles with en_i stall_o has named each state.
  [[nodiscard]] const ArrayStates::Counts& state_cycles() const { return states_.counts(); }
  [[nodiscard]] const LockStepResult& result() const { return board_.result(); }
  /// What was counted since the last call.
  LockStepResult take_result();
  [[nodiscard]] const ArrayCoverage& coverage() const { return coverage_; }
  /// The first mismatch with what shows it again, once.
  [[nodiscard]] std::optional<CommandFault> take_fault() { return std::exchange(fault_, std::nullopt); }
  /// What the slots hold.
  [[nodiscard]] const kernels::TableMemory& tables() const { return tables_; }
  /// Whether edges are those of the ideal pace now.
  [[nodiscard]] bool is_exact() const { return stalls_.is_exact(); }
  /// Whether a slice of a reduction can go on: it cannot when the block was reset.
  [[nodiscard]] bool keeps_accumulators() const { return accumulators_.is_valid; }

 private:
  void run_sequences(int64_t vectors, VectorProgress& shown);
  std::vector<DrawnWork> draw_directed(ArrayPace& pace);
  void start(Sequence sequence);
  void run_to_end();
  void drop(std::optional<int64_t> cycles);
  void cycle() { bench_.cycle(stalls_.is_enabled()); }
  void offer(bool is_enabled) override;
  void settled() override;
  Seen see() override;
  void was_reset() override;
  [[nodiscard]] std::string waiting() const override;
  bool take_beats();
  void take_command();
  void check_state();
  void take_row();
  [[nodiscard]] std::string name_of(size_t command) const;
  void name_command(Mismatch& mismatch) const;
  [[nodiscard]] Mismatch of_last_command(Mismatch mismatch) const;
  std::string check_edge(int64_t edge, int64_t expected, std::string_view what_for);
  void finish_row(const ArrayTraffic& traffic, std::optional<Mismatch> mismatch, bool is_edge_wrong);
  void next_row();
  void lose_count();
  void keep_fault(const Mismatch& mismatch);
  [[nodiscard]] CommandFault fault_here(const Mismatch& mismatch) const;

  ClockedBlock& block_;
  spec::Datapath datapath_;
  Random random_;
  kernels::TableMemory tables_;
  kernels::Accumulators accumulators_;
  std::optional<GoldenLanes> lanes_;  // where the block has none
  Port stall_;
  Scoreboard board_;
  Bench bench_;
  ArrayCoverage coverage_;
  std::vector<std::string> names_;
  std::optional<ArrayLog> log_;
  std::optional<CommandFault> fault_;
  ResultSink sink_;
  bool is_strict_;      // about edges
  ArrayDoubts doubts_;  // where it is not: states that differ

  // The sequence.
  PortStalls stalls_;
  ArraySequence sequence_;
  ArrayInputs inputs_;
  ArrayResults results_;
  ArrayStates states_;
  size_t draining_ = 0;  // the command whose rows come next
  std::optional<ArrayRow> row_;
  int64_t rows_of_command_ = 0, rows_left_ = 0;
  std::optional<CommandFault::Place> place_;  // of the row that is compared
  int64_t bank_ = 0;
  bool has_lost_count_ = false, is_dropped_ = false;
  int64_t handshake_edge_ = 0;  // of the last one
};

}  // namespace vernier::cosim
