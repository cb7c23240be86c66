// SPDX-License-Identifier: Apache-2.0
// A job with what its signals told, as timelines and transactions look at it.
#pragma once

#include "hw/package/package.hpp"
#include "sim/kit/signals.hpp"
#include "sim/soc/npu.hpp"
#include "sim/timeline/cpu_activity.hpp"
#include "sim/waves/recording.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::timeline {

/// A job, who watched it, and what its layers are called.
struct WatchedJob {
  const package::Package& package;
  const std::vector<std::string>& layer_names;  // by layer
  const std::vector<kit::Signal>& signals;      // of the machine
  const waves::Recording& recording;            // of the job
  const soc::JobResult& job;                    // which may have stopped anywhere
  std::span<const CpuStretch> cpu{};            // of the control CPU; ascending, the first one starts before cycle 0
};

/// A signal's place in the list.
size_t signal_of(const WatchedJob& watched, std::string_view scope, std::string_view name);
/// visit(begin, end, value) of each value that the signal has.
void for_each_stretch(const WatchedJob& watched, size_t signal,
                      const std::function<void(int64_t begin, int64_t end, int64_t value)>& visit);
/// Each command in the command processor, END included, from the fetch of its first word to its dispatch.
void for_each_fetch(const WatchedJob& watched,
                    const std::function<void(size_t command_idx, int64_t begin, int64_t end)>& visit);
/// Each token that was taken, by its pair of queues.
void for_each_token(const WatchedJob& watched,
                    const std::function<void(size_t giver, size_t taker, const kit::Handover& token)>& visit);

}  // namespace vernier::timeline
