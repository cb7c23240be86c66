// SPDX-License-Identifier: Apache-2.0
// The results of a unit that takes a vector and gives its result a fixed number of cycles later: each accepted beat of the
// result port is compared in all lanes, in its tag and in its edge. Beats come in the order of the vectors, whose tags they
// carry. Outputs hold while en_i is low.
#pragma once

#include "sim/cosim/block/held_ports.hpp"
#include "sim/cosim/lockstep/bench.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vernier::cosim {

/// The first lane of a result port that differs, with what `explain` says about its operands; none where all are equal.
template <typename Explain>
std::optional<Mismatch> different_lane(const std::string& port, const Port& results, std::span<const int32_t> expected,
                                       Explain explain) {
  if (std::ranges::equal(std::as_bytes(expected), results.bytes().first(expected.size_bytes()))) return std::nullopt;
  for (size_t lane = 0; lane < expected.size(); ++lane) {
    const auto actual = static_cast<int32_t>(results.field(static_cast<int64_t>(lane), 32));
    if (actual == expected[lane]) continue;
    return Mismatch{.port = port,
                    .lane = static_cast<int>(lane),
                    .expected = expected[lane],
                    .actual = actual,
                    .operands = explain(static_cast<int>(lane))};
  }
  return std::nullopt;
}

/// A vector that the block has taken, and its result.
struct PipeVector {
  uint64_t tag = 0;
  int group = 0;  // of the scoreboard's
  std::span<const int32_t> expected{};
  std::function<std::string(int lane)> explain{};  // the operands of a lane
};

class PipeResults : public Participant {
 public:
  /// A participant of `bench` that looks at the block's result port; it drives nothing.
  explicit PipeResults(Bench& bench);
  /// The next edge takes this vector. After see().
  void expect(PipeVector vector);
  [[nodiscard]] size_t num_in_flight() const { return in_flight_.size(); }
  /// Whether a result has another tag, or does not come any more: what comes next is not known until a reset.
  [[nodiscard]] bool has_lost_count() const { return has_lost_count_; }
  /// What is in flight counts as missing.
  void count_missing();

  void offer(bool /*is_enabled*/) override {}
  void settled() override;
  Seen see() override;
  void was_reset() override;

 private:
  struct InFlight {
    PipeVector vector;
    int64_t edge;  // at which its result is due
  };
  [[nodiscard]] std::string named(std::string_view port) const;

  Bench& bench_;
  Port valid_, tag_, results_;
  HeldPorts held_;
  std::deque<InFlight> in_flight_;
  int64_t first_edge_ = -1;  // that took a vector
  bool has_lost_count_ = false;
};

}  // namespace vernier::cosim
