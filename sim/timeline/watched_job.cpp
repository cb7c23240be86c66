// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/watched_job.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

namespace vernier::timeline {

size_t signal_of(const WatchedJob& watched, std::string_view scope, std::string_view name) {
  for (size_t i = 0; i < watched.signals.size(); ++i) {
    if (watched.signals[i].scope == scope && watched.signals[i].name == name) return i;
  }
  VERNIER_CHECK(false, "the machine has no signal {}.{}", scope, name);
}

void for_each_stretch(const WatchedJob& watched, size_t signal,
                      const std::function<void(int64_t begin, int64_t end, int64_t value)>& visit) {
  const std::vector<waves::Change>& changes = watched.recording.changes(signal);
  for (size_t i = 0; i < changes.size(); ++i) {
    visit(changes[i].cycle, i + 1 < changes.size() ? changes[i + 1].cycle : watched.job.cycles, changes[i].value);
  }
}

void for_each_fetch(const WatchedJob& watched,
                    const std::function<void(size_t command_idx, int64_t begin, int64_t end)>& visit) {
  const size_t command = signal_of(watched, "npu.command_processor", "command");
  for_each_stretch(watched, command, [&](int64_t begin, int64_t end, int64_t command_idx) {
    // The machine may have stopped before it knew what it fetched.
    if (command_idx < 0 || static_cast<size_t>(command_idx) >= watched.job.commands.size()) return;
    visit(static_cast<size_t>(command_idx), begin, end);
  });
}

void for_each_token(const WatchedJob& watched,
                    const std::function<void(size_t giver, size_t taker, const kit::Handover& token)>& visit) {
  for (size_t giver = 0; giver < spec::kNumQueues; ++giver) {
    for (size_t taker = 0; taker < spec::kNumQueues; ++taker) {
      const size_t count =
          signal_of(watched, "npu.token_bank", fmt::format("{}_to_{}", spec::kQueueNames[giver], spec::kQueueNames[taker]));
      for (const kit::Handover& token : watched.recording.handovers(count)) visit(giver, taker, token);
    }
  }
}

}  // namespace vernier::timeline
