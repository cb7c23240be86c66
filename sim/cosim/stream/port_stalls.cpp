// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/port_stalls.hpp"

namespace vernier::cosim {
namespace {

constexpr std::array<int64_t, 4> kStallPercents{2, 6, 20, 50};
constexpr std::array<int64_t, 4> kHoldCycles{1, 1, 2, 5};
constexpr std::array<int64_t, 3> kMostStallCycles{1, 2, 6};  // of a port in a row
/// Of the sequences with stalls, so many have bursts: long gaps of activations, after which rows come as fast as they can
/// and meet a drain that is not in step with them; and addends that stay away often.
constexpr int64_t kBurstPercent = 30;
constexpr int64_t kGapPercent = 5, kMostGapCycles = 16;
constexpr int64_t kAddendPercent = 40, kMostAddendCycles = 12;
constexpr int64_t kDrainPercent = 40;  // of the sequences: rows come as fast as they can

}  // namespace

void PortStalls::start(ArrayPace pace, std::optional<int64_t> hold_cycles, PortAbsence away) {
  pace_ = pace;
  absence_ = away;
  percent_ = kStallPercents[static_cast<size_t>(random_.within(0, kStallPercents.size() - 1))];
  const int64_t drawn = kHoldCycles[static_cast<size_t>(random_.within(0, kHoldCycles.size() - 1))];
  hold_cycles_ = hold_cycles.value_or(drawn);
  most_stall_cycles_ = kMostStallCycles[static_cast<size_t>(random_.within(0, kMostStallCycles.size() - 1))];
  stalls_drain_alone_ = random_.chance(kDrainPercent);
  is_bursty_ = random_.chance(kBurstPercent);
  held_cycles_ = 0;
  stall_cycles_ = 0;
  left_ = {};
  cycle_ = 0;
}

bool PortStalls::is_enabled() {
  ++cycle_;
  return pace_ != ArrayPace::Frozen || !random_.chance(percent_);
}

bool PortStalls::withholds(size_t port, bool has_something) {
  if (pace_ == ArrayPace::Memory) return !memory_->gives(port);
  if (pace_ == ArrayPace::Chosen && has_something) {
    const int64_t now = cycle_ - 1;
    const bool is_away = port == absence_.port && now >= absence_.from && now < absence_.to;
    stall_cycles_ += is_away ? 1 : 0;
    return is_away;
  }
  if (pace_ != ArrayPace::Stalls || !has_something) return false;
  if (is_bursty_) return is_in_burst(port);
  if (stalls_drain_alone_ && (port == kWeights || port == kActivations || port == kCommands)) return false;
  int64_t& left = left_[port];
  if (left == 0 && random_.chance(percent_ / 2)) left = random_.within(1, most_stall_cycles_);
  if (left == 0) return false;
  --left;
  ++stall_cycles_;
  return true;
}

bool PortStalls::is_in_burst(size_t port) {
  if (port != kActivations && port != kAddends) return false;
  int64_t& left = left_[port];
  const bool is_gap = port == kActivations;
  if (left == 0 && random_.chance(is_gap ? kGapPercent : kAddendPercent))
    left = random_.within(1, is_gap ? kMostGapCycles : kMostAddendCycles);
  if (left == 0) return false;
  --left;
  ++stall_cycles_;
  return true;
}

bool PortStalls::gives_result_room() {
  if (pace_ == ArrayPace::Memory) return memory_->has_room();
  if (pace_ == ArrayPace::Held) return held_cycles_ >= hold_cycles_;
  return !withholds(kResults, true);
}

void PortStalls::see_results(bool has_row, bool is_taken) {
  if (pace_ != ArrayPace::Held) return;
  const bool waits = has_row && !is_taken;
  held_cycles_ = waits ? held_cycles_ + 1 : 0;
  if (waits) ++stall_cycles_;
}

}  // namespace vernier::cosim
