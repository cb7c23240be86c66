// SPDX-License-Identifier: Apache-2.0
// Long because: one cycle of a run touches all of it; what could go has gone into the classes that it has.
#include "sim/cosim/lockstep/array_lock_step.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/latency.hpp"
#include "sim/cosim/lockstep/table_fill.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {
namespace {

/// A row that is so many edges late does not come any more.
constexpr int64_t kLostEdges = 2000;
constexpr int64_t kProbeCycles = 37;
constexpr size_t kMaxSequences = 5;      // between two resets
constexpr int64_t kDroppedPercent = 15;  // of the sequences: a reset ends them
constexpr int64_t kMostQuietCycles = 40;
constexpr int64_t kResidualPercent = 12;  // of the sequences: residual commands of short row tiles, with stalls
constexpr int64_t kMissingPercent = 40;   // of the others: commands of bins that are missing, while there are such
constexpr int kMissingCommands = 4;

}  // namespace

ArrayLockStep::ArrayLockStep(ClockedBlock& block, const spec::Datapath& datapath, const RunOptions& options)
    : block_(block),
      datapath_(datapath),
      random_(options.seed),
      tables_(options.tables.value_or(draw_array_tables(random_))),
      stall_(block.port("stall_o")),
      board_(block, array_groups()),
      bench_(block, board_),
      coverage_(datapath),
      is_strict_(options.is_strict),
      stalls_(random_, options.memory),
      inputs_(block, stalls_, random_),
      results_(block),
      states_(block, datapath) {
  if (options.keeps_fault) log_.emplace();
  bench_.settle_with_edge();
  bench_.probe(PortProbe(block), kProbeCycles);
  bench_.add(*this);
  if (block.description().unit == "mac_array") bench_.add(lanes_.emplace(block, tables_));
  board_.describe_by([this](Mismatch& mismatch) { name_command(mismatch); });
  board_.on_mismatch([this](const Mismatch& mismatch) { keep_fault(mismatch); });
  if (options.memory != nullptr) bench_.add(*options.memory);
  for (Participant* guest : options.guests) bench_.add(*guest);
  bench_.reset();
}

LockStepResult ArrayLockStep::run(int64_t vectors, const VectorProgress::Sink& progress) {
  VectorProgress shown(progress);
  coverage_.count_operands();
  try {
    run_sequences(vectors, shown);
  } catch (const Hang& hang) {
    doubts_.settle(board_, log_, fault_);
    board_.result() = board_.result().ended_at(hang);
  }
  doubts_.settle(board_, log_, fault_);
  return board_.result();
}

void ArrayLockStep::run_sequences(int64_t vectors, VectorProgress& shown) {
  for (size_t sequence = 0; board_.result().vectors < vectors; ++sequence) {
    shown.show(board_.result());
    if (sequence % kMaxSequences == kMaxSequences - 1) bench_.reset();
    auto pace = static_cast<ArrayPace>(random_.within(0, kNumPaces - 1));
    std::vector<DrawnWork> drawn = draw_directed(pace);
    if (drawn.empty()) drawn = draw_array_sequence(datapath_, random_);
    const bool is_dropped = random_.chance(kDroppedPercent);
    for (size_t i = 0; i < drawn.size() && !is_dropped; ++i) coverage_.count_drawn(drawn[i]);
    start({.works = works_of(std::move(drawn)), .pace = pace, .most_results = vectors - board_.result().vectors});
    if (is_dropped) {
      drop({});
    } else {
      run_to_end();
    }
  }
}

/// Now and then commands that random ones hardly ever are; none: random ones are drawn.
std::vector<DrawnWork> ArrayLockStep::draw_directed(ArrayPace& pace) {
  std::vector<DrawnWork> works;
  if (random_.chance(kResidualPercent)) {
    for (int64_t i = random_.within(1, 3); i > 0; --i) works.push_back(draw_residual_tiles(datapath_, random_));
    pace = ArrayPace::Stalls;
  } else if (random_.chance(kMissingPercent)) {
    for (int i = 0; i < kMissingCommands; ++i) {
      if (std::optional<DrawnWork> work = coverage_.draw_missing(random_)) works.push_back(std::move(*work));
    }
  }
  return works;
}

