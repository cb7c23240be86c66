// SPDX-License-Identifier: Apache-2.0
// The bytes of one memory, with one bit a byte that says whether somebody wrote it. Address space is reserved, not filled: a
// memory of gigabytes costs what is touched, and reset() clears only the pages that a job touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
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
  /// These bytes count as unwritten, and keep their values. Precondition as above.
  void forget(int64_t offset, int64_t num_bytes);
  /// A fault in the memory: a bit of a byte changes, and nothing knows of it but the byte's parity bit. Precondition as
  /// above.
  void flip(int64_t offset, int bit);
  /// The first byte of these whose parity bit does not fit it.
  [[nodiscard]] std::optional<int64_t> first_wrong_parity(int64_t offset, int64_t num_bytes) const;
  /// All bytes 0 and unwritten.
  void reset();
  /// Memory and address space are given back. Only reset() may come next.
  void rest();
  /// One past the highest byte written since reset().
  [[nodiscard]] int64_t peak_bytes() const { return peak_bytes_; }

 private:
  static constexpr int64_t kPageBytes = 16384;
  void touch(int64_t offset, int64_t num_bytes);
  void take_address_space();

  int64_t size_bytes_;
  std::byte* data_ = nullptr;
  uint64_t* written_ = nullptr;  // bit i of word w: byte 64 w + i
  std::vector<bool> is_touched_;
  std::vector<int64_t> touched_pages_;
  std::set<int64_t> wrong_parity_;  // bytes that flip() has left with an odd number of wrong bits
  int64_t peak_bytes_ = 0;
};

/// A part of a storage, to be read: offsets count from its first byte.
class StorageView {
 public:
  /// All of it.
  explicit StorageView(const Storage& storage) : storage_(&storage), size_bytes_(storage.size_bytes()) {}
  /// Precondition: the part lies inside.
  StorageView(const Storage& storage, int64_t base, int64_t size_bytes)
      : storage_(&storage), base_(base), size_bytes_(size_bytes) {}

  [[nodiscard]] int64_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return storage_->bytes().subspan(static_cast<size_t>(base_), static_cast<size_t>(size_bytes_));
  }
  [[nodiscard]] bool contains(int64_t offset, int64_t num_bytes) const {
    return offset >= 0 && num_bytes >= 0 && num_bytes <= size_bytes_ && offset <= size_bytes_ - num_bytes;
  }
  /// Precondition: contains(offset, num_bytes).
  [[nodiscard]] std::optional<int64_t> first_unwritten(int64_t offset, int64_t num_bytes) const {
    const auto found = storage_->first_unwritten(base_ + offset, num_bytes);
    return found ? std::optional(*found - base_) : std::nullopt;
  }

 private:
  const Storage* storage_;
  int64_t base_ = 0;
  int64_t size_bytes_;
};

}  // namespace vernier::mem
