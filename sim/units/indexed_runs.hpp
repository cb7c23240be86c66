// SPDX-License-Identifier: Apache-2.0
// The runs of a Gather or Scatter in order. SystemC-free.
#pragma once

#include "hw/spec/command.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vernier::units {

/// Offsets of the two ends of a run; kNowhere where an index out of range names no place.
struct IndexedRun {
  static constexpr int64_t kNowhere = -1;
  int64_t src = 0, dst = 0;
};

constexpr bool has_indices(const spec::DmaCommand& command) {
  return command.kind == spec::DmaKind::Gather || command.kind == spec::DmaKind::Scatter;
}

/// Bytes of the index list.
int64_t index_list_bytes(const spec::DmaCommand& command);

/// `list`: the bytes of the index list.
std::vector<IndexedRun> indexed_runs(const spec::DmaCommand& command, std::span<const std::byte> list);

}  // namespace vernier::units
