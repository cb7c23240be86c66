// SPDX-License-Identifier: Apache-2.0
// One choice of the compiler as it can be looked at afterwards: what there was to choose from, in estimated cycles, what was
// chosen and why. Passes and schedule fill them in where they choose; `compile --dump schedule` prints them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::cost {

struct Alternative {
  std::string what;
  std::optional<int64_t> cycles{};  // none: it was not estimated
};

struct Alternatives {
  std::string of;                   // what is chosen: "lane split"
  std::string rule{};               // what decided; empty: the least cycles, the first of equals
  std::vector<Alternative> ways{};  // in the order in which they were tried
  size_t chosen = 0;                // of `ways`

  explicit Alternatives(std::string subject, std::string decided_by = {})
      : of(std::move(subject)), rule(std::move(decided_by)) {}
  void add(std::string what, std::optional<int64_t> cycles) { ways.push_back({std::move(what), cycles}); }
  /// Chooses the way of least cycles, the first of equals.
  void choose_cheapest();
};

/// Whether there was something to choose, or a rule that did.
[[nodiscard]] bool is_choice(const Alternatives& alternatives);

/// Indices of the ways: the one chosen, then the others by their cycles.
[[nodiscard]] std::vector<size_t> in_order(const Alternatives& alternatives);

/// A line for the choice and one for each way, the one chosen first and marked; the others by their cycles, a few of them.
std::string print(const Alternatives& alternatives, std::string_view indent);

}  // namespace vernier::cost
