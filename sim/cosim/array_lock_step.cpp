// SPDX-License-Identifier: Apache-2.0
// Long because: a cycle of a sequence is one thing: what is driven, what is taken and what is compared.
#include "sim/cosim/array_lock_step.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/latency.hpp"
#include "sim/cosim/table_driver.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {
namespace {

constexpr int64_t kHangCycles = 10'000;
/// A row that is so many edges late does not come any more.
constexpr int64_t kLostEdges = 2000;
constexpr int64_t kProbeCycles = 37;
constexpr size_t kMaxSequences = 5;      // between two resets
constexpr int64_t kDroppedPercent = 15;  // of the sequences: a reset ends them
constexpr int kEdgesInReset = 2;         // with the inputs as they were
constexpr int64_t kMostQuietCycles = 40;

}  // namespace

ArrayLockStep::ArrayLockStep(ClockedBlock& block, const spec::Datapath& datapath, uint64_t seed)
    : block_(block),
      datapath_(datapath),
      random_(seed),
      tables_(draw_array_tables(random_)),
      pins_(block),
      en_(block.port("en_i")),
      cmd_valid_(block.port("cmd_valid_i")),
      cmd_ready_(block.port("cmd_ready_o")),
      out_valid_(block.port("out_valid_o")),
      out_ready_(block.port("out_ready_i")),
      out_value_(block.port("out_value_o")),
      out_mask_(block.port("out_mask_o")),
      out_row_(block.port("out_row_o")),
      out_bank_(block.port("out_bank_o")),
      out_last_of_tile_(block.port("out_last_of_tile_o")),
      out_last_(block.port("out_last_o")),
      stall_(block.port("stall_o")),
      streams_{Stream{"wgt", block.port("wgt_valid_i"), block.port("wgt_ready_o")},
               Stream{"act", block.port("act_valid_i"), block.port("act_ready_o")},
               Stream{"prm", block.port("prm_valid_i"), block.port("prm_ready_o")},
               Stream{"add", block.port("add_valid_i"), block.port("add_ready_o")}},
      held_ports_{out_valid_, out_value_, out_mask_, out_row_, out_bank_, out_last_of_tile_, out_last_},
      probe_(block),
      coverage_(datapath),
      stalls_(random_) {
  if (block.description().unit == "mac_array") lanes_.emplace(block, tables_);
  for (std::string& name : array_groups()) result_.groups.push_back({std::move(name)});
  reset();
}

LockStepResult ArrayLockStep::run(int64_t vectors, const VectorProgress::Sink& progress) {
  VectorProgress shown(progress);
  for (size_t sequence = 0; result_.vectors < vectors; ++sequence) {
    shown.show(result_);
    if (sequence % kMaxSequences == kMaxSequences - 1) reset();
    const auto pace = static_cast<ArrayPace>(random_.within(0, kNumPaces - 1));
    std::vector<ArrayCommand> commands = draw_array_sequence(datapath_, random_);
    if (random_.chance(kDroppedPercent)) {
      drop_sequence(std::move(commands), pace, {}, vectors - result_.vectors);
    } else {
      run_sequence(std::move(commands), pace, vectors - result_.vectors);
    }
  }
  return result_;
}

void ArrayLockStep::run_sequence(std::vector<ArrayCommand> commands, ArrayPace pace, int64_t most_rows) {
  for (const ArrayCommand& command : commands) coverage_.count(command.command);
  start(std::move(commands), pace);
  rows_left_ = most_rows;
  // Until every command was taken, its rows are out and another one could follow.
  while (rows_left_ > 0 && !has_lost_count_) {
    cycle();
    const bool is_over = starts_.size() == commands_.size() && !row_ && cmd_ready_.get() != 0;
    if (is_over) break;
  }
  if (has_lost_count_) lose_count();
}

