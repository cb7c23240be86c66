// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/alternatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

namespace vernier::cost {
namespace {

constexpr size_t kMostPrinted = 6;

int64_t cycles_of(const Alternative& way) { return way.cycles.value_or(std::numeric_limits<int64_t>::max()); }

}  // namespace

void Alternatives::choose_cheapest() {
  const auto best =
      std::min_element(ways.begin(), ways.end(), [](const auto& a, const auto& b) { return cycles_of(a) < cycles_of(b); });
  chosen = static_cast<size_t>(best - ways.begin());
}

bool is_choice(const Alternatives& alternatives) { return alternatives.ways.size() > 1 || !alternatives.rule.empty(); }

std::vector<size_t> in_order(const Alternatives& alternatives) {
  std::vector<size_t> order(alternatives.ways.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto rank = [&](size_t i) { return i == alternatives.chosen ? int64_t{-1} : cycles_of(alternatives.ways[i]); };
    return rank(a) < rank(b);
  });
  return order;
}

std::string print(const Alternatives& alternatives, std::string_view indent) {
  std::vector<size_t> order = in_order(alternatives);
  std::string text = fmt::format("{}{}, {}\n", indent, alternatives.of,
                                 alternatives.rule.empty() ? "by cycles:" : "by rule: " + alternatives.rule);
  const size_t num_left_out = order.size() > kMostPrinted ? order.size() - kMostPrinted : 0;
  order.resize(order.size() - num_left_out);
  for (const size_t i : order) {
    const Alternative& way = alternatives.ways[i];
    fmt::format_to(std::back_inserter(text), "{}  {} {:>9}  {}\n", indent, i == alternatives.chosen ? '*' : ' ',
                   way.cycles ? fmt::to_string(*way.cycles) : "", way.what);
  }
  if (num_left_out > 0) fmt::format_to(std::back_inserter(text), "{}    and {} more\n", indent, num_left_out);
  return text;
}

}  // namespace vernier::cost
