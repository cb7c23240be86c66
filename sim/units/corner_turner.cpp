// SPDX-License-Identifier: Apache-2.0
#include "sim/units/corner_turner.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace vernier::units {

namespace {

/// [rows][columns] to [columns][rows]. Blocks of columns, so that the lines of the host's cache are used whole.
template <typename Element>
void turn(const std::byte* from, size_t rows, size_t columns, std::byte* to) {
  constexpr size_t kBlock = 16;
  constexpr size_t kSize = sizeof(Element);
  for (size_t first = 0; first < columns; first += kBlock) {
    const size_t end = std::min(first + kBlock, columns);
    for (size_t row = 0; row < rows; ++row) {
      for (size_t column = first; column < end; ++column) {
        std::memcpy(to + (column * rows + row) * kSize, from + (row * columns + column) * kSize, kSize);
      }
    }
  }
}

using TurnFunction = void (*)(const std::byte*, size_t, size_t, std::byte*);

TurnFunction turn_function(int64_t element_bytes) {
  switch (element_bytes) {
    case 1: return &turn<uint8_t>;
    case 2: return &turn<uint16_t>;
    case 4: return &turn<uint32_t>;
    case 8: return &turn<uint64_t>;
    default: break;
  }
  VERNIER_CHECK(false, "a transpose of elements of {} bytes", element_bytes);
}

}  // namespace

spec::DmaCommand source_rows(const spec::DmaCommand& transpose) {
  spec::DmaCommand rows = transpose;
  rows.kind = spec::DmaKind::Copy;
  rows.run_bytes *= rows.counts[4];
  rows.counts[4] = 1;
  rows.dst.strides_bytes = rows.src.strides_bytes;  // nobody looks: rows that follow each other become one run
  return rows;
}

spec::DmaCommand destination_columns(const spec::DmaCommand& transpose) {
  spec::DmaCommand columns = transpose;
  columns.kind = spec::DmaKind::Copy;
  columns.run_bytes *= columns.counts[3];
  columns.counts[3] = 1;
  columns.src.strides_bytes = columns.dst.strides_bytes;
  return columns;
}

std::vector<std::byte> turn_corners(const spec::DmaCommand& transpose, std::span<const std::byte> rows) {
  std::vector<std::byte> columns(rows.size());
  const auto num_rows = static_cast<size_t>(transpose.counts[3]), num_columns = static_cast<size_t>(transpose.counts[4]);
  const size_t matrix_bytes = num_rows * num_columns * static_cast<size_t>(transpose.run_bytes);
  const TurnFunction turn_one = turn_function(transpose.run_bytes);
  for (size_t at = 0; at < rows.size(); at += matrix_bytes) {
    turn_one(rows.data() + at, num_rows, num_columns, columns.data() + at);
  }
  return columns;
}

}  // namespace vernier::units
