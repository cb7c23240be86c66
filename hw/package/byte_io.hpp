// SPDX-License-Identifier: Apache-2.0
// Little-endian bytes of a package: a writer, and a reader that never reads past the end, never allocates more than what is
// left can fill, and names the place of a mistake.
#pragma once

#include "hw/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::package::detail {

class ByteWriter {
 public:
  void number(uint64_t value, size_t num_bytes) {
    for (size_t i = 0; i < num_bytes; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8U * i)));
  }
  void u8(uint8_t value) { number(value, 1); }
  void i32(int32_t value) { number(static_cast<uint32_t>(value), 4); }
  void i64(int64_t value) { number(static_cast<uint64_t>(value), 8); }
  void blob(std::span<const std::byte> bytes) {
    number(bytes.size(), 8);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void string(std::string_view text) { blob(std::as_bytes(std::span(text))); }
  /// The number of items, then each as `write` puts it.
  template <typename Items, typename Write>
  void list(const Items& items, const Write& write) {
    number(items.size(), 8);
    for (const auto& item : items) write(item);
  }
  std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  ByteReader(const std::string& file, std::span<const std::byte> bytes) : file_(file), bytes_(bytes) {}

  uint64_t number(size_t num_bytes) {
    uint64_t value = 0;
    const std::span<const std::byte> raw = take(num_bytes);
    for (size_t i = 0; i < num_bytes; ++i) value |= std::to_integer<uint64_t>(raw[i]) << (8U * i);
    return value;
  }
  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  int32_t i32() { return static_cast<int32_t>(static_cast<uint32_t>(number(4))); }
  int64_t i64() { return static_cast<int64_t>(number(8)); }
  std::vector<std::byte> blob() {
    const std::span<const std::byte> raw = take(number(8));
    return {raw.begin(), raw.end()};
  }
  std::string string() {
    const std::span<const std::byte> raw = take(number(8));
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }
  /// A list whose items take at least min_item_bytes each, so that a false count fails before it allocates.
  template <typename Item, typename Read>
  std::vector<Item> list(size_t min_item_bytes, const Read& read) {
    const uint64_t count = number(8);
    if (count > left() / min_item_bytes) fail(fmt::format("a list of {} items does not fit in {} bytes", count, left()));
    std::vector<Item> items;
    items.reserve(count);
    for (uint64_t i = 0; i < count; ++i) items.push_back(read());
    return items;
  }
  [[nodiscard]] size_t left() const { return bytes_.size() - at_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw base::UserError(file_, "damaged package, at byte {}: {}", at_, what);
  }

 private:
  std::span<const std::byte> take(uint64_t size) {
    if (size > left()) fail(fmt::format("{} bytes are wanted, {} are left", size, left()));
    const std::span<const std::byte> result = bytes_.subspan(at_, size);
    at_ += size;
    return result;
  }
  const std::string& file_;
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
};

}  // namespace vernier::package::detail
