// SPDX-License-Identifier: Apache-2.0
// The bytes of one memory, with one bit a byte that says whether somebody wrote it. Address space is reserved, not filled: a
// memory of gigabytes costs what is touched, and reset() clears only the pages that a job touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vernier::mem {

class Storage {
 public:
  explicit Storage(int64_t size_bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] int64_t size_bytes() const { return size_bytes_; }
  /// Unwritten bytes read as 0.
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, static_cast<size_t>(size_bytes_)}; }
  [[nodiscard]] bool contains(int64_t offset, int64_t num_bytes) const {
    return offset >= 0 && num_bytes >= 0 && num_bytes <= size_bytes_ && offset <= size_bytes_ - num_bytes;
  }
  /// Precondition of the three: contains(offset, number of bytes).
  void write(int64_t offset, std::span<const std::byte> bytes);
  void mark_written(int64_t offset, int64_t num_bytes);
  [[nodiscard]] std::optional<int64_t> first_unwritten(int64_t offset, int64_t num_bytes) const;
  /// All bytes 0 and unwritten.
  void reset();
  /// One past the highest byte written since reset().
  [[nodiscard]] int64_t peak_bytes() const { return peak_bytes_; }

 private:
  static constexpr int64_t kPageBytes = 16384;
  void touch(int64_t offset, int64_t num_bytes);

  int64_t size_bytes_;
  std::byte* data_ = nullptr;
  uint64_t* written_ = nullptr;  // bit i of word w: byte 64 w + i
  std::vector<bool> is_touched_;
  std::vector<int64_t> touched_pages_;
  int64_t peak_bytes_ = 0;
};

}  // namespace vernier::mem
