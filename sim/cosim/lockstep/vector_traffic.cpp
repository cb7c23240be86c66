// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/vector_traffic.hpp"

#include "hw/package/names.hpp"
#include "hw/spec/vector_operands.hpp"
#include "sim/cosim/block/command_port.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace vernier::cosim {
namespace {

using sequence::VectorBeat;

/// A beat that is so many edges late does not come any more.
constexpr int64_t kVectorLostEdges = 2000;
/// At a reset: what is so late does not come.
constexpr int64_t kOverdueEdges = 8;
constexpr int64_t kOverdueOfOthers = 200;  // of RTL whose pipes have other lengths, and twice the cycles of its command
/// How much is told of a beat that differs in many lanes.
constexpr size_t kMostText = 300;
constexpr std::array<std::string_view, 3> kStorePorts{"st_valid_o", "st_data_o", "st_mask_o"};
const std::vector<std::string> kGroups{"one position", "positions", "positions of reduced lanes", "pairs"};

}  // namespace

VectorTraffic::VectorTraffic(ClockedBlock& block, const spec::Datapath& datapath, const RunOptions& options)
    : block_(block),
      datapath_(datapath),
      random_(options.seed),
      tables_(options.tables.value_or(draw_vector_tables(random_))),
      stalls_(random_, options.memory),
      board_(block, kGroups),
      cmd_name_(block.description().kind == spec::RtlKind::Core ? "vec_cmd" : "cmd"),
      keeps_fault_(options.keeps_fault),
      is_strict_(options.is_strict),
      held_(block, kStorePorts) {
  cmd_valid_ = block.port(cmd_name_ + "_valid_i");
  cmd_ready_ = block.port(cmd_name_ + "_ready_o");
  cmd_ = block.port(cmd_name_ + "_i");
  ld_valid_ = block.port("ld_valid_i");
  ld_ready_ = block.port("ld_ready_o");
  ld_data_ = block.port("ld_data_i");
  st_valid_ = block.port("st_valid_o");
  st_ready_ = block.port("st_ready_i");
  st_data_ = block.port("st_data_o");
  st_mask_ = block.port("st_mask_o");
  if (block.description().kind == spec::RtlKind::Core) {
    lanes_wait_ = block.port("lanes_wait_o");
  } else {
    lanes_.emplace(block, tables_);
  }
  board_.describe_by([this](Mismatch& mismatch) { mismatch.command = name_; });
  board_.on_mismatch([this](const Mismatch& mismatch) { keep_fault(mismatch); });
}

void VectorTraffic::begin(Sequence sequence) {
  if (sequence.tables) tables_ = *sequence.tables;
  if (sequence.random_state) random_ = Random(*sequence.random_state);
  name_ = sequence.names.empty() ? "" : sequence.names.front();
  on_store_ = std::move(sequence.on_result);
  board_.keep_at_most(sequence.most_described);
  if (sequence.shared_percent) {
    shared_percent_ = *sequence.shared_percent;
    lanes_->share(random_, shared_percent_);
  }
  if (keeps_fault_) {
    begun_ = {.tables = tables_, .sequences = {{}}, .first_cycle = block_.cycle()};
    begun_.sequences.front() = {.pace = sequence.pace,
                                .names = std::move(sequence.names),
                                .random_state = random_.state(),
                                .reset_after_cycles = sequence.reset_after_cycles,
                                .shared_percent = shared_percent_};
  }
  running_.clear();
  for (Work& work : sequence.works) {
    coverage_.count(work.vector());
    running_.push_back(std::make_unique<VectorRun>(std::move(work), datapath_, tables_));
  }
  stalls_.start(sequence.pace);
  num_taken_ = loading_ = storing_ = 0;
  beats_left_ = sequence.most_results;
  has_lost_count_ = is_over_ = false;
  begun_edge_ = handshake_edge_ = edge_;
}

void VectorTraffic::offer(bool is_enabled) {
  is_enabled_ = is_enabled;
  if (has_lost_count_) {
    cmd_valid_.set(0);
    ld_valid_.set(0);
    st_ready_.set(1);
    return;
  }
  const bool has_command = num_taken_ < running_.size();
  const bool has_valid = has_command && !stalls_.withholds(PortStalls::kCommands, true);
  cmd_valid_.set(has_valid ? 1 : 0);
  if (has_valid) {
    if (!is_command_driven_) put_command(cmd_, running_[num_taken_]->work.vector(), spec::PortFields::OfDatapath);
  } else if (random_.chance(10)) {
    cmd_.scramble(random_);
  }
  is_command_driven_ = has_valid;
  const VectorRun* loading = loading_ < num_taken_ ? running_[loading_].get() : nullptr;
  const bool has_beat = loading != nullptr && loading->load && edge_ >= loading->taken_edge + loading->first_cycle;
  const bool gives = has_beat && !stalls_.withholds(PortStalls::kWeights, true);
  ld_valid_.set(gives ? 1 : 0);
  // In what no element is, anything.
  if (!gives || !is_load_driven_) ld_data_.scramble(random_);
  if (gives && !is_load_driven_) loading->put_load(ld_data_, block_.lanes());
  is_load_driven_ = gives;
  st_ready_.set(stalls_.gives_result_room() ? 1 : 0);
}

