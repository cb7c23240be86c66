// SPDX-License-Identifier: Apache-2.0
#include "sim/kit/signals.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <utility>

namespace vernier::kit {

SignalId Signals::declare(Signal signal) {
  VERNIER_CHECK((signal.kind == SignalKind::State) == !signal.labels.empty(), "signal {}.{}: labels are those of a state",
                signal.scope, signal.name);
  VERNIER_CHECK(std::none_of(list_.begin(), list_.end(),
                             [&](const Signal& other) { return other.scope == signal.scope && other.name == signal.name; }),
                "signal {}.{} is declared twice", signal.scope, signal.name);
  list_.push_back(std::move(signal));
  return static_cast<SignalId>(list_.size() - 1);
}

}  // namespace vernier::kit
