// SPDX-License-Identifier: Apache-2.0
#include "sim/mem/storage.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

using vernier::mem::Storage;

namespace {
std::vector<std::byte> filled(size_t size, int value) { return std::vector<std::byte>(size, static_cast<std::byte>(value)); }
}  // namespace

TEST_CASE("The first unwritten byte is found, whatever the run") {
  constexpr int64_t kSize = 500;
  constexpr uint32_t kSeed = 3;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 200; ++round) {
    Storage storage(kSize);
    std::vector<bool> is_written(kSize);
    for (int i = 0; i < 6; ++i) {
      const int64_t offset = random() % kSize;
      const int64_t bytes = random() % static_cast<uint64_t>(kSize - offset + 1);
      storage.write(offset, filled(static_cast<size_t>(bytes), 1));
      for (int64_t b = 0; b < bytes; ++b) is_written[static_cast<size_t>(offset + b)] = true;
      const int64_t from = random() % kSize;
      const int64_t count = random() % static_cast<uint64_t>(kSize - from + 1);
      std::optional<int64_t> expected;
      for (int64_t b = from; b < from + count && !expected; ++b) {
        if (!is_written[static_cast<size_t>(b)]) expected = b;
      }
      CHECK(storage.first_unwritten(from, count) == expected);
    }
  }
}

TEST_CASE("Bounds") {
  const Storage storage(100);
  CHECK(storage.contains(0, 100));
  CHECK(storage.contains(100, 0));
  CHECK_FALSE(storage.contains(0, 101));
  CHECK_FALSE(storage.contains(99, 2));
  CHECK_FALSE(storage.contains(-1, 1));
  CHECK_FALSE(storage.contains(1, INT64_MAX));
}

TEST_CASE("Reset forgets bytes and validity, at both ends of a page") {
  Storage storage(int64_t{1} << 31);  // costs what is touched
  for (const int64_t offset : {int64_t{0}, int64_t{16383}, int64_t{16384}, (int64_t{1} << 31) - 4}) {
    storage.write(offset, filled(4, 0xAB));
    CHECK(storage.bytes()[static_cast<size_t>(offset) + 3] == std::byte{0xAB});
    CHECK(storage.peak_bytes() == offset + 4);
  }
  storage.reset();
  for (const int64_t offset : {int64_t{0}, int64_t{16383}, int64_t{16384}, (int64_t{1} << 31) - 4}) {
    CHECK(storage.first_unwritten(offset, 4) == offset);
    for (size_t b = 0; b < 4; ++b) CHECK(storage.bytes()[static_cast<size_t>(offset) + b] == std::byte{0});
  }
  CHECK(storage.peak_bytes() == 0);
  storage.mark_written(20, 10);
  CHECK(storage.first_unwritten(20, 11) == 30);
  CHECK(storage.peak_bytes() == 30);
}
