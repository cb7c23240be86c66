// SPDX-License-Identifier: Apache-2.0
#include "hw/model/table.hpp"

#include "tests/unit/hw_model/exact.hpp"

namespace vernier::model {
namespace {

using namespace vernier::model::tests;

int64_t sign_of_byte(int64_t byte) { return byte < 128 ? byte : byte - 256; }

TEST_CASE("table_8 of every int8 value, TABLE of TOSA 1.0") {
  std::array<int8_t, kTable8Entries> table{};
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<int8_t>((i * 37 + 11) & 255);  // 37 is odd: a permutation
  int64_t entry = 0;
  for (int32_t x = -128; x < 128; ++x, ++entry) CHECK(table_8(x, table) == sign_of_byte((entry * 37 + 11) % 256));
  CHECK(table_8(-128, table) == 11);  // entry 0
  CHECK(table_8(0, table) == -117);   // entry 128: 128 * 37 + 11 = 4747 = 18 * 256 + 139, and 139 - 256
}

TEST_CASE("table_8_to_32 of every int8 value") {
  std::array<int32_t, kTable8Entries> table{};
  for (size_t i = 0; i < table.size(); ++i) table[i] = (static_cast<int32_t>(i) - 128) * 16777216;
  for (int32_t x = -128; x < 128; ++x) CHECK(table_8_to_32(x, table) == x * 16777216);  // 2^31 = 128 * 2^24
}

/// The straight line between the entries around x, in steps of 1/128 of an entry, by walking rather than multiplying.
void compare_every_value(std::span<const int16_t> table) {
  Differences differences;
  for (int32_t entry = 0; entry < 512; ++entry) {
    const int64_t from = table[static_cast<size_t>(entry)];
    const int64_t to = table[static_cast<size_t>(entry) + 1];
    int64_t expected = 128 * from;
    for (int32_t step = 0; step < 128; ++step, expected += to - from) {
      const int32_t x = entry * 128 + step - 32768;
      differences.expect(table_16(x, table), expected, x, from, to);
      const bool is_defined = to - from >= -32768 && to - from <= 32767;
      differences.expect(table_16_is_defined(x, table) ? 1 : 0, is_defined ? 1 : 0, x, from, to);
    }
    if (expected != 128 * to) differences.expect(expected, 128 * to, entry);
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("table_16 of every int16 value in smooth, random and extreme tables") {
  Random random;
  INFO("seed " << Random::seed());
  std::array<int16_t, kTable16Entries> table{};
  for (int32_t i = 0; i < kTable16Entries; ++i)
    table[static_cast<size_t>(i)] = static_cast<int16_t>((i - 256) * (i - 256) / 2);
  compare_every_value(table);
  for (int16_t& entry : table) entry = static_cast<int16_t>(random.between(-32768, 32767));
  compare_every_value(table);
  for (size_t i = 0; i < table.size(); ++i) table[i] = i % 2 == 0 ? INT16_MIN : INT16_MAX;  // slopes of 65535
  compare_every_value(table);
  constexpr std::array<int16_t, 8> kSteps{0, 32767, -1, -32768, 0, -32768, 1, -32768};  // to either side of int16's limits
  for (size_t i = 0; i < table.size(); ++i) table[i] = kSteps[i % kSteps.size()];
  compare_every_value(table);
}

TEST_CASE("table_16 by hand, General unary functions of TOSA 1.0") {
  std::array<int16_t, kTable16Entries> table{};
  table[255] = 100;
  table[256] = 300;
  table[511] = -5;
  table[512] = 32767;
  CHECK(table_16(0, table) == 38400);     // index 256, fraction 0: 300 * 128
  CHECK(table_16(64, table) == 19200);    // half way from 300 to 0: 300 * 128 - 300 * 64
  CHECK(table_16(-1, table) == 38200);    // index 255, fraction 127: 100 * 128 + 200 * 127
  CHECK(table_16(-128, table) == 12800);  // index 255, fraction 0
  // index 511, fraction 127: -5 * 128 + 32772 * 127 = 4161404; the slope 32772 is not REQUIREd-legal int16
  CHECK(table_16(32767, table) == 4161404);
  CHECK_FALSE(table_16_is_defined(32767, table));
  CHECK(table_16_is_defined(0, table));
  CHECK(table_16(-32768, table) == 0);
}

TEST_CASE("tables are not read outside") {  // what ASan looks at
  const std::array<int8_t, kTable8Entries> small{};
  const std::array<int16_t, kTable16Entries> large{};
  const std::array<int32_t, kTable8Entries> wide{};
  for (const int32_t x : kEdges32) {
    CHECK(table_8(x, small) == 0);
    CHECK(table_8_to_32(x, wide) == 0);
    CHECK(table_16(x, large) == 0);
    CHECK(table_16_is_defined(x, large));
  }
}

}  // namespace
}  // namespace vernier::model
