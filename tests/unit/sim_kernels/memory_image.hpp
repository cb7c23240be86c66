// SPDX-License-Identifier: Apache-2.0
// Element-wise access to simulated memory for the witnesses, byte by byte, and a picture of what a command writes.
#pragma once

#include "hw/base/element_type.hpp"
#include "sim/kernels/kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace vernier::kernels::tests {

/// `bytes` little-endian bytes as an unsigned number, 8 of them as int64.
inline int64_t read_bytes(std::span<const std::byte> memory, int64_t offset, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value |= std::to_integer<uint64_t>(memory[static_cast<size_t>(offset + i)]) << (8 * i);
  }
  return static_cast<int64_t>(value);
}

/// The element's low bits as the number that they mean; bool is 0 or 1.
inline int64_t read_element(std::span<const std::byte> memory, int64_t offset, base::ElementType type, bool is_unsigned) {
  const int bits = base::info(type).bits;
  const int64_t raw = read_bytes(memory, offset, base::stored_bytes(type));
  const int64_t low = bits == 64 ? raw : raw & ((int64_t{1} << bits) - 1);
  if (is_unsigned || type == base::ElementType::Bool) return low;
  return (low & (int64_t{1} << (bits - 1))) != 0 ? low - (int64_t{1} << bits) : low;
}

/// Offset to byte, of what was written, the last write winning.
using Image = std::map<int64_t, uint8_t>;

inline void write_element(Image& image, int64_t offset, base::ElementType type, int64_t value) {
  if (type == base::ElementType::Bool) value &= 1;
  if (type == base::ElementType::Int48) value = static_cast<int64_t>(static_cast<uint64_t>(value) << 16) >> 16;
  for (int i = 0; i < base::stored_bytes(type); ++i) {
    image[offset + i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
  }
}

inline Image image_of(const WriteSet& writes) {
  Image image;
  for (const WriteSet::Run& run : writes.runs()) {
    const auto bytes = writes.bytes_of(run);
    for (size_t i = 0; i < bytes.size(); ++i) {
      image[static_cast<int64_t>(run.address.offset + i)] = std::to_integer<uint8_t>(bytes[i]);
    }
  }
  return image;
}

}  // namespace vernier::kernels::tests
