// SPDX-License-Identifier: Apache-2.0
#include "sim/units/self_overlap.hpp"

#include <fmt/format.h>

namespace vernier::units {

namespace {

using package::Range;

bool is_same_box(const Range& a, const Range& b) {
  return a.base == b.base && a.counts == b.counts && a.strides == b.strides && a.run_bytes == b.run_bytes;
}

template <size_t Size>
bool is_same_walk(const std::array<int64_t, Size>& counts, const std::array<int64_t, Size>& a,
                  const std::array<int64_t, Size>& b) {
  for (size_t i = 0; i < Size; ++i) {
    if (counts[i] > 1 && a[i] != b[i]) return false;
  }
  return true;
}

/// A copy from a place to itself.
bool is_same_element(const spec::DmaCommand& command, const Range&, const Range&) {
  return command.src.base == command.dst.base &&
         is_same_walk(command.counts, command.src.strides_bytes, command.dst.strides_bytes);
}

/// Only the residual's second operand is read element by element with the output.
bool is_same_element(const spec::MacCommand& command, const Range& read, const Range&) {
  return read.what == "addend" && command.addend == command.output;
}

/// The stream of a range, from "stream 2".
const spec::VectorStream& stream_of(const spec::VectorCommand& command, const Range& range) {
  return command.streams[static_cast<size_t>(range.what.back() - '0')];
}

bool is_same_element(const spec::VectorCommand& command, const Range& read, const Range& write) {
  const spec::VectorStream& from = stream_of(command, read);
  const spec::VectorStream& to = stream_of(command, write);
  return is_same_box(read, write) && from.base == to.base && base::stored_bytes(from.type) == base::stored_bytes(to.type) &&
         (command.lanes == 1 || from.lane_stride_bytes == to.lane_stride_bytes) &&
         is_same_walk(command.counts, from.strides_bytes, to.strides_bytes);
}

bool is_same_element(const spec::EndCommand&, const Range&, const Range&) { return false; }

}  // namespace

std::optional<std::string> find_self_overlap(const spec::Command& command, const std::vector<Range>& ranges) {
  for (const Range& write : ranges) {
    const bool is_memory = write.storage == package::Storage::Sram || write.storage == package::Storage::External;
    if (!write.is_write || !is_memory) continue;
    for (const Range& read : ranges) {
      if (read.is_write || !package::overlaps(read, write)) continue;
      const bool is_in_place =
          std::visit([&](const auto& body) { return is_same_element(body, read, write); }, command.body);
      if (!is_in_place) return fmt::format("its {} overlaps its {}", write.what, read.what);
    }
  }
  return std::nullopt;
}

}  // namespace vernier::units
