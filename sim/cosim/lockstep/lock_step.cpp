// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/lock_step.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cosim/block/block_reset.hpp"
#include "sim/cosim/block/edge_text.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {
namespace {

/// A result that is so many edges late does not come any more.
constexpr int64_t kLaneLostEdges = 64;
/// Cycles with one share of stalls; the next ones draw another.
constexpr int64_t kPaceCycles = 512;
constexpr int64_t kPipeProbeCycles = 61;
constexpr int64_t kResetCycles = 2053;
/// At these the inputs still stand as they did when rst_ni fell.
constexpr int64_t kEdgesOfFall = 2;
constexpr std::array<int64_t, 5> kPercents{100, 100, 75, 50, 10};

}  // namespace

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

LockStep::LockStep(ClockedBlock& block, UnitDriver& driver, uint64_t seed)
    : block_(block),
      driver_(driver),
      random_(seed),
      en_(block.port("en_i")),
      all_outputs_(block),
      held_(HeldPorts::of_results(block)),
      next_reset_(kResetCycles - 1) {
  valid_in_ = block.port(named("valid_i"));
  tag_in_ = block.port(named("tag_i"));
  valid_out_ = block.port(named("valid_o"));
  tag_out_ = block.port(named("tag_o"));
  results_out_ = block.port(named("result_o"));
  for (std::string& name : driver.groups()) result_.groups.push_back({std::move(name)});
}

LockStepResult LockStep::run(int64_t vectors, const VectorProgress::Sink& progress) {
  VectorProgress shown(progress);
  reset_block();
  try {
    for (; result_.vectors < vectors; cycle(vectors)) shown.show(result_);
  } catch (const Hang& hang) {
    result_ = result_.ended_at(hang);
  }
  return result_;
}

void LockStep::cycle(int64_t vectors) {
  if (cycle_ % kPaceCycles == 0) {
    enable_percent_ = kPercents[static_cast<size_t>(random_.within(0, kPercents.size() - 1))];
    valid_percent_ = kPercents[static_cast<size_t>(random_.within(0, kPercents.size() - 1))];
  }
  if (has_resets_ && is_reset_due()) reset_in_flight();
  drive_cycle(vectors);
  block_.settle();
  sample();
  if (const auto moved = was_enabled_ ? std::nullopt : held_.moved()) {
    report({.kind = MismatchKind::Moved, .port = moved->port, .lane = moved->lane, .words = "moves while en_i is low"});
  }
  if (cycle_ % kPipeProbeCycles == 0) probe();
  bool is_handshake = is_enabled_ && compare_beat();
  held_.hold();
  for (PinLog* log : logs_) log->add();
  block_.edge();
  is_handshake |= driver_.after_edge();
  if (is_enabled_ && is_valid_) {
    if (first_edge_ < 0) first_edge_ = edge_;
    in_flight_.push_back({pending_, edge_ + block_.description().latency_cycles});
    pending_ = -1;
    is_handshake = true;
  }
  if (is_enabled_) ++edge_;
  was_enabled_ = is_enabled_;
  report_state();
  ++cycle_;
  if (is_handshake) last_handshake_ = block_.cycle();
  if (block_.cycle() - last_handshake_ > kHangCycles) {
    throw Hang(fmt::format("no handshake on any port since cycle {}: {}", last_handshake_, driver_.waiting()),
               last_handshake_);
  }
}

void LockStep::drive_cycle(int64_t vectors) {
  is_enabled_ = random_.chance(enable_percent_);
  if (pending_ < 0 && issued_ < vectors && in_flight_.size() < kNumSlots / 2 && driver_.can_draw()) {
    pending_ = free_slot();
    driver_.draw(pending_, random_);
    is_pending_driven_ = false;
    ++issued_;
  }
  is_valid_ = pending_ >= 0 && random_.chance(valid_percent_);
  if (is_valid_ && !is_pending_driven_) {
    driver_.drive(pending_);
    tag_in_.set(static_cast<uint64_t>(pending_));
    is_pending_driven_ = true;
  } else if (!is_valid_ && random_.chance(25)) {
    driver_.scramble(random_);
    tag_in_.set(random_.bits() & (kNumSlots - 1));
    is_pending_driven_ = false;
  }
  en_.set(is_enabled_ ? 1 : 0);
  valid_in_.set(is_valid_ ? 1 : 0);
  driver_.before_edge(random_);
}

/// Inside a cycle no output of any port follows en_i or valid.
void LockStep::probe() {
  all_outputs_.hold();
  for (Port* pin : {&en_, &valid_in_}) {
    const uint64_t value = pin->get();
    pin->set(1 - value);
    block_.settle();
    if (const auto moved = all_outputs_.moved()) {
      const std::string input = pin == &en_ ? "en_i" : named("valid_i");
      report(
          {.kind = MismatchKind::Follows, .port = moved->port, .lane = moved->lane, .words = follows_inside_cycle(input)});
    }
    pin->set(value);
    block_.settle();
  }
}