void VectorTraffic::settled() {
  if (has_lost_count_) return;  // what comes is not known until a reset
  const bool has_to_hold = st_valid_.get() != 0 && (st_ready_.get() == 0 || !is_enabled_);
  if (auto moved = held_.check(has_to_hold, "moves before it is taken")) board_.report(std::move(*moved));
}

Seen VectorTraffic::see() {
  has_edge_ = false;
  if (has_lost_count_) return Seen::Handshake;
  if (const std::string_view port = lanes_ ? lanes_->moving_port() : ""; is_enabled_ && !port.empty()) {
    lose_count({.kind = MismatchKind::Lanes,
                .port = std::string(port),
                .words = "moves while scale_ready_i or look_ready_i is low"});
    return Seen::Handshake;
  }
  const bool waits_for_lanes = lanes_ ? lanes_->keeps_waiting() : lanes_wait_.get() != 0;
  stalls_.see_results(st_valid_.get() != 0, st_ready_.get() != 0);
  has_edge_ = is_enabled_ && !waits_for_lanes;
  if (!is_enabled_) return Seen::Still;
  const bool is_handshake = take_beats();
  if (is_handshake) handshake_edge_ = edge_;
  if (waits_for_lanes) ++waits_;
  if (has_lost_count_) count_missing();
  if (is_handshake || is_over_ || has_lost_count_) return Seen::Handshake;
  return waits_for_lanes ? Seen::Still : Seen::Quiet;
}

void VectorTraffic::clocked() {
  if (has_edge_) ++edge_;
}

/// A command may compute for long without a beat.
int64_t VectorTraffic::patience_cycles() const { return num_taken_ == 0 ? 0 : running_[num_taken_ - 1]->cycles; }

std::string VectorTraffic::waiting() const {
  return (name_.empty() ? "" : fmt::format("{}, {}, ", name_, block_.description().name)) + owed();
}

void VectorTraffic::was_reset() {
  check_overdue();
  // As behind its last command: nothing comes any more.
  num_taken_ = loading_ = storing_ = running_.size();
  is_over_ = true;
  has_lost_count_ = false;
  is_load_driven_ = is_command_driven_ = false;
  held_.forget();
}

/// At an edge with en_i, before it: whether anything is taken.
bool VectorTraffic::take_beats() {
  bool is_handshake = false;
  if (st_valid_.get() != 0 && st_ready_.get() != 0) {
    take_store();
    is_handshake = true;
  }
  if (has_lost_count_) return is_handshake;
  if (ld_valid_.get() != 0 && ld_ready_.get() != 0) {
    take_load(*running_[loading_]);
    is_handshake = true;
  }
  if (is_over_) return is_handshake;
  if (num_taken_ == running_.size()) {
    const VectorRun& last = *running_.back();
    // A unit of another depth may have its last beats on the way.
    const bool is_late = !is_strict_ && (loading_ < running_.size() || storing_ < running_.size());
    if (cmd_ready_.get() != 0 && !is_late) {
      end_sequence();
    } else if (storing_ == running_.size() && edge_ > last.next_edge() + stalls_.stall_cycles() + kVectorLostEdges) {
      board_.report_edge(
          {.kind = MismatchKind::Missing, .words = cmd_name_ + "_ready_o does not come after the last command"});
      has_lost_count_ = true;
    }
  } else if (cmd_valid_.get() != 0 && cmd_ready_.get() != 0) {
    VectorRun& taken = *running_[num_taken_];
    std::string what;
    if (num_taken_ > 0) {
      const VectorRun& before = *running_[num_taken_ - 1];
      if (before.load || before.store) what = "its handshake comes before the command before has had all of its beats";
      append_difference(what, away_from(before.next_edge(), "its handshake"));
    }
    taken.taken_edge = edge_;
    ++num_taken_;
    is_command_driven_ = false;
    ++board_.result().commands;
    is_handshake = true;
    skip_done();
    if (is_wrong_edge(what)) {
      board_.report({.kind = MismatchKind::Edge,
                     .part = fmt::format("command {} of its sequence", num_taken_ - 1),
                     .port = cmd_name_ + "_ready_o",
                     .words = what});
    }
  }
  if (is_store_lost()) has_lost_count_ = true;
  return is_handshake;
}

