// SPDX-License-Identifier: Apache-2.0
#include "sim/mem/storage.hpp"

#include "hw/base/division.hpp"
#include "hw/base/error.hpp"
#include "hw/base/memory_use.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace vernier::mem {

namespace {

constexpr int64_t kWordBits = 64;

size_t bitmap_bytes(int64_t size_bytes) {
  return static_cast<size_t>(base::ceil_div(size_bytes, kWordBits)) * sizeof(uint64_t);
}

void* reserve(size_t num_bytes) {
  void* address = mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address != MAP_FAILED) return address;
  throw base::EnvironmentError("simulated memory", "no address space for {} B of it: {}; {}",
                               base::with_thousands(static_cast<int64_t>(num_bytes)), std::strerror(errno),
                               base::memory_use_text(base::address_space_bytes()));
}

/// Bits [from, to) of a word.
uint64_t mask_of(int64_t from, int64_t to) {
  const uint64_t up_to = to == kWordBits ? ~uint64_t{0} : (uint64_t{1} << to) - 1;
  return up_to & ~((uint64_t{1} << from) - 1);
}

/// Calls visit(word index, mask) for the words of bits [begin, end), until it returns false.
template <typename Visit>
void for_each_word(int64_t begin, int64_t end, Visit&& visit) {
  for (int64_t bit = begin; bit < end;) {
    const int64_t word = bit / kWordBits;
    const int64_t stop = std::min(end, (word + 1) * kWordBits);
    if (!visit(word, mask_of(bit - word * kWordBits, stop - word * kWordBits))) return;
    bit = stop;
  }
}

}  // namespace

Storage::Storage(int64_t size_bytes)
    : size_bytes_(size_bytes), is_touched_(static_cast<size_t>(base::ceil_div(size_bytes, kPageBytes))) {
  VERNIER_CHECK(size_bytes > 0, "a memory of {} bytes", size_bytes);
  take_address_space();
}

Storage::~Storage() { rest(); }

void Storage::take_address_space() {
  auto* data = static_cast<std::byte*>(reserve(static_cast<size_t>(size_bytes_)));
  try {
    written_ = static_cast<uint64_t*>(reserve(bitmap_bytes(size_bytes_)));
  } catch (...) {
    munmap(data, static_cast<size_t>(size_bytes_));
    throw;
  }
  data_ = data;
}

void Storage::rest() {
  if (data_ == nullptr) return;
  munmap(std::exchange(data_, nullptr), static_cast<size_t>(size_bytes_));
  munmap(std::exchange(written_, nullptr), bitmap_bytes(size_bytes_));
  is_touched_.assign(is_touched_.size(), false);
  touched_pages_.clear();
}

void Storage::write(int64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::memcpy(data_ + offset, bytes.data(), bytes.size());
  mark_written(offset, static_cast<int64_t>(bytes.size()));
}

void Storage::mark_written(int64_t offset, int64_t num_bytes) {
  touch(offset, num_bytes);
  if (!wrong_parity_.empty())
    wrong_parity_.erase(wrong_parity_.lower_bound(offset), wrong_parity_.lower_bound(offset + num_bytes));
  for_each_word(offset, offset + num_bytes, [&](int64_t word, uint64_t mask) {
    written_[word] |= mask;
    return true;
  });
}

std::optional<int64_t> Storage::first_unwritten(int64_t offset, int64_t num_bytes) const {
  std::optional<int64_t> found;
  for_each_word(offset, offset + num_bytes, [&](int64_t word, uint64_t mask) {
    const uint64_t missing = mask & ~written_[word];
    if (missing != 0) found = word * kWordBits + std::countr_zero(missing);
    return missing == 0;
  });
  return found;
}

void Storage::forget(int64_t offset, int64_t num_bytes) {
  for_each_word(offset, offset + num_bytes, [&](int64_t word, uint64_t mask) {
    written_[word] &= ~mask;
    return true;
  });
}

void Storage::flip(int64_t offset, int bit) {
  touch(offset, 1);
  data_[offset] ^= static_cast<std::byte>(1U << static_cast<unsigned>(bit));
  if (const auto [place, is_new] = wrong_parity_.insert(offset); !is_new) wrong_parity_.erase(place);
}

std::optional<int64_t> Storage::first_wrong_parity(int64_t offset, int64_t num_bytes) const {
  const auto found = wrong_parity_.lower_bound(offset);
  return found != wrong_parity_.end() && *found < offset + num_bytes ? std::optional(*found) : std::nullopt;
}

void Storage::touch(int64_t offset, int64_t num_bytes) {
  if (num_bytes <= 0) return;
  peak_bytes_ = std::max(peak_bytes_, offset + num_bytes);
  for (int64_t page = offset / kPageBytes; page <= (offset + num_bytes - 1) / kPageBytes; ++page) {
    if (is_touched_[static_cast<size_t>(page)]) continue;
    is_touched_[static_cast<size_t>(page)] = true;
    touched_pages_.push_back(page);
  }
}

void Storage::reset() {
  if (data_ == nullptr) take_address_space();
  for (const int64_t page : touched_pages_) {
    const int64_t begin = page * kPageBytes;
    const int64_t end = std::min(size_bytes_, begin + kPageBytes);
    std::memset(data_ + begin, 0, static_cast<size_t>(end - begin));
    std::memset(written_ + begin / kWordBits, 0, bitmap_bytes(end - begin));
    is_touched_[static_cast<size_t>(page)] = false;
  }
  touched_pages_.clear();
  wrong_parity_.clear();
  peak_bytes_ = 0;
}

}  // namespace vernier::mem
