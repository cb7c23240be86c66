// SPDX-License-Identifier: Apache-2.0
// QuantizeV2: vectors worked by hand from the steps of the kernel; those of TensorFlow itself are in
// tests/e2e/quantize_test.py.
#include "hw/model/quantize_v2.hpp"

#include "tests/unit/hw_model/quantized_values.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace vernier::model {
namespace {

using tests::kInfinity, tests::kNan;
using tests::kQint16, tests::kQint32, tests::kQint8, tests::kQuint16, tests::kQuint8;
constexpr int32_t kLeastInt32 = std::numeric_limits<int32_t>::min();
constexpr auto kHalfAway = QuantizeRounding::HalfAwayFromZero;
constexpr auto kHalfEven = QuantizeRounding::HalfToEven;

std::vector<int32_t> codes(const Quantizer& quantizer, const std::vector<float>& values) {
  std::vector<int32_t> result;
  for (const float value : values) result.push_back(quantize(quantizer, value));
  return result;
}

Quantizer min_combined(QuantizedType type, float min, float max, float least_width = 0.01F) {
  return make_quantizer({type, QuantizeMode::MinCombined, kHalfAway, false, least_width}, min, max);
}
Quantizer min_first(QuantizedType type, float min, float max, float least_width = 0.01F) {
  return make_quantizer({type, QuantizeMode::MinFirst, kHalfAway, false, least_width}, min, max);
}
Quantizer scaled(QuantizedType type, float min, float max, bool narrow = false, QuantizeRounding rounding = kHalfAway,
                 float least_width = 0.01F) {
  return make_quantizer({type, QuantizeMode::Scaled, rounding, narrow, least_width}, min, max);
}

using Codes = std::vector<int32_t>;

TEST_CASE("QuantizeV2: the range takes in zero, and a least width at its upper end") {
  const Quantizer positive = min_combined(kQuint8, 1, 3);
  CHECK((positive.min == 0 && positive.max == 3));
  const Quantizer negative = min_combined(kQuint8, -3, -1);
  CHECK((negative.min == -3 && negative.max == 0));
  const Quantizer empty = min_first(kQuint8, 0, 0);
  CHECK((empty.min == 0 && empty.max == 0.01F));
  const Quantizer in_proportion = min_first(kQint8, 100, 100, 0.5F);
  CHECK((in_proportion.min == 0 && in_proportion.max == 100));
  const Quantizer wider = min_first(kQint8, -100, -99, 1.5F);
  CHECK((wider.min == -100 && wider.max == 50));
  const Quantizer no_effect = min_first(kQint8, -1, 1, -1.0F);
  CHECK((no_effect.min == -1 && no_effect.max == 1));
}

TEST_CASE("QuantizeV2: only a min above its max is refused") {
  CHECK(is_range_legal(1, 1));
  CHECK_FALSE(is_range_legal(1, 0.5F));
  CHECK(is_range_legal(kNan, 1));
  CHECK(is_range_legal(1, kNan));
  CHECK(is_range_legal(0x1p-130F, 0));  // a subnormal is zero
}

TEST_CASE("QuantizeV2 MIN_COMBINED: signed rounds away from zero, unsigned adds a half and cuts") {
  // 255 steps over 255 units: a code per unit.
  CHECK(codes(min_combined(kQuint8, 0, 255), {0, 0.25F, 0.5F, 254.5F, 255, 300, -1}) == Codes{0, 0, 1, 255, 255, 255, 0});
  // 0.49999997 + 0.5 is a tie of float32, and rounds to 1.
  CHECK(codes(min_combined(kQuint8, 0, 255), {0.49999997F, 0.4999999F}) == Codes{1, 0});
  CHECK(codes(min_combined(kQint8, -128, 127), {-128, -127.5F, -0.5F, 0.5F, -0.25F, 127, 1e30F}) ==
        Codes{-128, -128, -1, 1, 0, 127, 127});
  CHECK(codes(min_combined(kQint8, -1, 1), {-1, -0.5F, 0, 0.5F, 1}) == Codes{-128, -64, -1, 63, 127});
  CHECK(codes(min_combined(kQuint8, 0, 6), {0, 1, 2, 3, 4.5F, 6, 7, -1}) == Codes{0, 43, 85, 128, 191, 255, 255, 0});
  CHECK(codes(min_combined(kQuint16, 0, 65535), {0.5F, 65534.5F, 65535}) == Codes{1, 65535, 65535});
}

TEST_CASE("QuantizeV2 MIN_FIRST: the value and the least end are rounded one by one") {
  CHECK(codes(min_first(kQuint8, 0, 255), {0, 1, 1.25F, 1.75F, 127, 255, 500}) == Codes{0, 1, 1, 2, 127, 255, 255});
  CHECK(codes(min_first(kQuint8, 0.1F, 0.3F), {0.1F, 0.2F, 0.3F}) == Codes{85, 170, 255});
  CHECK(codes(min_first(kQint8, -1, 1), {-1, -0.5F, 0, 0.5F, 1}) == Codes{-128, -64, 0, 64, 127});
  CHECK(codes(min_first(kQint32, -256, 256), {-500, 0, 1, 1.25F}) == Codes{kLeastInt32, 0, 8388608, 10485760});
  CHECK(codes(min_first(kQint32, -256, 256), {500}) == Codes{2147483520});  // the greatest float32 below 2^31
}

TEST_CASE("QuantizeV2 SCALED: zero is code 0, and the range grows to what the type has") {
  const Quantizer quantizer = scaled(kQint8, -128, 100);
  CHECK((quantizer.min == -128 && quantizer.max == 127));
  CHECK(codes(quantizer, {-128, 0, 1, 1.25F, 1.75F, 64, 127}) == Codes{-128, 0, 1, 1, 2, 64, 127});
  const Quantizer narrow = scaled(kQint8, -128, 100, true);
  CHECK((narrow.min == -128 && narrow.max == 128));
  CHECK(codes(narrow, {-128, 0, 1, 1.25F, 1.75F, 64, 127}) == Codes{-127, 0, 1, 1, 2, 64, 126});
  CHECK(codes(scaled(kQuint8, -255, 127), {-255, 0, 1, 1.25F, 1.75F, 64, 127, 500}) == Codes{0, 0, 2, 3, 4, 129, 255, 255});
  CHECK(codes(scaled(kQuint8, 0, 255, true), {0, 0.4F, 1, 255}) == Codes{1, 1, 1, 255});
  CHECK(codes(scaled(kQint16, -1, 1, true), {-1, -0.5F, 0, 0.5F, 1}) == Codes{-32767, -16384, 0, 16384, 32767});
}

TEST_CASE("QuantizeV2 SCALED: both ways to round a tie") {
  const std::vector<float> ties{-126.5F, -2.5F, -0.5F, 0.5F, 1.5F, 2.5F, 3.5F, 0.49999997F};
  CHECK(codes(scaled(kQint8, -128, -128), ties) == Codes{-127, -3, -1, 1, 2, 3, 4, 0});
  CHECK(codes(scaled(kQint8, -128, -128, false, kHalfEven), ties) == Codes{-126, -2, 0, 0, 2, 2, 4, 0});
}

TEST_CASE("QuantizeV2: each step is rounded to float32, where double precision would give another code") {
  CHECK(codes(min_combined(kQuint8, -0.47F, 0.89F), {-0.238F}) == Codes{44});  // 43 in double
  CHECK(codes(min_first(kQuint8, -0.46F, 0.14F), {0.01F}) == Codes{199});      // 200
  CHECK(codes(min_first(kQuint8, -0.18F, 0.12F), {-0.15F}) == Codes{26});      // 25
  // The numerator is 2^32 - 1, which no float32 is; 2^32 would give 0x1.ffcd66p31.
  CHECK(min_first(kQint32, 0, 0x1.00195p0F).scale == 0x1.ffcd64p31F);
  CHECK(min_combined(kQuint8, -0.17F, 0.94F).scale == 255.0F / (0.94F + 0.17F));
}

TEST_CASE("QuantizeV2: infinities are clamped, in a finite range") {
  for (const QuantizedType type : {kQint8, kQuint8, kQint16, kQuint16}) {
    const Codes ends{static_cast<int32_t>(type.least()), static_cast<int32_t>(type.greatest())};
    CHECK(codes(min_combined(type, -1, 2), {-kInfinity, kInfinity}) == ends);
    CHECK(codes(min_first(type, -1, 2), {-kInfinity, kInfinity}) == ends);
    CHECK(codes(scaled(type, -1, 2), {-kInfinity, kInfinity})[1] == ends[1]);
    CHECK(codes(scaled(type, -2, 2), {-0x1.fffffep127F})[0] == ends[0]);
  }
}

TEST_CASE("QuantizeV2: subnormals are zero") {
  CHECK(codes(min_combined(kQint8, -1, 1), {0x1p-149F, -0x1p-127F, 0}) == Codes{-1, -1, -1});
  CHECK(codes(scaled(kQint8, -1, 1), {0x1p-149F}) == Codes{0});
  // The range itself: nothing is left of it.
  CHECK_FALSE(is_useful(scaled(kQint8, -0x1p-128F, 0x1p-128F, false, kHalfAway, 0)));
  // 2^-120 is normal, 1 / FLT_MAX is not: without a positive part narrow_range gives code 0, not 1.
  CHECK(codes(scaled(kQuint8, -5, -1, true), {-3, 0, 7}) == Codes{0, 0, 255});
}

TEST_CASE("QuantizeV2: what the conversion leaves undefined") {
  // NaN, and the upper end of qint32: 2^31 is no int32.
  CHECK_FALSE(quantize_is_defined(scaled(kQint8, -1, 1), kNan));
  CHECK(quantize(scaled(kQint8, -1, 1), kNan) == 0);
  CHECK(quantize(min_first(kQuint16, -1, 1), kNan) == 0);
  CHECK(quantize(min_combined(kQint32, -1, 1), kNan) == kLeastInt32);
  CHECK_FALSE(quantize_is_defined(scaled(kQint32, -1, 1), 1.0F));
  CHECK(quantize(scaled(kQint32, -1, 1), 1.0F) == kLeastInt32);
  CHECK(quantize_is_defined(scaled(kQint32, -1, 1), 0.5F));
  CHECK(quantize(scaled(kQint32, -1, 1), 0.5F) == 1 << 30);
  CHECK(quantize_is_defined(scaled(kQint32, -1, 1), -1.0F));
}

TEST_CASE("QuantizeV2: ranges that are legal and useless") {
  CHECK(is_useful(scaled(kQuint8, -5, 1)));
  const Quantizer negative = scaled(kQuint8, -5, -1);
  CHECK_FALSE(is_useful(negative));
  CHECK(negative.max == Approx(7.493777e-37));
  CHECK_FALSE(is_useful(min_combined(kQint8, 0, 0, 0)));
  CHECK_FALSE(is_useful(min_first(kQint8, 0, 0, 0)));
  CHECK_FALSE(is_useful(scaled(kQint8, 0, 0, false, kHalfAway, 0)));
  CHECK(codes(min_first(kQint8, 0, 0, 0), {-1, 0, 1}) == Codes{-128, -128, -128});
  // max - min is above every float32.
  const Quantizer huge = min_first(kQuint8, -3e38F, 3e38F);
  CHECK_FALSE(is_useful(huge));
  CHECK(codes(huge, {-3e38F, 0, 3e38F}) == Codes{0, 0, 0});
  CHECK_FALSE(is_useful(min_combined(kQint8, -kInfinity, 1)));
  CHECK(is_useful(scaled(kQint8, -3e38F, 3e38F)));
}

TEST_CASE("QuantizeV2: NaN as an end acts as 0") {
  const Quantizer no_min = min_combined(kQint8, kNan, 1), no_max = scaled(kQint8, -1, kNan);
  CHECK((no_min.min == 0 && no_min.max == 1));
  CHECK((no_max.min == -1 && no_max.max == 0.9921875F));
}

}  // namespace
}  // namespace vernier::model
