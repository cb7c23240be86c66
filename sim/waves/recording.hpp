// SPDX-License-Identifier: Apache-2.0
// Everything that a machine shows while it runs, kept: what waves, counters and queue figures are made of.
#pragma once

#include "sim/kit/signals.hpp"

#include <cstdint>
#include <vector>

namespace vernier::waves {

/// From this cycle on the signal has this value.
struct Change {
  int64_t cycle = 0, value = 0;
  bool operator==(const Change&) const = default;
};

/// An amount that moved evenly.
struct Stretch {
  int64_t start_cycle = 0, end_cycle = 0, amount = 0;
  bool operator==(const Stretch&) const = default;
};

/// From this cycle on so much moves in a cycle.
struct Rate {
  int64_t cycle = 0;
  double per_cycle = 0;
  bool operator==(const Rate&) const = default;
};

class Recording : public kit::SignalObserver {
 public:
  void changed(kit::SignalId signal, int64_t cycle, int64_t value) override;
  void moved(kit::SignalId signal, int64_t start_cycle, int64_t end_cycle, int64_t amount) override;
  void handed_over(kit::SignalId signal, const kit::Handover& handover) override;

  /// In ascending cycles, each value another than the one before; empty for a signal that never had one.
  [[nodiscard]] const std::vector<Change>& changes(size_t signal) const;
  /// Of a flow, in the order of their ends.
  [[nodiscard]] const std::vector<Stretch>& stretches(size_t signal) const;
  /// Of a count, in the order in which they were taken.
  [[nodiscard]] const std::vector<kit::Handover>& handovers(size_t signal) const;
  /// The sum of a flow's stretches, from cycle 0 on: its integral is the sum of their amounts.
  [[nodiscard]] std::vector<Rate> rates(size_t signal) const;

 private:
  std::vector<std::vector<Change>> changes_;
  std::vector<std::vector<Stretch>> stretches_;
  std::vector<std::vector<kit::Handover>> handovers_;
};

}  // namespace vernier::waves
