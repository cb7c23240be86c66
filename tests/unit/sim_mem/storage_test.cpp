// SPDX-License-Identifier: Apache-2.0
#include "sim/mem/storage.hpp"

#include "hw/base/error.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
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

TEST_CASE("Address space that there is not is the computer's fault, in words") {
  try {
    const Storage storage(int64_t{1} << 50);
    FAIL("a petabyte was reserved");
  } catch (const vernier::base::EnvironmentError& error) {
    CHECK_THAT(error.what(),
               Catch::Matchers::StartsWith("simulated memory: no address space for 1,125,899,906,842,624 B of it: "));
  }
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

namespace {

constexpr int64_t kPage = 16384;

/// What a memory must hold: every byte, and whether it was written.
struct Expected {
  explicit Expected(int64_t size) : bytes(static_cast<size_t>(size)), is_written(static_cast<size_t>(size)) {}
  std::vector<std::byte> bytes;
  std::vector<bool> is_written;
  int64_t peak = 0;
};

void check_equal(const Storage& storage, const Expected& expected) {
  CHECK(std::equal(expected.bytes.begin(), expected.bytes.end(), storage.bytes().begin(), storage.bytes().end()));
  CHECK(storage.peak_bytes() == expected.peak);
  int64_t wrong = -1;
  for (int64_t at = 0; at < storage.size_bytes() && wrong < 0; ++at) {
    if (storage.first_unwritten(at, 1).has_value() == expected.is_written[static_cast<size_t>(at)]) wrong = at;
  }
  INFO("the first byte whose state is wrong");
  CHECK(wrong == -1);
}

}  // namespace

TEST_CASE("Reset forgets a single write, wherever it lies against the pages") {
  // Four pages and a part of one. Each write is the only one, so that no other touches its pages.
  constexpr int64_t kSize = 4 * kPage + 777;
  Storage storage(kSize);
  const Expected nothing(kSize);
  struct Write {
    int64_t offset, bytes;
  };
  for (const Write& write :
       {Write{0, 1}, Write{kPage - 1, 1}, Write{kPage - 1, 2}, Write{kPage, 1}, Write{kPage - 3, kPage + 3},
        Write{kPage - 3, kPage + 4}, Write{kPage + 1, kPage - 1}, Write{kPage + 1, kPage}, Write{5, 3 * kPage},
        Write{2 * kPage - 100, 2 * kPage + 200}, Write{kSize - 1, 1}, Write{4 * kPage - 1, 778}, Write{0, kSize}}) {
    for (const bool has_bytes : {true, false}) {
      CAPTURE(write.offset, write.bytes, has_bytes);
      if (has_bytes) {
        storage.write(write.offset, filled(static_cast<size_t>(write.bytes), 0xAB));
      } else {
        storage.mark_written(write.offset, write.bytes);
      }
      CHECK(storage.first_unwritten(write.offset, write.bytes) == std::nullopt);
      CHECK(storage.peak_bytes() == write.offset + write.bytes);
      storage.reset();
      check_equal(storage, nothing);
    }
  }
}

TEST_CASE("An empty write changes nothing") {
  Storage storage(3 * kPage);
  storage.write(kPage, {});
  storage.mark_written(2 * kPage, 0);
  check_equal(storage, Expected(3 * kPage));
}

TEST_CASE("Random writes over page borders, job after job: every byte is what was written since reset, or 0") {
  constexpr int64_t kSize = 6 * kPage + 123;
  constexpr uint32_t kSeed = 20;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  const auto pick = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
  };
  Storage storage(kSize);
  for (int job = 0; job < 12; ++job) {
    CAPTURE(job);
    Expected expected(kSize);
    for (int64_t n = pick(1, 6); n > 0; --n) {
      const int64_t border = pick(0, 6) * kPage;
      const int64_t offset = std::clamp<int64_t>(border + pick(-70, 70), 0, kSize - 1);
      const int64_t bytes = std::min(kSize - offset, pick(0, 4) == 0 ? pick(1, 3 * kPage) : pick(1, 150));
      const bool has_bytes = pick(0, 3) > 0;
      const std::vector<std::byte> content = filled(static_cast<size_t>(bytes), static_cast<int>(pick(1, 255)));
      if (has_bytes) {
        storage.write(offset, content);
        std::copy(content.begin(), content.end(), expected.bytes.begin() + offset);
      } else {
        storage.mark_written(offset, bytes);
      }
      std::fill_n(expected.is_written.begin() + offset, bytes, true);
      expected.peak = std::max(expected.peak, offset + bytes);
    }
    check_equal(storage, expected);
    storage.reset();
    check_equal(storage, Expected(kSize));
  }
}

TEST_CASE("Parity finds an odd number of wrong bits of a byte until the byte is written again") {
  Storage storage(1 << 16);
  storage.write(0, filled(256, 0x5A));
  CHECK_FALSE(storage.first_wrong_parity(0, 1 << 16).has_value());
  storage.flip(40, 3);
  CHECK(storage.bytes()[40] == static_cast<std::byte>(0x52));
  CHECK(storage.first_wrong_parity(0, 256) == 40);
  CHECK(storage.first_wrong_parity(40, 1) == 40);
  CHECK_FALSE(storage.first_wrong_parity(0, 40).has_value());
  CHECK_FALSE(storage.first_wrong_parity(41, 100).has_value());
  storage.flip(40, 7);  // two wrong bits have the parity of none
  CHECK_FALSE(storage.first_wrong_parity(0, 256).has_value());
  storage.flip(40, 0);
  storage.flip(100, 1);
  storage.write(39, filled(2, 0));
  CHECK(storage.first_wrong_parity(0, 256) == 100);
  storage.mark_written(100, 1);
  CHECK_FALSE(storage.first_wrong_parity(0, 256).has_value());
  storage.flip(40'000, 2);  // a byte that nobody has written is one that reset() has to clear
  storage.reset();
  CHECK_FALSE(storage.first_wrong_parity(0, 1 << 16).has_value());
  CHECK(storage.bytes()[40'000] == std::byte{0});
}

TEST_CASE("A storage that has rested is as new after its reset") {
  Storage storage(100'000);
  storage.write(20'000, filled(50'000, 7));
  storage.flip(20'000, 3);
  for (int i = 0; i < 2; ++i) {  // resting twice is resting
    storage.rest();
  }
  storage.reset();
  CHECK(storage.first_unwritten(20'000, 50'000) == 20'000);
  CHECK(storage.bytes()[20'000] == std::byte{0});
  CHECK_FALSE(storage.first_wrong_parity(0, 100'000));
  CHECK(storage.peak_bytes() == 0);
  storage.write(99'999, filled(1, 5));
  CHECK(storage.bytes()[99'999] == std::byte{5});
  CHECK_FALSE(storage.first_unwritten(99'999, 1));
}