void ArrayLockStep::drop_sequence(std::vector<ArrayCommand> commands, ArrayPace pace, std::optional<int64_t> cycles,
                                  int64_t most_rows) {
  start(std::move(commands), pace);
  rows_left_ = most_rows;
  int64_t last_edge = 0;
  for (const auto& traffic : commands_) {
    last_edge = std::max(last_edge, traffic->edges.next_command);
    for (const int64_t edge : traffic->edges.results) last_edge = std::max(last_edge, edge);
  }
  const int64_t end = cycles ? *cycles : random_.within(1, last_edge + 1);
  for (int64_t i = 0; i < end && rows_left_ > 0 && !has_lost_count_; ++i) cycle();
  if (has_lost_count_) return lose_count();
  result_.commands -= static_cast<int64_t>(starts_.size() - std::min(draining_, starts_.size()));
  row_.reset();
  commands_.clear();
  starts_.clear();
  for (Stream& stream : streams_) stream.command = 0;
  draining_ = 0;
  // The reset acts without a clock, and holds while beats and commands are offered.
  block_.port("rst_ni").set(0);
  if (lanes_) lanes_->reset();
  for (int edge = 0; edge <= kEdgesInReset; ++edge) {
    block_.settle();
    if (out_valid_.get() != 0) report(fmt::format("cycle {}: out_valid_o is high while rst_ni is low", block_.cycle()));
    if (edge < kEdgesInReset) block_.edge();
  }
  reset();
  idle(random_.within(0, kMostQuietCycles));
}

LockStepResult ArrayLockStep::take_result() {
  LockStepResult taken = std::move(result_);
  result_ = {};
  for (std::string& name : array_groups()) result_.groups.push_back({std::move(name)});
  return taken;
}

void ArrayLockStep::set_tables(const kernels::TableMemory& tables) {
  const auto is_same = [](const kernels::TableSlot& a, const kernels::TableSlot& b) {
    return a.type == b.type && a.bytes == b.bytes;
  };
  if (std::ranges::equal(tables_, tables, is_same)) return;
  tables_ = tables;
  if (!lanes_) fill_tables(block_, tables_);
}

void ArrayLockStep::idle(int64_t cycles) {
  if (has_lost_count_) return;  // it was reset
  for (int64_t i = 0; i < cycles && !has_lost_count_; ++i) cycle();
  if (has_lost_count_) reset();
  has_lost_count_ = false;
}

void ArrayLockStep::start(std::vector<ArrayCommand> commands, ArrayPace pace) {
  stalls_.start(pace);
  commands_.clear();
  starts_.clear();
  std::vector<spec::MacCommand> sequence;
  for (const ArrayCommand& command : commands) sequence.push_back(command.command);
  std::vector<timing::CommandEdges> edges = timing::mac_edges(sequence, datapath_);
  for (size_t i = 0; i < commands.size(); ++i) {
    ArrayCommand& command = commands[i];
    commands_.push_back(std::make_unique<ArrayTraffic>(std::move(command), datapath_, tables_, accumulators_));
    commands_.back()->edges = std::move(edges[i]);
  }
  for (Stream& stream : streams_) {
    stream.command = 0;
    stream.is_driven = false;
  }
  draining_ = 0;
  rows_of_command_ = 0;
  row_.reset();
  has_lost_count_ = false;
  states_ = {};
  next_row();
}

/// The next expected row, none when the sequence has no more.
void ArrayLockStep::next_row() {
  row_.emplace();
  while (draining_ < commands_.size() && !commands_[draining_]->next_row(*row_)) {
    ++draining_;
    rows_of_command_ = 0;
  }
  if (draining_ == commands_.size()) row_.reset();
}

void ArrayLockStep::cycle() {
  drive();
  if (lanes_) lanes_->drive();
  block_.settle();
  check_held();
  if (block_.cycle() % kProbeCycles == 0) {
    if (const std::string what = probe_.probe(); !what.empty()) report(fmt::format("cycle {}: {}", block_.cycle(), what));
  }
  stalls_.see_results(out_valid_.get() != 0, out_ready_.get() != 0);
  bool is_handshake = false;
  if (is_enabled_) {
    count_state();
    is_handshake = take_beats();
  }
  if (lanes_) lanes_->before_edge();
  block_.edge();
  if (is_enabled_) ++edge_;
  if (is_handshake) last_handshake_ = block_.cycle();
  if (block_.cycle() - last_handshake_ > kHangCycles) {
    throw Hang(fmt::format("no handshake on any port since cycle {}: {}", last_handshake_, waiting()));
  }
}

