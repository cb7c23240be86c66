// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/starts.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/latency.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::schedule {

StartOrder::StartOrder(const Sequence& from, std::span<const CommandTime> times) {
  VERNIER_CHECK(times.size() == from.commands.size(), "times of {} commands for {}", times.size(), from.commands.size());
  std::vector<size_t> order(times.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return times[a].start_cycle < times[b].start_cycle; });
  for (const size_t i : order) {
    sequence.commands.push_back(from.commands[i]);
    sequence.item.push_back(from.item[i]);
    end_cycle = std::max(end_cycle, times[i].end_cycle);
    const int64_t over_cycle = times[i].end_cycle + spec::kTokenCycles;
    const auto behind = std::partition_point(order.begin(), order.end(),
                                             [&](size_t other) { return times[other].start_cycle < over_cycle; });
    busy_until.push_back(behind - order.begin() - 1);
  }
}

}  // namespace vernier::schedule
