// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/lock_step.hpp"

#include <array>
#include <utility>

namespace vernier::cosim {
namespace {

/// Cycles with one share of stalls; the next ones draw another.
constexpr int64_t kPaceCycles = 512;
constexpr int64_t kPipeProbeCycles = 61;
constexpr int64_t kResetCycles = 2053;
constexpr std::array<int64_t, 5> kPercents{100, 100, 75, 50, 10};

}  // namespace

LockStep::LockStep(ClockedBlock& block, UnitDriver& driver, uint64_t seed, LockStepOptions options)
    : driver_(driver),
      options_(std::move(options)),
      random_(seed),
      board_(block, driver.groups()),
      bench_(block, board_),
      results_(bench_),
      next_reset_(kResetCycles - 1) {
  const std::string group(block.description().results);
  valid_in_ = block.port(group + "_valid_i");
  tag_in_ = block.port(group + "_tag_i");
  valid_out_ = block.port(group + "_valid_o");
  bench_.add(results_);
  bench_.add(*this);
  bench_.probe(PortProbe(block), kPipeProbeCycles);
  for (PinLog* log : options_.logs) bench_.keep_log(*log);
  board_.on_mismatch([this](const Mismatch&) {
    for (PinLog* log : options_.logs) log->finish();
  });
}

LockStepResult LockStep::run(int64_t vectors, const VectorProgress::Sink& progress) {
  VectorProgress shown(progress);
  vectors_ = vectors;
  bench_.reset();
  try {
    for (; board_.result().vectors < vectors; cycle()) shown.show(board_.result());
  } catch (const Hang& hang) {
    board_.result() = board_.result().ended_at(hang);
  }
  return board_.result();
}

void LockStep::cycle() {
  if (cycle_ % kPaceCycles == 0) {
    enable_percent_ = kPercents[static_cast<size_t>(random_.within(0, kPercents.size() - 1))];
    valid_percent_ = kPercents[static_cast<size_t>(random_.within(0, kPercents.size() - 1))];
  }
  if (options_.has_resets && is_reset_due()) {
    // What is in flight is forgotten: a beat of it that comes all the same is one that nobody asked for.
    issued_ -= static_cast<int64_t>(results_.num_in_flight());
    bench_.drop();
    next_reset_ = cycle_ + kResetCycles;
    ++num_resets_;
  }
  bench_.cycle(random_.chance(enable_percent_));
}

void LockStep::offer(bool /*is_enabled*/) {
  if (pending_ < 0 && issued_ < vectors_ && results_.num_in_flight() < kNumSlots / 2 && driver_.can_draw()) {
    pending_ = std::exchange(next_slot_, (next_slot_ + 1) % kNumSlots);
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
  valid_in_.set(is_valid_ ? 1 : 0);
  driver_.offer(random_);
}

Seen LockStep::see() {
  const bool is_taken_elsewhere = driver_.see();
  if (results_.has_lost_count()) {
    results_.count_missing();
    bench_.reset();
    is_valid_ = false;
  }
  if (bench_.is_enabled() && is_valid_) {
    const int slot = std::exchange(pending_, -1);
    results_.expect({.tag = static_cast<uint64_t>(slot),
                     .group = driver_.group_of(slot),
                     .expected = driver_.expected(slot),
                     .explain = [this, slot](int lane) { return driver_.explain(slot, lane); }});
    return Seen::Handshake;
  }
  const bool has_result = bench_.is_enabled() && valid_out_.get() != 0;
  return is_taken_elsewhere || has_result ? Seen::Handshake : Seen::Quiet;
}

void LockStep::clocked() {
  driver_.clocked();
  report_state();
  ++cycle_;
}

void LockStep::was_reset() {
  driver_.was_reset();
  if (std::exchange(pending_, -1) >= 0) --issued_;  // its operands may belong to what the block has lost
  report_state();
}

std::string LockStep::waiting() const { return driver_.waiting(); }

/// After kResetCycles; every second one waits, as long once more, until it clears a result and all else that the unit can
/// hold.
bool LockStep::is_reset_due() const {
  if (cycle_ < next_reset_) return false;
  if (num_resets_ % 2 != 0 || cycle_ >= next_reset_ + kResetCycles) return true;
  return valid_out_.get() != 0 && driver_.is_good_for_reset();
}

void LockStep::report_state() {
  if (auto difference = driver_.state_difference()) board_.report(std::move(*difference));
}

}  // namespace vernier::cosim