void ArrayLockStep::drive() {
  is_enabled_ = stalls_.is_enabled();
  en_.set(is_enabled_ ? 1 : 0);
  is_command_offered_ = starts_.size() < commands_.size();
  if (stalls_.withholds(PortStalls::kCommands, is_command_offered_)) is_command_offered_ = false;
  if (is_command_offered_) commands_[starts_.size()]->drive_command(pins_);
  cmd_valid_.set(is_command_offered_ ? 1 : 0);
  drive_streams();
  out_ready_.set(stalls_.gives_result_room() ? 1 : 0);
}

bool ArrayLockStep::stream_has_beat(size_t stream) const {
  const ArrayTraffic& traffic = *commands_[streams_[stream].command];
  const std::array has_beat{traffic.has_weights(), traffic.has_activations(), traffic.has_parameters(),
                            traffic.has_addends()};
  return has_beat[stream];
}

void ArrayLockStep::drive_streams() {
  for (size_t i = 0; i < kNumStreams; ++i) {
    Stream& stream = streams_[i];
    // Beats of a command follow those of the one before.
    while (stream.command < starts_.size() && !stream_has_beat(i)) ++stream.command;
    const bool is_there = stream.command < starts_.size() && edge_ > starts_[stream.command] + spec::kSramReadLatencyCycles;
    stream.is_offered = is_there && !stalls_.withholds(i, is_there);
    stream.valid.set(stream.is_offered ? 1 : 0);
    if (!stream.is_offered || std::exchange(stream.is_driven, true)) continue;
    const ArrayTraffic& traffic = *commands_[stream.command];
    if (i == 0) traffic.drive_weights(pins_, random_);
    if (i == 1) traffic.drive_activations(pins_, random_);
    if (i == 2) traffic.drive_parameters(pins_, random_);
    if (i == 3) traffic.drive_addends(pins_, random_);
  }
}

/// A row that was not taken holds.
void ArrayLockStep::check_held() {
  std::vector<std::byte> now;
  for (const Port& port : held_ports_) now.insert(now.end(), port.bytes().begin(), port.bytes().end());
  if (is_held_ && now != held_) report(fmt::format("cycle {}: out_* moves before it is taken", block_.cycle()));
  is_held_ = out_valid_.get() != 0 && (out_ready_.get() == 0 || !is_enabled_);
  held_ = std::move(now);
}

/// At an edge with en_i, before it: whether anything is taken.
bool ArrayLockStep::take_beats() {
  bool is_handshake = false;
  // Rows are compared first, while the operands of the cycle still are what they were.
  if (out_valid_.get() != 0 && out_ready_.get() != 0) {
    take_row();
    is_handshake = true;
  } else if (row_ && draining_ < starts_.size() &&
             edge_ > starts_.front() + commands_[draining_]->edges.results.back() + stalls_.stall_cycles() + kLostEdges) {
    has_lost_count_ = true;
  }
  for (size_t i = 0; i < kNumStreams; ++i) {
    Stream& stream = streams_[i];
    if (!stream.is_offered || stream.ready.get() == 0) continue;
    stream.is_driven = false;
    ArrayTraffic& traffic = *commands_[stream.command];
    if (i == 0) traffic.take_weights();
    if (i == 1) traffic.take_activations();
    if (i == 2) traffic.take_parameters();
    if (i == 3) traffic.take_addends();
    is_handshake = true;
  }
  if (is_command_offered_ && cmd_ready_.get() != 0) {
    take_command();
    is_handshake = true;
  }
  return is_handshake;
}