/// Whether the next store's beat does not come any more: it is long overdue, and nothing before it in the schedule is still
/// to be taken, which a unit that stands still may be waiting for.
bool VectorTraffic::is_store_lost() const {
  if (storing_ >= num_taken_) return false;
  const VectorRun& next = *running_[storing_];
  const int64_t ideal = next.edge_of(*next.store), due = ideal + stalls_.stall_cycles();
  if (edge_ <= due + kVectorLostEdges) return false;
  const bool is_load_owed = loading_ < num_taken_ && running_[loading_]->edge_of(*running_[loading_]->load) <= ideal;
  return handshake_edge_ > due || !is_load_owed;
}

/// Commands all of whose beats have come.
void VectorTraffic::skip_done() {
  while (loading_ < num_taken_ && !running_[loading_]->load) ++loading_;
  while (storing_ < num_taken_ && !running_[storing_]->store) ++storing_;
}

/// The last command of the sequence is over at this edge.
void VectorTraffic::end_sequence() {
  is_over_ = true;
  const int64_t due = running_.back()->next_edge();
  std::string what;
  const bool is_owed = loading_ < running_.size() || storing_ < running_.size();
  if (is_owed) what = cmd_name_ + "_ready_o comes before the last beat";
  append_difference(what, away_from(due, cmd_name_ + "_ready_o"));
  if (stalls_.is_exact()) {
    board_.add_cycles(due - running_.front()->taken_edge, edge_ - running_.front()->taken_edge);
  }
  if (is_wrong_edge(what) || is_owed) board_.report({.kind = MismatchKind::Edge, .words = what});
  has_lost_count_ = is_owed;
}

void VectorTraffic::take_load(VectorRun& running) {
  const std::string what = away_from(running.edge_of(*running.load), "ld_ready_o");
  if (is_wrong_edge(what))
    board_.report({.kind = MismatchKind::Edge, .work = fmt::format("step {}", running.load->step), .words = what});
  is_load_driven_ = false;
  if (!running.loads.next(*running.load)) running.load.reset();
  skip_done();
}

void VectorTraffic::take_store() {
  if (storing_ >= num_taken_) {
    board_.report_edge(
        {.kind = MismatchKind::Unasked, .port = "st_valid_o", .words = "a beat of a store that nobody asked for"});
    has_lost_count_ = true;
    return;
  }
  VectorRun& running = *running_[storing_];
  const std::string away = away_from(running.edge_of(*running.store), "st_valid_o");
  std::optional<Mismatch> mismatch = compare_elements(running, *running.store);
  if (is_strict_) add_edge(mismatch, away);
  finish_beat(running, std::move(mismatch), !away.empty());
  if (!running.stores.next(*running.store)) running.store.reset();
  skip_done();
}

std::optional<Mismatch> VectorTraffic::compare_elements(VectorRun& running, const VectorBeat& beat) {
  const int bytes = running.beat_bytes(beat.step);
  std::optional<Mismatch> found;
  const auto add = [&](Mismatch difference) {
    if (!found) {
      found = std::move(difference);
    } else if (found->after.size() <= kMostText) {
      append_difference(found->after, difference.print());
    }
  };
  for (int64_t lane = 0; lane < block_.lanes(); ++lane) {
    const bool has_element = lane < beat.first.count;
    if (has_element != (st_mask_.field(lane, 1) != 0)) {
      add({.port = "st_mask_o",
           .lane = static_cast<int>(lane),
           .expected = has_element ? 1 : 0,
           .actual = has_element ? 0 : 1});
    }
    if (!has_element) continue;
    const int64_t address = VectorRun::address_of(beat, lane);
    const uint64_t expected = running.take_element(beat, lane);
    const uint64_t actual = st_data_.field(lane, 32) & (~uint64_t{0} >> (64 - 8 * bytes));
    if (on_store_) on_store_(address, std::as_bytes(std::span(&actual, 1)).first(static_cast<size_t>(bytes)));
    if (expected == actual) continue;
    add({.port = "st_data_o",
         .lane = static_cast<int>(lane),
         .expected = fmt::format("{:#x}", expected),
         .actual = fmt::format("{:#x}", actual),
         .operands = fmt::format("{} at {:#x} of stream {}", base::to_string(running.stream_of(beat.step).type), address,
                                 running.work.vector().steps[beat.step].stream)});
  }
  return found;
}

