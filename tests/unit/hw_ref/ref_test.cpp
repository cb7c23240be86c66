// SPDX-License-Identifier: Apache-2.0
// libvernier_ref against hw/model's whole operators, at random.
#include "hw/model/rescale.hpp"
#include "hw/model/table.hpp"
#include "hw/ref/vernier_ref.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstring>
#include <random>

using namespace vernier;

namespace {

constexpr int kCases = 20'000;

template <typename Entry, size_t kEntries>
std::array<Entry, kEntries> random_table(std::mt19937_64& random) {
  std::array<Entry, kEntries> table;
  for (Entry& entry : table) entry = static_cast<Entry>(random());
  return table;
}

}  // namespace

TEST_CASE("the rescale of the C library is TOSA's, for every type, rounding and sign") {
  std::mt19937_64 random(11);
  for (int i = 0; i < kCases; ++i) {
    model::RescaleParams params;
    params.input_type = static_cast<base::ElementType>(VERNIER_REF_INT8 + random() % 4);
    params.output_type = static_cast<base::ElementType>(VERNIER_REF_INT8 + random() % 3);
    params.input_unsigned = random() % 2 == 0 && params.input_type <= base::ElementType::Int16;
    params.output_unsigned = random() % 2 == 0 && params.output_type <= base::ElementType::Int16;
    params.scale32 = params.input_type != base::ElementType::Int48 && random() % 2 == 0;
    params.rounding = static_cast<spec::Rounding>(random() % 4);
    const bool is_byte = params.input_type == base::ElementType::Int8,
               is_byte_out = params.output_type == base::ElementType::Int8;
    params.input_zp = is_byte ? static_cast<int8_t>(random()) : 0;
    params.output_zp = is_byte_out ? static_cast<int8_t>(random()) : 0;
    params.multiplier = static_cast<int32_t>(random() >> (params.scale32 ? 33 : 49));
    params.shift = static_cast<int32_t>(2 + random() % 61);
    const auto value = model::extend_stored(static_cast<int64_t>(random()), params.input_type, false);
    vernier_ref_rescale_setup setup{};
    setup.in_type = static_cast<int32_t>(params.input_type);
    setup.out_type = static_cast<int32_t>(params.output_type);
    setup.in_unsigned = params.input_unsigned ? 1 : 0;
    setup.out_unsigned = params.output_unsigned ? 1 : 0;
    setup.scale32 = params.scale32 ? 1 : 0;
    setup.rounding = static_cast<int32_t>(params.rounding);
    setup.in_zero_point =
        static_cast<int32_t>(model::extend_stored(params.input_zp, params.input_type, params.input_unsigned));
    setup.out_zero_point =
        static_cast<int32_t>(model::extend_stored(params.output_zp, params.output_type, params.output_unsigned));
    setup.clamp_min = INT32_MIN;
    setup.clamp_max = INT32_MAX;
    int32_t result = 0;
    REQUIRE(vernier_ref_rescale(&setup, value, params.multiplier, params.shift, &result) == VERNIER_REF_OK);
    REQUIRE(model::sign_extend(result, base::info(params.output_type).bits) == model::rescale(value, params));
  }
}

TEST_CASE("the look-up of the C library is that of hw/model, from tables at any address") {
  std::mt19937_64 random(12);
  const auto bytes = random_table<int8_t, model::kTable8Entries>(random);
  const auto halves = random_table<int16_t, model::kTable16Entries>(random);
  const auto words = random_table<int32_t, model::kTable8Entries>(random);
  std::array<std::byte, sizeof halves + 1> odd{};
  std::memcpy(odd.data() + 1, halves.data(), sizeof halves);
  for (int32_t x = -33'000; x <= 33'000; ++x) {
    int32_t result = 0;
    REQUIRE(vernier_ref_table(VERNIER_REF_INT8, bytes.data(), sizeof bytes, x, &result) == VERNIER_REF_OK);
    REQUIRE(result == model::table_8(x, bytes));
    REQUIRE(vernier_ref_table(VERNIER_REF_INT16, odd.data() + 1, sizeof halves, x, &result) == VERNIER_REF_OK);
    REQUIRE(result == model::table_16(x, halves));
    REQUIRE(vernier_ref_table(VERNIER_REF_INT32, words.data(), sizeof words, x, &result) == VERNIER_REF_OK);
    REQUIRE(result == model::table_8_to_32(x, words));
  }
}
