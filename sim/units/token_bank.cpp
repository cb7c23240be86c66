// SPDX-License-Identifier: Apache-2.0
#include "sim/units/token_bank.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/latency.hpp"
#include "hw/spec/machine.hpp"

#include <fmt/format.h>

namespace vernier::units {

namespace {
constexpr size_t kMaxTokens = (size_t{1} << spec::kTokenCounterBits) - 1;
bool has_queue(uint8_t mask, size_t queue) { return (mask >> queue & 1U) != 0; }
}  // namespace

TokenBank::TokenBank(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {
  for (size_t giver = 0; giver < spec::kNumQueues; ++giver) {
    for (size_t taker = 0; taker < spec::kNumQueues; ++taker) {
      counts_[giver][taker] =
          declare(fmt::format("{}_to_{}", spec::kQueueNames[giver], spec::kQueueNames[taker]), kit::SignalKind::Count);
    }
  }
}

void TokenBank::reset() {
  loss_.reset();
  for (size_t giver = 0; giver < spec::kNumQueues; ++giver) {
    for (size_t taker = 0; taker < spec::kNumQueues; ++taker) {
      arrivals(giver, taker).clear();
      show_at_start(counts_[giver][taker], 0);
    }
  }
}

void TokenBank::show_count(size_t giver, size_t taker) {
  show(counts_[giver][taker], static_cast<int64_t>(arrivals(giver, taker).size()));
}

void TokenBank::lose(int64_t cycle, int64_t number) { loss_.arm(cycle, number); }

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

TokenIf::Token TokenBank::take(spec::Queue taker, uint8_t wait_mask, int32_t taker_idx) {
  Token last;
  for (size_t giver = 0; giver < spec::kNumQueues; ++giver) {
    if (!has_queue(wait_mask, giver)) continue;
    Arrivals& tokens = arrivals(giver, static_cast<size_t>(taker));
    VERNIER_CHECK(!tokens.empty() && tokens.front().ready_cycle <= now(), "a token is taken that is not there");
    const Token token = tokens.front();
    if (token.ready_cycle > last.ready_cycle) last = token;
    tokens.pop_front();
    signals().hand_over(counts_[giver][static_cast<size_t>(taker)],
                        {token.giver_idx, taker_idx, token.ready_cycle - spec::kTokenCycles, now()});
    show_count(giver, static_cast<size_t>(taker));
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
    if (loss_.happens(now(), giver_idx)) continue;
    arrivals(static_cast<size_t>(giver), taker).push_back({now() + spec::kTokenCycles, giver_idx});
    show_count(static_cast<size_t>(giver), taker);
    if (listeners_[taker] != nullptr) listeners_[taker]->token_given();
  }
  return std::nullopt;
}

}  // namespace vernier::units