void ArrayLockStep::run_sequence(Sequence sequence) {
  const std::optional<int64_t> reset_after_cycles = sequence.reset_after_cycles;
  const int64_t idle_cycles = sequence.idle_cycles;
  board_.keep_at_most(sequence.most_described);
  start(std::move(sequence));
  if (reset_after_cycles) return drop(reset_after_cycles);
  run_to_end();
  if (idle_cycles > 0) idle(idle_cycles);
}

/// Until every command was taken, its rows are out and another one could follow.
void ArrayLockStep::run_to_end() {
  for (const auto& traffic : sequence_.commands) coverage_.count(traffic->command());
  while (rows_left_ > 0 && !has_lost_count_) {
    cycle();
    if (sequence_.has_command_left() || row_) continue;
    block_.finish_edge();
    if (inputs_.is_ready_for_command()) break;
  }
  if (has_lost_count_) lose_count();
}

/// Until a reset after so many cycles; without them it falls anywhere in the ideal length.
void ArrayLockStep::drop(std::optional<int64_t> cycles) {
  int64_t last_edge = 0;
  for (const auto& traffic : sequence_.commands) {
    last_edge = std::max(last_edge, traffic->edges.next_command);
    for (const int64_t edge : traffic->edges.results) last_edge = std::max(last_edge, edge);
  }
  const int64_t drawn = random_.within(1, last_edge + 1);  // in any case: what follows does not depend on `cycles`
  const int64_t end = cycles.value_or(drawn);
  if (log_) log_->drop_after(end);
  for (int64_t i = 0; i < end && rows_left_ > 0 && !has_lost_count_; ++i) cycle();
  if (has_lost_count_) return lose_count();
  board_.result().commands -= static_cast<int64_t>(sequence_.starts.size() - std::min(draining_, sequence_.starts.size()));
  block_.finish_edge();
  row_.reset();
  sequence_ = {};
  inputs_.start();
  draining_ = 0;
  const bool has_edges = random_.chance(50);
  if (lanes_) lanes_->was_reset();
  bench_.drop(has_edges);
  const int64_t quiet_cycles = random_.within(0, kMostQuietCycles);
  is_dropped_ = true;  // these belong to the sequence
  idle(quiet_cycles);
  is_dropped_ = false;
}

LockStepResult ArrayLockStep::take_result() {
  doubts_.settle(board_, log_, fault_);
  return board_.take();
}

void ArrayLockStep::fill_slots(const kernels::TableMemory& tables) {
  if (tables_ == tables) return;
  tables_ = tables;
  if (!lanes_) fill_tables(block_, tables_);
}

void ArrayLockStep::idle(int64_t cycles) {
  if (has_lost_count_) return;  // it was reset
  if (log_ && !is_dropped_) log_->idle(cycles);
  for (int64_t i = 0; i < cycles && !has_lost_count_; ++i) cycle();
  if (has_lost_count_) bench_.reset();
  has_lost_count_ = false;
}

void ArrayLockStep::start(Sequence sequence) {
  if (sequence.tables) fill_slots(*sequence.tables);
  if (sequence.random_state) random_ = Random(*sequence.random_state);
  names_ = std::move(sequence.names);
  sink_ = std::move(sequence.on_result);
  std::vector<spec::MacCommand> commands;
  for (const Work& work : sequence.works) commands.push_back(work.mac());
  if (log_) {
    block_.finish_edge();
    // A command of a network needs nothing but what its own slices left.
    log_->begin({.pace = sequence.pace,
                 .names = names_,
                 .random_state = random_.state(),
                 .hold_cycles = sequence.hold_cycles,
                 .away = sequence.away},
                block_.cycle(), !names_.empty() && commands.front().first);
  }
  stalls_.start(sequence.pace, sequence.hold_cycles, sequence.away);
  sequence_ = {};
  std::vector<timing::CommandEdges> edges = timing::mac_edges(commands, datapath_);
  for (size_t i = 0; i < commands.size(); ++i) {
    sequence_.commands.push_back(
        std::make_shared<ArrayTraffic>(std::move(sequence.works[i]), datapath_, tables_, accumulators_));
    sequence_.commands.back()->edges = std::move(edges[i]);
    if (log_) log_->add(sequence_.commands.back());
  }
  rows_left_ = sequence.most_results;
  inputs_.start();
  draining_ = 0;
  rows_of_command_ = 0;
  row_.reset();
  has_lost_count_ = false;
  next_row();
}