void ArrayLockStep::take_command() {
  starts_.push_back(edge_);
  ++result_.commands;
  std::string what;
  const size_t idx = starts_.size() - 1;
  check_edge(edge_, starts_.front() + commands_[idx]->edges.taken, "its handshake", what);
  if (what.empty()) return;
  ++result_.cycle_mismatches;
  report(fmt::format("{}, cycle {}, cmd: {}{}", name_of(idx), block_.cycle(), what, describe(commands_[idx]->command())));
}

/// stall_o of the running command; at its end the sums are compared, where nothing but the command sets them.
void ArrayLockStep::count_state() {
  if (starts_.empty()) return;
  const ArrayTraffic& running = *commands_[starts_.size() - 1];
  const int64_t since = edge_ - starts_.front() - running.edges.taken;
  if (!stalls_.is_exact()) return;
  if (since <= running.edges.next_command - running.edges.taken)
    ++states_[std::min<size_t>(stall_.get(), states_.size() - 1)];
  if (since != running.edges.next_command - running.edges.taken) return;
  const auto cycles_of = [this](spec::ArrayState state) { return states_[static_cast<size_t>(state)]; };
  const std::array<std::pair<spec::ArrayState, int64_t>, 3> sums{
      {{spec::ArrayState::Busy, running.edges.busy_cycles},
       {spec::ArrayState::WeightLoad, running.edges.weight_load_cycles},
       {spec::ArrayState::RescaleContention, running.edges.rescale_contention_cycles}}};
  for (const auto& [state, expected] : sums) {
    if (cycles_of(state) == expected) continue;
    ++result_.cycle_mismatches;
    report(fmt::format("{}, cycle {}, stall_o: {} cycles of {}, expected {}: {}", name_of(starts_.size() - 1),
                       block_.cycle(), cycles_of(state), spec::kArrayStateNames[static_cast<size_t>(state)], expected,
                       describe(running.command())));
  }
  states_ = {};
}

void ArrayLockStep::take_row() {
  if (!row_ || draining_ >= starts_.size()) {
    ++result_.cycle_mismatches;
    const std::string after = names_.empty() || starts_.empty() ? "" : name_of(starts_.size() - 1) + ", ";
    report(fmt::format("{}cycle {}: a row of results that nobody asked for", after, block_.cycle()));
    has_lost_count_ = true;
    return;
  }
  const ArrayTraffic& traffic = *commands_[draining_];
  std::string what;
  const int64_t expected = starts_.front() + traffic.edges.results[static_cast<size_t>(rows_of_command_)];
  check_edge(edge_, expected, "out", what);
  const bool is_edge_wrong = !what.empty();
  compare_row(traffic, *row_, what);
  if (sink_) give_row(*row_);
  if (stalls_.is_exact() && row_->is_last && draining_ + 1 == commands_.size()) {
    result_.model_cycles += expected - starts_.front();
    result_.rtl_cycles += edge_ - starts_.front();
  }
  finish_row(traffic, what, is_edge_wrong);
  if (row_->is_last_of_tile) bank_ = 1 - bank_;
  ++rows_of_command_;
  next_row();
}

void ArrayLockStep::check_edge(int64_t edge, int64_t expected, std::string_view what_for, std::string& what) {
  const int64_t slack = stalls_.is_exact() ? 0 : stalls_.stall_cycles();
  if (edge < expected) what += fmt::format("{} {} cycles earlier than ideal; ", what_for, expected - edge);
  if (edge > expected + slack) {
    what += fmt::format("{} {} cycles later than ideal{}; ", what_for, edge - expected,
                        slack > 0 ? fmt::format(" with {} stalls", slack) : "");
  }
}

