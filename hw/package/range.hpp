// SPDX-License-Identifier: Apache-2.0
// What a command reads and writes, byte-exact: N-dimensional boxes over the two memories, the table slots and the
// accumulators. The schedule's verifier, the token inserter and the simulator's hazard check all ask here.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::package {

enum class Storage : uint8_t { Sram, External, TableSlot, Accumulators };

inline constexpr size_t kRangeDims = 6;

/// counts[0] x .. x counts[5] runs of run_bytes; run (i0..i5) starts at base + sum(i_k * strides[k]). Normalised: strides
/// are positive and descending, dimensions of one element are gone (count 1, stride 0, in front), contiguous ones are
/// merged.
struct Range {
  Storage storage = Storage::Sram;
  bool is_write = false;
  int64_t base = 0;  // byte offset; slot number for TableSlot; 0 for Accumulators
  std::array<int64_t, kRangeDims> counts{1, 1, 1, 1, 1, 1};
  std::array<int64_t, kRangeDims> strides{};
  int64_t run_bytes = 0;
  std::string_view
      what;  // "input", "weights", "parameters", "output", "addend", "source", "destination", "indices", "stream 2", "table"

  [[nodiscard]] int64_t end() const;        // one past the last byte
  [[nodiscard]] int64_t num_bytes() const;  // of all runs; INT64_MAX when it is more
  bool operator==(const Range&) const = default;
};

/// Normalises. A box may have negative strides and a negative-going base before; overlapping runs are allowed (a broadcast).
Range make_range(Storage storage, bool is_write, int64_t base, std::array<int64_t, kRangeDims> counts,
                 std::array<int64_t, kRangeDims> strides, int64_t run_bytes, std::string_view what);

/// Why a range does not lie in a memory of that many bytes: "output is bytes 0 to 9 of sram, which has 8"; empty: it does.
std::string why_outside(const Range& range, std::string_view memory, int64_t size_bytes);

/// Calls visit(offset, bytes) for each contiguous run, in ascending order within the innermost dimension.
void for_each_run(const Range& range, const std::function<void(int64_t offset, int64_t bytes)>& visit);

/// Whether the two share a byte. Fast when their intervals are apart; else by a search over the distances between their
/// runs, which for two boxes of one tensor (equal strides) takes a step or two a dimension, whatever the counts. Exact, but
/// for pairs that nothing sensible makes: when kMaxOverlapCandidates distances did not decide, the answer is true.
inline constexpr int64_t kMaxOverlapCandidates = int64_t{1} << 22;
bool overlaps(const Range& a, const Range& b);

/// All ranges of a well-formed command (check() found nothing). The weights of a command in Tiles order start at
/// weight_base, also those of a slice of the reduction. Padding positions of a convolution are not read; positions that a
/// stride or a dilation steps over count as read, and so does all of the smallest box of taps x channels around a slice of
/// the reduction.
std::vector<Range> ranges_of(const spec::Command& command, const spec::Datapath& datapath);

/// Whether two commands conflict: they share a byte that one of them writes.
struct Conflict {
  bool read_after_write = false;  // later reads what earlier writes
  bool write_after_read = false;
  bool write_after_write = false;
  [[nodiscard]] bool any() const { return read_after_write || write_after_read || write_after_write; }
};
Conflict conflict_between(const std::vector<Range>& earlier, const std::vector<Range>& later);

}  // namespace vernier::package
