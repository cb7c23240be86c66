// SPDX-License-Identifier: Apache-2.0
// The token semaphores: one for each ordered pair of queues (giver, taker).
//
// Contract: give() at a command's end, take() at a start. A counter of kTokenCounterBits that would overflow gives nothing
// and says so. Tokens of one pair are taken in the order in which they were given. Timing: a token can be taken kTokenCycles
// (hw/spec/latency.hpp) after it was given.
#pragma once

#include "sim/kit/module.hpp"
#include "sim/units/due_event.hpp"
#include "sim/units/injection.hpp"
#include "sim/units/unit_if.hpp"

#include <array>
#include <deque>

namespace vernier::units {

class TokenBank : public kit::Module, public TokenIf {
 public:
  TokenBank(const sc_core::sc_module_name& name, kit::JobClock& clock);

  void reset() override;
  [[nodiscard]] Availability availability(spec::Queue taker, uint8_t wait_mask) const override;
  Token take(spec::Queue taker, uint8_t wait_mask, int32_t taker_idx) override;
  std::optional<spec::Queue> give(spec::Queue giver, uint8_t signal_mask, int32_t giver_idx) override;
  /// After reset(), before the job begins: of the tokens given from `cycle` on, the one of that number from 0 does not
  /// arrive.
  void lose(int64_t cycle, int64_t number);
  [[nodiscard]] const std::optional<InjectedFault>& injected() const { return loss_.injected(); }
  void attach(spec::Queue taker, TokenListener& listener) override { listeners_[static_cast<size_t>(taker)] = &listener; }

 private:
  using Arrivals = std::deque<Token>;
  [[nodiscard]] Arrivals& arrivals(size_t giver, size_t taker) { return arrivals_[giver][taker]; }
  std::array<std::array<Arrivals, spec::kNumQueues>, spec::kNumQueues> arrivals_;
  DueEvent loss_;
  void show_count(size_t giver, size_t taker);
  std::array<std::array<kit::SignalId, spec::kNumQueues>, spec::kNumQueues> counts_{};
  std::array<TokenListener*, spec::kNumQueues> listeners_{};
};

}  // namespace vernier::units
