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
#include "sim/cosim/lockstep/lock_step.hpp"
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
  ArrayLockStep(ClockedBlock& block, const spec::Datapath& datapath, uint64_t seed);
  /// Random sequences at random paces until `vectors` rows have been compared.
  LockStepResult run(int64_t vectors, const VectorProgress::Sink& progress = {});
  /// One sequence; not more than `most_rows` rows of it.
  void run_sequence(std::vector<ArrayCommand> commands, ArrayPace pace, int64_t most_rows = INT64_MAX);
  /// One sequence that a reset ends after `cycles`; one without them ends it anywhere in its ideal length. Rows before it
  /// are compared, at most `most_rows` of them; afterwards a row of it is one too many.
  void drop_sequence(std::vector<ArrayCommand> commands, ArrayPace pace, std::optional<int64_t> cycles = {},
                     int64_t most_rows = INT64_MAX);
  /// How many cycles each row of the next sequences at the pace Held is there before it is taken, at least one.
  void hold_results(int64_t cycles) { stalls_.hold_results(cycles); }
  /// Which port stays away in which cycles of the next sequences at the pace Chosen.
  void choose(PortStalls::Absence absence) { stalls_.choose(absence); }
  /// How many cycles with en_i stall_o has named each state.
  [[nodiscard]] const ArrayStates::Counts& state_cycles() const { return states_.counts(); }
  [[nodiscard]] const LockStepResult& result() const { return board_.result(); }
  [[nodiscard]] const ArrayCoverage& coverage() const { return coverage_; }

  /// The first mismatch from here on is kept with what shows it again.
  void keep_log() { log_.emplace(); }
  [[nodiscard]] std::optional<ArrayFault> take_fault() { return std::exchange(fault_, std::nullopt); }
  /// Pauses and idle ports are those of a run whose generator had that state.
  void go_on_from(uint64_t random_state) { random_ = Random(random_state); }

  /// Edges that differ are counted, but are no mismatches: for RTL whose pipes have other lengths. Nor are states of such
  /// RTL; of RTL that has no other edge they are, when the run is over.
  void relax_cycles() { is_strict_ = false; }

  /// Somebody with other ports of the block, who outlives this: takes part in every cycle and reset from here on.
  void host(Participant& guest) {
    bench_.add(guest);
    guest.was_reset();
  }
  /// What stands behind the ports at the pace Memory; outlives this, and takes part as a guest does.
  void use_memory(StreamMemory& memory) {
    stalls_.use(memory);
    host(memory);
  }
  /// What the slots hold.
  [[nodiscard]] const kernels::TableMemory& tables() const { return tables_; }
  /// Whether edges are those of the ideal pace now.
  [[nodiscard]] bool is_exact() const { return stalls_.is_exact(); }

  // For commands of a network.
  /// What was counted since the last call.
  LockStepResult take_result();
  /// What the slots hold from now on; tables that the block has are filled when they differ.
  void set_tables(const kernels::TableMemory& tables);
  /// Cycles without a command, in which a row of results is one too many.
  void idle(int64_t cycles);
  /// Whether a slice of a reduction can go on: it cannot when the block was reset.
  [[nodiscard]] bool keeps_accumulators() const { return accumulators_.is_valid; }
  /// How mismatches call the commands of the next sequences; by their number without names.
  void name_commands(std::vector<std::string> names) { names_ = std::move(names); }
  /// At most so many mismatches are put into words: to find operands takes as long as a command.
  void describe_at_most(size_t mismatches) { board_.keep_at_most(mismatches); }
  void on_result(ArrayResults::Sink sink) { sink_ = std::move(sink); }

 private:
  void run_sequences(int64_t vectors, VectorProgress& shown);
  std::vector<ArrayCommand> draw_directed(ArrayPace& pace);
  void start(std::vector<ArrayCommand> commands, ArrayPace pace);
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
  [[nodiscard]] ArrayFault fault_here(const Mismatch& mismatch) const;

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
  std::optional<ArrayFault> fault_;
  ArrayResults::Sink sink_;
  bool is_strict_ = true;  // about edges
  ArrayDoubts doubts_;     // where it is not: states that differ

  // The sequence.
  PortStalls stalls_;
  ArraySequence sequence_;
  ArrayInputs inputs_;
  ArrayResults results_;
  ArrayStates states_;
  size_t draining_ = 0;  // the command whose rows come next
  std::optional<ArrayRow> row_;
  int64_t rows_of_command_ = 0, rows_left_ = 0;
  std::optional<ArrayFault::Place> place_;  // of the row that is compared
  int64_t bank_ = 0;
  bool has_lost_count_ = false, is_dropped_ = false;
  int64_t handshake_edge_ = 0;  // of the last one
};

}  // namespace vernier::cosim
