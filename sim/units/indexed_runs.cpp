// SPDX-License-Identifier: Apache-2.0
#include "sim/units/indexed_runs.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/machine.hpp"

#include <array>
#include <cstring>

namespace vernier::units {

namespace {
constexpr size_t kLists = 3, kItems = 4;  // the loops over the index list
}  // namespace

int64_t index_list_bytes(const spec::DmaCommand& command) {
  return command.counts[kLists] * command.counts[kItems] * spec::kIndexBytes;
}

std::vector<IndexedRun> indexed_runs(const spec::DmaCommand& command, std::span<const std::byte> list) {
  VERNIER_CHECK(static_cast<int64_t>(list.size()) == index_list_bytes(command), "an index list of {} bytes", list.size());
  std::vector<IndexedRun> runs;
  std::array<int64_t, spec::kNumDmaLoops> at{};
  while (true) {
    int32_t index = 0;
    const auto item = static_cast<size_t>(at[kLists] * command.counts[kItems] + at[kItems]);
    std::memcpy(&index, list.data() + item * sizeof index, sizeof index);
    const auto end_of = [&](const spec::DmaSide& side, bool is_indexed) {
      if (is_indexed && (index < 0 || index >= command.index_limit)) return IndexedRun::kNowhere;
      auto offset = static_cast<int64_t>(side.base.offset) + (is_indexed ? index : at[kItems]) * side.strides_bytes[kItems];
      for (size_t i = 0; i < kItems; ++i) offset += at[i] * side.strides_bytes[i];
      return offset;
    };
    runs.push_back({end_of(command.src, command.kind == spec::DmaKind::Gather),
                    end_of(command.dst, command.kind == spec::DmaKind::Scatter)});
    size_t loop = at.size();
    while (loop > 0 && ++at[loop - 1] == command.counts[loop - 1]) at[--loop] = 0;
    if (loop == 0) return runs;
  }
}

}  // namespace vernier::units