/// The next expected row, none when the sequence has no more.
void ArrayLockStep::next_row() {
  row_.emplace();
  while (draining_ < sequence_.commands.size() && !sequence_.commands[draining_]->next_row(*row_)) {
    ++draining_;
    rows_of_command_ = 0;
  }
  if (draining_ == sequence_.commands.size()) row_.reset();
}

void ArrayLockStep::offer(bool /*is_enabled*/) {
  inputs_.drive(sequence_, bench_.edge());
  results_.give_room(stalls_.gives_result_room());
}

void ArrayLockStep::settled() {
  if (auto moved = results_.moved(bench_.is_enabled())) board_.report(std::move(*moved));
}

Seen ArrayLockStep::see() {
  stalls_.see_results(results_.is_valid(), results_.has_room());
  if (!bench_.is_enabled()) return Seen::Quiet;
  check_state();
  if (!take_beats()) return Seen::Quiet;
  handshake_edge_ = bench_.edge();
  return Seen::Handshake;
}

/// At an edge with en_i, before it: whether anything is taken.
bool ArrayLockStep::take_beats() {
  bool is_handshake = false;
  // Rows are compared first, while the operands of the cycle still are what they were.
  if (results_.is_taken()) {
    take_row();
    is_handshake = true;
  } else if (row_ && draining_ < sequence_.starts.size() &&
             bench_.edge() > sequence_.starts.front() + sequence_.commands[draining_]->edges.results.back() +
                                 stalls_.stall_cycles() + kLostEdges) {
    has_lost_count_ = true;
  }
  if (inputs_.take_beats(sequence_)) is_handshake = true;
  if (inputs_.takes_command()) {
    take_command();
    is_handshake = true;
  }
  return is_handshake;
}

void ArrayLockStep::take_command() {
  sequence_.starts.push_back(bench_.edge());
  ++board_.result().commands;
  const size_t idx = sequence_.starts.size() - 1;
  const std::string away =
      check_edge(bench_.edge(), sequence_.starts.front() + sequence_.commands[idx]->edges.taken, "its handshake");
  if (away.empty()) return;
  board_.count_edge();
  if (is_strict_) board_.report(of_last_command({.kind = MismatchKind::Edge, .port = "cmd_ready_o", .words = away}));
}

/// stall_o of a cycle with en_i.
void ArrayLockStep::check_state() {
  ArrayStates::Cycle cycle;
  if (inputs_.takes_command()) {
    const ArrayTraffic& next = *sequence_.commands[sequence_.starts.size()];
    cycle.taken = &next.command();
    cycle.schedule = &next.edges;
  }
  cycle.is_exact = stalls_.is_exact();
  cycle.may_drain_stand = inputs_.has_stopped_drain();
  std::optional<Mismatch> found = states_.see(cycle);
  if (!found) return;
  Mismatch mismatch = sequence_.starts.empty() ? std::move(*found) : of_last_command(std::move(*found));
  if (is_strict_) return board_.report_edge(std::move(mismatch));
  mismatch = block_.seen_now(std::move(mismatch));
  name_command(mismatch);
  if (doubts_.wants_fault() && log_) doubts_.keep(fault_here(mismatch));
  doubts_.add(std::move(mismatch));
}

void ArrayLockStep::take_row() {
  if (!row_ || draining_ >= sequence_.starts.size()) {
    board_.report_edge(
        {.kind = MismatchKind::Unasked, .port = "out_valid_o", .words = "a row of results that nobody asked for"});
    has_lost_count_ = true;
    return;
  }
  const ArrayTraffic& traffic = *sequence_.commands[draining_];
  const int64_t expected = sequence_.starts.front() + traffic.edges.results[static_cast<size_t>(rows_of_command_)];
  const std::string away = check_edge(bench_.edge(), expected, "out_valid_o");
  if (away.empty()) doubts_.see_timely_row();
  std::optional<Mismatch> mismatch = results_.compare(traffic, *row_, bank_, board_.keeps_another());
  if (is_strict_) add_edge(mismatch, away);
  if (sink_) results_.give(*row_, traffic.command().output.type, sink_);
  if (stalls_.is_exact() && row_->is_last && draining_ + 1 == sequence_.commands.size()) {
    board_.add_cycles(expected - sequence_.starts.front(), bench_.edge() - sequence_.starts.front());
  }
  finish_row(traffic, std::move(mismatch), !away.empty());
  if (row_->is_last_of_tile) bank_ = 1 - bank_;
  ++rows_of_command_;
  next_row();
}