void ArrayLockStep::compare_row(const ArrayTraffic& traffic, const ArrayRow& row, std::string& what) {
  const auto compare = [&](std::string_view port, uint64_t actual, uint64_t expected) {
    if (actual != expected) what += fmt::format("{}: expected {}, actual {}; ", port, expected, actual);
  };
  uint64_t mask = 0;
  for (const int64_t lane : row.lanes) mask |= uint64_t{1} << lane;
  compare("out_mask_o", out_mask_.get(), mask);
  compare("out_row_o", out_row_.get(), static_cast<uint64_t>(row.row_tile_row));
  compare("out_bank_o", out_bank_.get(), static_cast<uint64_t>(bank_));
  compare("out_last_of_tile_o", out_last_of_tile_.get(), row.is_last_of_tile ? 1 : 0);
  compare("out_last_o", out_last_.get(), row.is_last ? 1 : 0);
  for (size_t i = 0; i < row.lanes.size(); ++i) {
    const auto bits = out_value_.field(row.lanes[i], spec::kAccumulatorBits);
    const int64_t actual = static_cast<int64_t>(bits << (64 - spec::kAccumulatorBits)) >> (64 - spec::kAccumulatorBits);
    if (actual == row.values[i]) continue;
    if (result_.first_mismatches.size() >= most_messages_) {
      what += "out_value_o";
      return;
    }
    what += fmt::format("out_value_o lane {}: expected {}, actual {}: {}", row.lanes[i], row.values[i], actual,
                        traffic.explain(row, row.lanes[i]));
    return;
  }
}

/// Gives the sink the results of the lanes that the mask names.
void ArrayLockStep::give_row(const ArrayRow& row) const {
  for (size_t i = 0; i < row.lanes.size(); ++i) {
    const int64_t lane = row.lanes[i];
    if (out_mask_.field(lane, 1) != 0) sink_(row.addresses[i], out_value_.field(lane, spec::kAccumulatorBits));
  }
}

std::string ArrayLockStep::name_of(size_t command) const {
  return command < names_.size() ? names_[command] : fmt::format("command {} of its sequence", command);
}

void ArrayLockStep::finish_row(const ArrayTraffic& traffic, const std::string& what, bool is_edge_wrong) {
  auto& group = result_.groups[static_cast<size_t>(group_of(traffic.command()))];
  ++result_.vectors;
  ++group.vectors;
  --rows_left_;
  if (is_edge_wrong) ++result_.cycle_mismatches;
  if (what.empty()) return;
  ++group.mismatches;
  const std::string name = names_.empty() ? "" : name_of(draining_) + ", ";
  report(fmt::format("{}vector {}, cycle {}, {}: {}", name, result_.vectors - 1, block_.cycle(), describe(traffic.command()),
                     what));
}

/// The rows that are still owed count as missing, and the block starts again.
void ArrayLockStep::lose_count() {
  while (row_ && rows_left_ > 0) {
    finish_row(*commands_[draining_], "the row is missing", true);
    next_row();
  }
  reset();
}

void ArrayLockStep::reset() {
  block_.reset();
  if (lanes_) {
    lanes_->reset();
  } else {
    fill_tables(block_, tables_);
  }
  bank_ = 0;
  is_held_ = false;
  accumulators_ = {};
}

std::string ArrayLockStep::waiting() const {
  std::vector<std::string> who;
  if (starts_.size() < commands_.size()) who.push_back(name_of(starts_.size()) + " waits for cmd_ready_o");
  for (const Stream& stream : streams_) {
    if (stream.is_offered)
      who.push_back(fmt::format("a beat of {} waits for {}_ready_o", name_of(stream.command), stream.name));
  }
  if (row_) who.push_back(fmt::format("a row of {} for out_valid_o", name_of(draining_)));
  const uint64_t state = std::min<uint64_t>(stall_.get(), spec::kArrayStateNames.size() - 1);
  return fmt::format("{}; stall_o is {}", fmt::join(who, ", "), spec::kArrayStateNames[state]);
}

void ArrayLockStep::report(std::string text) {
  ++result_.mismatches;
  if (result_.first_mismatches.size() < most_messages_) result_.first_mismatches.push_back(std::move(text));
}

}  // namespace vernier::cosim
