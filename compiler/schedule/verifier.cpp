// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/verifier.hpp"

#include "compiler/schedule/earlier_commands.hpp"
#include "hw/package/range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vernier::schedule {
namespace {

constexpr size_t kQueues = spec::kNumQueues;
using Ended = std::array<int64_t, kQueues>;  // commands of each queue known to have ended, counted from its first

struct Proof {
  std::span<const spec::Command> commands;
  std::vector<std::string> findings;
  std::vector<int64_t> rank;    // place of each command in its queue, from 0
  std::vector<Ended> at_start;  // what is known when each command starts

  [[nodiscard]] std::string name(size_t i) const {
    return fmt::format("command {} ({})", i, spec::kQueueNames[static_cast<size_t>(commands[i].header.queue)]);
  }
};

bool has_bit(uint8_t mask, size_t queue) { return ((mask >> queue) & 1U) != 0; }

/// Matches waits with signals and derives what each command knows.
void match_tokens(Proof& proof, int64_t queue_depth) {
  constexpr int64_t kMaxCount = (int64_t{1} << spec::kTokenCounterBits) - 1;
  std::array<std::array<std::vector<size_t>, kQueues>, kQueues> signals;  // [giver][taker]: commands, in order
  std::array<std::array<size_t, kQueues>, kQueues> taken{};
  std::array<int64_t, kQueues> count{};
  std::array<Ended, kQueues> last_known{};
  for (size_t i = 0; i < proof.commands.size(); ++i) {
    const spec::Header& header = proof.commands[i].header;
    const auto own = static_cast<size_t>(header.queue);
    Ended known = last_known[own];
    for (size_t giver = 0; giver < kQueues; ++giver) {
      if (!has_bit(header.wait, giver)) continue;
      if (taken[giver][own] == signals[giver][own].size()) {
        proof.findings.push_back(fmt::format("{} waits for a token of {} that no earlier command gives", proof.name(i),
                                             spec::kQueueNames[giver]));
        continue;
      }
      const size_t source = signals[giver][own][taken[giver][own]++];
      for (size_t q = 0; q < kQueues; ++q) known[q] = std::max(known[q], proof.at_start[source][q]);
      known[giver] = std::max(known[giver], proof.rank[source] + 1);
    }
    proof.at_start.push_back(known);
    last_known[own] = known;
    proof.rank.push_back(count[own]++);
    for (size_t taker = 0; taker < kQueues; ++taker) {
      if (!has_bit(header.signal, taker)) continue;
      signals[own][taker].push_back(i);
      // Takers that stand earlier in the stream are at most a queue and the one command that is running behind.
      const auto outstanding = static_cast<int64_t>(signals[own][taker].size() - taken[own][taker]);
      if (outstanding + queue_depth + 1 > kMaxCount) {
        proof.findings.push_back(fmt::format("{} may give token {} to {}, more than a semaphore counts", proof.name(i),
                                             outstanding + queue_depth + 1, spec::kQueueNames[taker]));
      }
    }
  }
  for (size_t giver = 0; giver < kQueues; ++giver) {
    for (size_t taker = 0; taker < kQueues; ++taker) {
      for (size_t k = taken[giver][taker]; k < signals[giver][taker].size(); ++k) {
        proof.findings.push_back(fmt::format("{} gives {} a token that nobody takes", proof.name(signals[giver][taker][k]),
                                             spec::kQueueNames[taker]));
      }
    }
  }
}

/// The commands of each queue so far: their places in the stream, and their ranges.
struct SoFar {
  std::array<std::vector<size_t>, kQueues> places;
  std::array<EarlierCommands, kQueues> ranges;
};

/// The earlier commands that `later` conflicts with and that are not known to have ended when it starts, the latest first.
std::vector<size_t> unordered_before(const Proof& proof, const SoFar& so_far, size_t later,
                                     const std::vector<package::Range>& ranges) {
  const auto own = static_cast<size_t>(proof.commands[later].header.queue);
  std::vector<size_t> commands;
  for (size_t q = 0; q < kQueues; ++q) {
    const Pairs pairs = q == own ? Pairs::ReadAfterWrite : Pairs::All;
    const int64_t known = proof.at_start[later][q];
    for (auto rank = so_far.ranges[q].last_conflict(ranges, pairs, known); rank;
         rank = so_far.ranges[q].last_conflict(ranges, pairs, known, *rank)) {
      commands.push_back(so_far.places[q][static_cast<size_t>(*rank)]);
    }
  }
  std::sort(commands.rbegin(), commands.rend());
  return commands;
}

void check_conflicts(Proof& proof, const spec::Datapath& datapath) {
  std::vector<std::vector<package::Range>> ranges;
  ranges.reserve(proof.commands.size());
  for (const spec::Command& command : proof.commands) ranges.push_back(package::ranges_of(command, datapath));
  SoFar so_far;
  for (size_t later = 0; later < ranges.size(); ++later) {
    for (const size_t earlier : unordered_before(proof, so_far, later, ranges[later])) {
      const package::Conflict conflict = package::conflict_between(ranges[earlier], ranges[later]);
      const char* what = conflict.read_after_write   ? "reads what"
                         : conflict.write_after_read ? "overwrites what"
                                                     : "writes what";
      const char* verb = conflict.read_after_write ? "writes" : conflict.write_after_read ? "reads" : "writes";
      proof.findings.push_back(
          fmt::format("{} {} {} {}, and no token orders them", proof.name(later), what, proof.name(earlier), verb));
    }
    const auto own = static_cast<size_t>(proof.commands[later].header.queue);
    so_far.places[own].push_back(later);
    so_far.ranges[own].add(ranges[later]);
  }
}

}  // namespace

std::vector<std::string> verify_order(std::span<const spec::Command> commands, const spec::Datapath& datapath,
                                      int64_t queue_depth) {
  Proof proof{commands, {}, {}, {}};
  match_tokens(proof, queue_depth);
  check_conflicts(proof, datapath);
  return proof.findings;
}

}  // namespace vernier::schedule
