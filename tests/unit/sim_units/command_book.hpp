// SPDX-License-Identifier: Apache-2.0
// Writes the records of a job by hand, as the machine would leave them, for tests of the attribution.
#pragma once

#include "sim/units/attribution.hpp"

#include <map>
#include <string>
#include <vector>

namespace vernier::units {

inline constexpr int64_t kSramBytes = 7, kExternalBytes = 11;

inline kit::Bucket bucket(timing::Stall stall) { return kit::Bucket::stall(static_cast<size_t>(stall)); }

/// Writes records as a job would leave them.
class Book {
 public:
  CommandRecords records;

  /// A command of the array or the vector unit: its main phase takes all of its time unless drain_start is given.
  CommandRecord& compute(int32_t layer, spec::Queue queue, int64_t start, int64_t end, int64_t drain_start = -1) {
    CommandRecord& command = add(layer, queue, start, end, {kSramBytes, 0, 0, 0});
    if (drain_start < 0) return command;
    command.main.end_cycle = drain_start;
    set(command.main, {{kit::Bucket::busy(), drain_start - start}});
    command.drain = {drain_start, end, end - drain_start, {}};
    set(command.drain, {{kit::Bucket::busy(), end - drain_start}});
    return command;
  }
  CommandRecord& load(int32_t layer, int64_t start, int64_t end, spec::Queue queue = spec::Queue::Dma0) {
    return add(layer, queue, start, end, {0, kSramBytes, kExternalBytes, 0});
  }
  CommandRecord& store(int32_t layer, int64_t start, int64_t end) {
    return add(layer, spec::Queue::Dma1, start, end, {kSramBytes, 0, 0, kExternalBytes});
  }
  CommandRecord& copy(int32_t layer, int64_t start, int64_t end, spec::Queue queue = spec::Queue::Dma0) {
    return add(layer, queue, start, end, {kSramBytes, kSramBytes, 0, 0});
  }
  void end(int32_t layer, int64_t at) {
    CommandRecord command;
    command.layer_idx = layer;
    command.start_cycle = command.end_cycle = at;
    command.traffic = {1, 0, 0, 0};
    records.commands.push_back(command);
  }
  /// The command that was entered last waits for a token of `giver_idx` that comes in `cycle`.
  void waits_for(int32_t giver_idx, int64_t cycle) {
    records.commands.back().last_giver_idx = giver_idx;
    records.commands.back().token_cycle = cycle;
  }
  void set(PhaseRecord& phase, const std::vector<Share>& shares) {
    phase.shares = {static_cast<uint32_t>(records.shares.size()), static_cast<uint32_t>(shares.size())};
    records.shares.insert(records.shares.end(), shares.begin(), shares.end());
  }

 private:
  CommandRecord& add(int32_t layer, spec::Queue queue, int64_t start, int64_t end, const timing::Traffic& own) {
    CommandRecord command;
    command.layer_idx = layer;
    command.queue = queue;
    command.work = work_of(queue, own);
    command.start_cycle = start;
    command.end_cycle = end;
    command.traffic = own;
    command.main = {start, end, end - start, {}};
    set(command.main, {{kit::Bucket::busy(), end - start}});
    records.commands.push_back(command);
    return records.commands.back();
  }
};

/// Those above zero, by name.
inline std::map<std::string, int64_t> causes(const LayerCount& layer) {
  std::map<std::string, int64_t> result;
  for (size_t i = 0; i < kNumCauses; ++i) {
    if (layer.attributed_by[i] != 0) result[std::string(kCauseNames[i])] = layer.attributed_by[i];
  }
  return result;
}
using Causes = std::map<std::string, int64_t>;

}  // namespace vernier::units