std::string VectorTraffic::away_from(int64_t expected_edge, std::string_view what_for) const {
  return away_from_ideal(what_for, edge_ - expected_edge, stalls_.is_exact() ? 0 : stalls_.stall_cycles());
}

bool VectorTraffic::is_wrong_edge(const std::string& what) {
  if (what.empty()) return false;
  board_.count_edge();
  return is_strict_;
}

int VectorTraffic::group_of(const spec::VectorCommand& command) {
  if (spec::reduces_in_pairs(command)) return 3;
  const bool has_positions =
      std::ranges::any_of(command.steps, [](const auto& step) { return step.phase != spec::VectorPhase::Body; });
  return !has_positions ? 0 : command.lanes_reduced ? 2 : 1;
}

void VectorTraffic::finish_beat(const VectorRun& running, std::optional<Mismatch> mismatch, bool is_edge_wrong) {
  --beats_left_;
  if (mismatch) {
    const spec::VectorStep& step = running.work.vector().steps[running.store->step];
    mismatch->work = fmt::format("step {}, {}", running.store->step, package::name_of(package::kPhaseNames, step.phase));
  }
  board_.add_result(group_of(running.work.vector()), std::move(mismatch), is_edge_wrong);
}

void VectorTraffic::lose_count(Mismatch mismatch) {
  board_.report(std::move(mismatch));
  has_lost_count_ = true;
  count_missing();
}

/// What is owed when count was lost. The commands that were taken stay in both sums of cycles: of RTL until its last
/// handshake.
void VectorTraffic::count_missing() {
  if (!is_over_ && num_taken_ > 0 && stalls_.is_exact()) {
    const int64_t first_edge = running_.front()->taken_edge;
    board_.add_cycles(running_[num_taken_ - 1]->next_edge() - first_edge, handshake_edge_ - first_edge);
  }
  for (; storing_ < running_.size(); ++storing_) {
    VectorRun& running = *running_[storing_];
    while (running.store && beats_left_ > 0) {
      finish_beat(running, Mismatch{.kind = MismatchKind::Missing, .port = "st_valid_o", .words = "the beat is missing"},
                  true);
      if (!running.stores.next(*running.store)) running.store.reset();
    }
  }
}

/// Before a reset takes away what is in flight: whether something should have come long ago.
void VectorTraffic::check_overdue() {
  if (is_over_ || has_lost_count_) return;
  const VectorRun* before = num_taken_ > 0 ? running_[num_taken_ - 1].get() : nullptr;
  int64_t due = INT64_MAX;
  // Another command, or the end of the last one.
  if (num_taken_ < running_.size() || storing_ == running_.size())
    due = before != nullptr ? before->next_edge() : begun_edge_;
  if (loading_ < num_taken_) due = std::min(due, running_[loading_]->edge_of(*running_[loading_]->load));
  if (storing_ < num_taken_) due = std::min(due, running_[storing_]->edge_of(*running_[storing_]->store));
  const VectorRun& runs = before != nullptr ? *before : *running_.front();
  const int64_t allowed = is_strict_ ? kOverdueEdges : kOverdueOfOthers + 2 * runs.cycles;
  if (due == INT64_MAX || edge_ <= due + stalls_.stall_cycles() + allowed) return;
  board_.report_edge(
      {.kind = MismatchKind::Missing, .words = fmt::format("for {} edges since it was due: {}", edge_ - due, owed())});
}

std::string VectorTraffic::owed() const {
  std::vector<std::string> who;
  if (num_taken_ < running_.size()) who.push_back(fmt::format("command {} waits for {}_ready_o", num_taken_, cmd_name_));
  if (loading_ < num_taken_) who.push_back(fmt::format("a beat of command {} waits for ld_ready_o", loading_));
  if (storing_ < num_taken_) who.push_back(fmt::format("a store of command {} waits for st_valid_o", storing_));
  if (who.empty()) who.push_back(cmd_name_ + "_ready_o stays low after the last command");
  return fmt::format("{}", fmt::join(who, ", "));
}

/// Only of the first mismatch of a sequence: what comes after it may come from it.
void VectorTraffic::keep_fault(const Mismatch& mismatch) {
  if (!keeps_fault_ || running_.empty()) return;
  keeps_fault_ = false;
  fault_ = {mismatch, begun_, std::min(storing_, std::max<size_t>(num_taken_, 1) - 1)};
  for (const auto& run : running_) fault_->all.sequences.front().works.push_back(run->work);
}

}  // namespace vernier::cosim
