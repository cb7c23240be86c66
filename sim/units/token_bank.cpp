// SPDX-License-Identifier: Apache-2.0
#include "sim/units/token_bank.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/latency.hpp"
#include "hw/spec/machine.hpp"

namespace vernier::units {

namespace {
constexpr size_t kMaxTokens = (size_t{1} << spec::kTokenCounterBits) - 1;
bool has_queue(uint8_t mask, size_t queue) { return (mask >> queue & 1U) != 0; }
}  // namespace

void TokenBank::reset() {
  for (auto& row : arrivals_) {
    for (Arrivals& tokens : row) tokens.clear();
  }
}

TokenIf::Availability TokenBank::availability(spec::Queue taker, uint8_t wait_mask) const {
  Availability result;
  for (size_t giver = 0; giver < spec::kNumQueues; ++giver) {
    if (!has_queue(wait_mask, giver)) continue;
    const auto bit = static_cast<uint8_t>(1U << giver);
    const Arrivals& tokens = arrivals_[giver][static_cast<size_t>(taker)];
    if (tokens.empty()) {
      result.missing |= bit;
    } else if (tokens.front().ready_cycle > result.ready_cycle) {
      result.ready_cycle = tokens.front().ready_cycle;
      result.last = bit;
    }
  }
  return result;
}

TokenIf::Token TokenBank::take(spec::Queue taker, uint8_t wait_mask) {
  Token last;
  for (size_t giver = 0; giver < spec::kNumQueues; ++giver) {
    if (!has_queue(wait_mask, giver)) continue;
    Arrivals& tokens = arrivals(giver, static_cast<size_t>(taker));
    VERNIER_CHECK(!tokens.empty() && tokens.front().ready_cycle <= now(), "a token is taken that is not there");
    if (tokens.front().ready_cycle > last.ready_cycle) last = tokens.front();
    tokens.pop_front();
  }
  return last;
}

std::optional<spec::Queue> TokenBank::give(spec::Queue giver, uint8_t signal_mask, int32_t giver_idx) {
  for (size_t taker = 0; taker < spec::kNumQueues; ++taker) {
    if (has_queue(signal_mask, taker) && arrivals(static_cast<size_t>(giver), taker).size() >= kMaxTokens) {
      return static_cast<spec::Queue>(taker);
    }
  }
  for (size_t taker = 0; taker < spec::kNumQueues; ++taker) {
    if (!has_queue(signal_mask, taker)) continue;
    arrivals(static_cast<size_t>(giver), taker).push_back({now() + spec::kTokenCycles, giver_idx});
    if (listeners_[taker] != nullptr) listeners_[taker]->token_given();
  }
  return std::nullopt;
}

}  // namespace vernier::units