void LockStep::sample() {
  outputs_.valid = valid_out_.get() != 0;
  outputs_.tag = tag_out_.get();
}

/// After kResetCycles; every second one waits, as long once more, until it clears a result and all else that the unit can
/// hold.
bool LockStep::is_reset_due() const {
  if (cycle_ < next_reset_) return false;
  if (num_resets_ % 2 != 0 || cycle_ >= next_reset_ + kResetCycles) return true;
  return valid_out_.get() != 0 && driver_.is_good_for_reset();
}

/// What is in flight is forgotten: a beat of it that comes all the same is one that nobody asked for.
void LockStep::reset_in_flight() {
  for (const InFlight& beat : in_flight_) is_used_[static_cast<size_t>(beat.slot)] = false;
  issued_ -= static_cast<int64_t>(in_flight_.size());
  in_flight_.clear();
  begin_reset();
  reset_block();
  next_reset_ = cycle_ + kResetCycles;
  ++num_resets_;
}

/// The outputs say before an edge that nothing is left, and no edge takes what stands on the inputs.
void LockStep::begin_reset() {
  block_.port("rst_ni").set(0);
  bool is_told = false;
  for (int64_t edge = 0; edge < kEdgesOfFall; ++edge) {
    block_.settle();
    if (auto left = is_told ? std::nullopt : left_in_reset(block_, edge)) {
      is_told = true;
      report(std::move(*left));
    }
    for (PinLog* log : logs_) log->add();
    block_.edge();
  }
}

void LockStep::reset_block() {
  block_.reset();
  for (PinLog* log : logs_) log->add_reset();
  driver_.was_reset();
  if (pending_ >= 0) {  // its operands may belong to what the block has lost
    is_used_[static_cast<size_t>(pending_)] = false;
    --issued_;
    pending_ = -1;
  }
  was_enabled_ = true;
  report_state();
}

void LockStep::report_state() {
  if (auto difference = driver_.state_difference()) report(std::move(*difference));
}

/// At an edge with en_i, before it: whether a beat is taken.
bool LockStep::compare_beat() {
  if (!outputs_.valid) {
    if (!in_flight_.empty() && edge_ > in_flight_.front().edge + kLaneLostEdges) restart();
    return false;
  }
  if (in_flight_.empty()) {
    ++result_.cycle_mismatches;
    report({.kind = MismatchKind::Unasked,
            .port = named("valid_o"),
            .words = fmt::format("a beat that nobody asked for, tag {}", outputs_.tag)});
    return true;
  }
  const InFlight beat = in_flight_.front();
  if (outputs_.tag != static_cast<uint64_t>(beat.slot)) {
    report({.kind = MismatchKind::Order,
            .port = named("tag_o"),
            .words = fmt::format("tag {} where {} is next", outputs_.tag, beat.slot)});
    restart();
    return true;
  }
  in_flight_.pop_front();
  result_.model_cycles = beat.edge - first_edge_;
  result_.rtl_cycles = edge_ - first_edge_;
  std::optional<Mismatch> mismatch = different_lane(named("result_o"), results_out_, driver_.expected(beat.slot),
                                                    [&](int lane) { return driver_.explain(beat.slot, lane); });
  add_edge(mismatch, away_from_spec(named("valid_o"), edge_ - beat.edge));
  finish(beat.slot, std::move(mismatch), edge_ != beat.edge);
  return true;
}

/// One vector is compared; no mismatch when it matched.
void LockStep::finish(int slot, std::optional<Mismatch> mismatch, bool is_edge_wrong) {
  auto& group = result_.groups[static_cast<size_t>(driver_.group_of(slot))];
  is_used_[static_cast<size_t>(slot)] = false;
  ++result_.vectors;
  ++group.vectors;
  if (is_edge_wrong) ++result_.cycle_mismatches;
  if (!mismatch) return;
  ++group.mismatches;
  mismatch->vector = result_.vectors - 1;
  mismatch->work = group.name;
  report(std::move(*mismatch));
}

/// The block lost count: what is in flight counts as missing.
void LockStep::restart() {
  for (const InFlight& beat : in_flight_)
    finish(beat.slot, Mismatch{.kind = MismatchKind::Missing, .port = named("valid_o"), .words = "the result is missing"},
           true);
  in_flight_.clear();
  reset_block();
  is_valid_ = false;
  sample();
}

/// Of the group of the results.
std::string LockStep::named(std::string_view port) const { return fmt::format("{}_{}", block_.description().results, port); }

void LockStep::report(Mismatch mismatch) {
  for (PinLog* log : logs_) log->finish();
  result_.report(block_.seen_now(std::move(mismatch)));
}

int LockStep::free_slot() {
  while (is_used_[static_cast<size_t>(next_slot_)]) next_slot_ = (next_slot_ + 1) % kNumSlots;
  is_used_[static_cast<size_t>(next_slot_)] = true;
  const int slot = next_slot_;
  next_slot_ = (next_slot_ + 1) % kNumSlots;
  return slot;
}

}  // namespace vernier::cosim
