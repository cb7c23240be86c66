// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/tokens.hpp"

#include "compiler/schedule/earlier_commands.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace vernier::schedule {
namespace {

/// Of one pair of queues at one place of the stream. A semaphore counts further; what a full queue and the command behind it
/// may have given ahead of the stream comes on top.
constexpr std::ptrdiff_t kMostOutstanding = 128;
static_assert(kMostOutstanding + 64 + 1 < (1 << spec::kTokenCounterBits), "64: the deepest queue that may be configured");

void merge(Knowledge& into, const Knowledge& other) {
  for (size_t q = 0; q < into.size(); ++q) into[q] = std::max(into[q], other[q]);
}

}  // namespace

void insert_tokens(std::span<spec::Header> headers, std::span<const std::vector<package::Range>> ranges) {
  struct Wait {
    size_t queue;
    size_t command;
    Knowledge knowledge;  // what is known once that command has ended
  };
  std::array<std::vector<size_t>, spec::kNumQueues> queue_commands;                        // of the stream, by queue
  std::array<EarlierCommands, spec::kNumQueues> so_far;                                    // their ranges
  std::array<std::array<std::vector<size_t>, spec::kNumQueues>, spec::kNumQueues> takers;  // of tokens, by giver and taker
  std::vector<Knowledge> knows(headers.size());
  for (size_t i = 0; i < headers.size(); ++i) {
    spec::Header& header = headers[i];
    header.wait = header.signal = 0;
    const auto own = static_cast<size_t>(header.queue);
    if (!queue_commands[own].empty()) knows[i] = knows[queue_commands[own].back()];
    std::vector<Wait> candidates;
    for (size_t q = 0; q < spec::kNumQueues; ++q) {
      // The latest conflicting command of queue q decides; all earlier ones have ended with it.
      const std::optional<int64_t> rank =
          so_far[q].last_conflict(ranges[i], q == own ? Pairs::ReadAfterWrite : Pairs::All, knows[i][q]);
      if (!rank) continue;
      const size_t earlier = queue_commands[q][static_cast<size_t>(*rank)];
      // Where too many tokens of this kind lie between the two already, the last command so far gives one for all.
      const std::vector<size_t>& others = takers[q][own];
      const bool is_full = others.end() - std::upper_bound(others.begin(), others.end(), earlier) >= kMostOutstanding;
      const size_t giver = is_full ? queue_commands[q].back() : earlier;
      candidates.push_back({q, giver, knows[giver]});
      candidates.back().knowledge[q] = is_full ? static_cast<int64_t>(queue_commands[q].size()) : *rank + 1;
    }
    for (const Wait& candidate : candidates) {
      merge(knows[i], candidate.knowledge);
      const bool is_implied = std::any_of(candidates.begin(), candidates.end(), [&](const Wait& other) {
        return &other != &candidate && other.knowledge[candidate.queue] >= candidate.knowledge[candidate.queue];
      });
      if (is_implied) continue;
      header.wait |= spec::queue_bit(static_cast<spec::Queue>(candidate.queue));
      headers[candidate.command].signal |= spec::queue_bit(header.queue);
      takers[candidate.queue][own].push_back(i);
    }
    queue_commands[own].push_back(i);
    so_far[own].add(ranges[i]);
  }
}

}  // namespace vernier::schedule