std::string ArrayLockStep::check_edge(int64_t edge, int64_t expected, std::string_view what_for) {
  std::string away = away_from_ideal(what_for, edge - expected, stalls_.is_exact() ? 0 : stalls_.stall_cycles());
  if (!away.empty()) doubts_.see_other_edge();
  return away;
}

std::string ArrayLockStep::name_of(size_t command) const {
  return command < names_.size() ? names_[command] : fmt::format("command {} of its sequence", command);
}

/// In a network, the name of the command that was taken last, where there is one and the mismatch has no other.
void ArrayLockStep::name_command(Mismatch& mismatch) const {
  if (mismatch.command.empty() && !names_.empty() && !sequence_.starts.empty())
    mismatch.command = name_of(sequence_.starts.size() - 1);
}

/// A mismatch of that command, which is described too.
Mismatch ArrayLockStep::of_last_command(Mismatch mismatch) const {
  const size_t last = sequence_.starts.size() - 1;
  mismatch.work = describe(sequence_.commands[last]->command());
  if (names_.empty()) mismatch.part = name_of(last);
  return mismatch;
}

void ArrayLockStep::finish_row(const ArrayTraffic& traffic, std::optional<Mismatch> mismatch, bool is_edge_wrong) {
  --rows_left_;
  if (mismatch) {
    mismatch->command = names_.empty() ? "" : name_of(draining_);
    mismatch->work = describe(traffic.command());
    const sequence::MacOrder order(traffic.command(), datapath_);
    place_ = {row_->place.channel_tile, order.row(row_->row).y, rows_of_command_,
              mismatch->port == "out_value_o" ? mismatch->lane : -1};
  }
  board_.add_result(group_of(traffic.command()), std::move(mismatch), is_edge_wrong);
  place_.reset();
}

/// The rows that are still owed count as missing, and the block starts again. The command that owes the first of them stays
/// in both sums of cycles: of RTL until its last handshake.
void ArrayLockStep::lose_count() {
  if (row_ && draining_ < sequence_.starts.size() && stalls_.is_exact()) {
    board_.add_cycles(sequence_.commands[draining_]->edges.results.back(), handshake_edge_ - sequence_.starts.front());
  }
  while (row_ && rows_left_ > 0) {
    finish_row(*sequence_.commands[draining_],
               Mismatch{.kind = MismatchKind::Missing, .port = "out_valid_o", .words = "the row is missing"}, true);
    next_row();
  }
  bench_.reset();
}

void ArrayLockStep::was_reset() {
  if (log_) log_->reset();
  if (!lanes_) fill_tables(block_, tables_);
  bank_ = 0;
  results_.reset();
  states_.reset();
  accumulators_ = {};
}

std::string ArrayLockStep::waiting() const {
  std::vector<std::string> who;
  if (sequence_.starts.size() < sequence_.commands.size())
    who.push_back(name_of(sequence_.starts.size()) + " waits for cmd_ready_o");
  for (const auto& [name, command] : inputs_.offered())
    who.push_back(fmt::format("a beat of {} waits for {}_ready_o", name_of(command), name));
  if (row_) who.push_back(fmt::format("a row of {} waits for out_valid_o", name_of(draining_)));
  if (who.empty()) who.push_back(fmt::format("cmd_ready_o stays low after {}", name_of(sequence_.commands.size() - 1)));
  const uint64_t state = std::min<uint64_t>(stall_.get(), spec::kArrayStateNames.size() - 1);
  return fmt::format("{}; stall_o is {}", fmt::join(who, ", "), spec::kArrayStateNames[state]);
}

/// Only of the first mismatch: what comes after it may come from it.
void ArrayLockStep::keep_fault(const Mismatch& mismatch) {
  if (!log_) return;
  fault_ = fault_here(mismatch);
  log_.reset();
}

CommandFault ArrayLockStep::fault_here(const Mismatch& mismatch) const {
  const size_t last = sequence_.starts.empty() ? 0 : sequence_.starts.size() - 1;
  return {mismatch, log_->replay(tables_), place_ ? draining_ : last, place_};
}

}  // namespace vernier::cosim
