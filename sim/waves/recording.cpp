// SPDX-License-Identifier: Apache-2.0
#include "sim/waves/recording.hpp"

#include "hw/base/error.hpp"

#include <algorithm>

namespace vernier::waves {

namespace {
/// The list of a signal, made when it is the first of it.
template <typename T>
std::vector<T>& list_of(std::vector<std::vector<T>>& lists, kit::SignalId signal) {
  const auto index = static_cast<size_t>(signal);
  if (lists.size() <= index) lists.resize(index + 1);
  return lists[index];
}
template <typename T>
const std::vector<T>& list_at(const std::vector<std::vector<T>>& lists, size_t signal) {
  static const std::vector<T> kNone;
  return signal < lists.size() ? lists[signal] : kNone;
}
}  // namespace

void Recording::changed(kit::SignalId signal, int64_t cycle, int64_t value) {
  std::vector<Change>& list = list_of(changes_, signal);
  VERNIER_CHECK(list.empty() || list.back().cycle <= cycle, "signal {} goes back from cycle {} to {}",
                static_cast<size_t>(signal), list.back().cycle, cycle);
  if (!list.empty() && list.back().cycle == cycle) list.pop_back();
  if (list.empty() || list.back().value != value) list.push_back({cycle, value});
}

void Recording::moved(kit::SignalId signal, int64_t start_cycle, int64_t end_cycle, int64_t amount) {
  VERNIER_CHECK(end_cycle > start_cycle, "{} of signal {} move in no time", amount, static_cast<size_t>(signal));
  list_of(stretches_, signal).push_back({start_cycle, end_cycle, amount});
}

void Recording::handed_over(kit::SignalId signal, const kit::Handover& handover) {
  list_of(handovers_, signal).push_back(handover);
}

const std::vector<Change>& Recording::changes(size_t signal) const { return list_at(changes_, signal); }
const std::vector<Stretch>& Recording::stretches(size_t signal) const { return list_at(stretches_, signal); }
const std::vector<kit::Handover>& Recording::handovers(size_t signal) const { return list_at(handovers_, signal); }

std::vector<Rate> Recording::rates(size_t signal) const {
  std::vector<Stretch> by_start = stretches(signal);
  std::sort(by_start.begin(), by_start.end(),
            [](const Stretch& a, const Stretch& b) { return a.start_cycle < b.start_cycle; });
  std::vector<int64_t> edges;
  for (const Stretch& stretch : by_start) {
    edges.push_back(stretch.start_cycle);
    edges.push_back(stretch.end_cycle);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  std::vector<Rate> rates{{0, 0.0}};
  std::vector<Stretch> open;  // few at a time, so that each sum is made anew and no error adds up
  size_t next = 0;
  for (const int64_t edge : edges) {
    std::erase_if(open, [&](const Stretch& stretch) { return stretch.end_cycle <= edge; });
    for (; next < by_start.size() && by_start[next].start_cycle <= edge; ++next) open.push_back(by_start[next]);
    double per_cycle = 0;
    for (const Stretch& stretch : open) {
      per_cycle += static_cast<double>(stretch.amount) / static_cast<double>(stretch.end_cycle - stretch.start_cycle);
    }
    if (rates.back().cycle == edge) rates.pop_back();
    if (rates.empty() || rates.back().per_cycle != per_cycle) rates.push_back({edge, per_cycle});
  }
  return rates;
}

}  // namespace vernier::waves
