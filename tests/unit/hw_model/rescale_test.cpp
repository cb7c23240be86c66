// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0 RESCALE as a whole: types, signedness, zero points, saturation.
#include "hw/model/rescale.hpp"

#include "tests/unit/hw_model/exact.hpp"

#include <vector>

namespace vernier::model {
namespace {

using namespace vernier::model::tests;
using base::ElementType;
using spec::Rounding;

constexpr std::array<ElementType, 3> kOutputTypes{ElementType::Int8, ElementType::Int16, ElementType::Int32};

/// The bits of a stored value read by C++'s own integer types.
Wide read(int64_t stored, ElementType type, bool is_unsigned) {
  switch (type) {
    case ElementType::Int8: return is_unsigned ? Wide{static_cast<uint8_t>(stored)} : Wide{static_cast<int8_t>(stored)};
    case ElementType::Int16: return is_unsigned ? Wide{static_cast<uint16_t>(stored)} : Wide{static_cast<int16_t>(stored)};
    case ElementType::Int32: return is_unsigned ? Wide{static_cast<uint32_t>(stored)} : Wide{static_cast<int32_t>(stored)};
    default: return Wide{wrapped(stored, 48)};
  }
}

Wide scaled_by_division(Wide value, const RescaleParams& p) {
  const Wide exact = value * p.multiplier;
  const Wide divisor = power_of_two(p.shift);
  if (p.rounding == Rounding::HalfEven) return divide_half_even(exact, divisor);
  if (p.rounding == Rounding::Double && p.scale32 && p.shift > 31) {  // see scale_test.cpp for gemmlowp's definition
    return floor_divide(exact + divisor / 2 + (value < 0 ? -power_of_two(30) : power_of_two(30)), divisor);
  }
  return divide_half_up(exact, divisor);
}

/// RESCALE in 128 bits; what overflows int32 wraps.
int64_t expected_rescale(int64_t stored, const RescaleParams& p) {
  const Wide value = read(stored, p.input_type, p.input_unsigned) - read(p.input_zp, p.input_type, p.input_unsigned);
  const Wide scaled = wrapped(scaled_by_division(value, p), 32);
  const Wide biased = wrapped(scaled + read(p.output_zp, p.output_type, p.output_unsigned), 32);
  const int bits = p.output_type == ElementType::Int8 ? 8 : p.output_type == ElementType::Int16 ? 16 : 32;
  if (p.output_unsigned) return wrapped(clipped(biased, 0, power_of_two(bits) - 1), bits);
  return static_cast<int64_t>(clipped(biased, -power_of_two(bits - 1), power_of_two(bits - 1) - 1));
}

RescaleParams params(ElementType input, ElementType output, int32_t multiplier, int32_t shift) {
  RescaleParams p;
  p.input_type = input;
  p.output_type = output;
  p.multiplier = multiplier;
  p.shift = shift;
  return p;
}

TEST_CASE("rescale by hand, RESCALE of TOSA 1.0") {
  const int32_t one = 1 << 30;
  // A convolution's output: 1000 * 2^30 / 2^36 = 15.625, to 16, + output_zp 4.
  RescaleParams p = params(ElementType::Int32, ElementType::Int8, one, 36);
  p.output_zp = 4;
  CHECK(rescale(1000, p) == 20);
  CHECK(rescale(8000, p) == 127);    // 125 + 4 saturates
  CHECK(rescale(-8512, p) == -128);  // -133 + 4
  CHECK(rescale(-8448, p) == -128);  // -132 + 4, just fits

  // uint8 to int8, the way into a TFLite uint8 network: stored -1 is 255, zero point stored -128 is 128: 127.
  p = params(ElementType::Int8, ElementType::Int8, one, 30);
  p.input_unsigned = true;
  p.input_zp = -128;
  CHECK(rescale(-1, p) == 127);
  CHECK(rescale(0, p) == -128);
  CHECK(rescale(-128, p) == 0);
  p.input_zp = 128;  // the same zero point, already extended
  CHECK(rescale(-1, p) == 127);

  // int8 to uint8: 127 + 128 = 255 is stored as -1; -128 + 128 = 0.
  p = params(ElementType::Int8, ElementType::Int8, one, 30);
  p.output_unsigned = true;
  p.output_zp = -128;
  CHECK(rescale(127, p) == -1);
  CHECK(rescale(-128, p) == 0);
  p.output_zp = 0;
  CHECK(rescale(-1, p) == 0);  // erratum: the pseudo-code as written would clip -1 to 255

  // uint16 with its one zero point, 32768 (stored -32768): 65535 - 32768.
  p = params(ElementType::Int16, ElementType::Int16, one, 30);
  p.input_unsigned = true;
  p.input_zp = -32768;
  CHECK(rescale(-1, p) == 32767);
  CHECK(rescale(0, p) == -32768);

  // A shift of 63, as MUL has it: a half goes up, with all 65 bits of the sum.
  CHECK(apply_scale_32(INT32_MIN, INT32_MIN, 63, Rounding::Single) == 1);
  CHECK(apply_scale_32(INT32_MIN, INT32_MAX, 63, Rounding::Single) == 0);
  CHECK(apply_scale_32(INT32_MIN, INT32_MIN, 63, Rounding::HalfEven) == 0);

  // An int48 accumulator of a 16x8 convolution with a 16-bit multiplier: 2^40 * 2^14 / 2^40 = 2^14.
  p = params(ElementType::Int48, ElementType::Int16, 1 << 14, 40);
  p.scale32 = false;
  CHECK(rescale(int64_t{1} << 40, p) == 16384);
  CHECK(rescale(int64_t{1} << 42, p) == 32767);  // 2^16 saturates
  CHECK(rescale(-(int64_t{1} << 47), p) == -32768);

  // The identity "used in the wild", and the residual add's first step: int8 to int32 less its zero point.
  CHECK(rescale(INT32_MIN, params(ElementType::Int32, ElementType::Int32, one, 32)) == -536870912);
  p = params(ElementType::Int8, ElementType::Int32, one, 30);
  p.input_zp = -5;
  CHECK(rescale(-128, p) == -123);
}

TEST_CASE("rescale of every int8 value and zero point") {
  Differences differences;
  RescaleParams p = params(ElementType::Int8, ElementType::Int8, 1518500250, 31);  // 1/sqrt(2)
  for (int flags = 0; flags < 3; ++flags) {                                        // both unsigned is an ERROR_IF
    p.input_unsigned = flags == 1;
    p.output_unsigned = flags == 2;
    for (p.input_zp = -128; p.input_zp < 128; ++p.input_zp) {
      for (p.output_zp = -128; p.output_zp < 128; p.output_zp += 15) {
        for (int32_t x = -128; x < 128; ++x) {
          differences.expect(rescale(x, p), expected_rescale(x, p), x, p.input_zp, p.output_zp, flags);
        }
      }
    }
  }
  CHECK(differences.text() == "none");
}

TEST_CASE("rescale of every int16 value to every type") {
  Differences differences;
  for (const ElementType output : kOutputTypes) {
    RescaleParams p = params(ElementType::Int16, output, 0, 0);
    for (const bool is_wide : {false, true}) {
      p.scale32 = is_wide;
      p.multiplier = is_wide ? 1200000001 : 23171;
      for (p.shift = 12; p.shift < 44; p.shift += 5) {
        for (int32_t x = -32768; x < 32768; ++x) {
          differences.expect(rescale(x, p), expected_rescale(x, p), x, p.shift, output, is_wide);
        }
      }
    }
  }
  CHECK(differences.text() == "none");
}

/// Any RESCALE that TOSA allows but for its REQUIREs.
RescaleParams random_params(Random& random) {
  constexpr std::array<ElementType, 4> kInputs{ElementType::Int8, ElementType::Int16, ElementType::Int32,
                                               ElementType::Int48};
  RescaleParams p;
  p.input_type = kInputs[static_cast<size_t>(random.between(0, 3))];
  p.output_type = kOutputTypes[static_cast<size_t>(random.between(0, 2))];
  p.scale32 = p.input_type != ElementType::Int48 && random.between(0, 1) != 0;
  p.rounding = static_cast<Rounding>(random.between(0, 3));
  if (!p.scale32 && p.rounding == Rounding::Double) p.rounding = Rounding::Single;
  const bool can_be_unsigned_in = p.input_type == ElementType::Int8 || p.input_type == ElementType::Int16;
  const bool can_be_unsigned_out = p.output_type != ElementType::Int32 && can_be_unsigned_in;
  const int64_t which = random.between(0, 2);
  p.input_unsigned = which == 1 && can_be_unsigned_in;
  p.output_unsigned = which == 2 && can_be_unsigned_out;
  if (p.input_type == ElementType::Int8) p.input_zp = static_cast<int32_t>(random.between(-128, 127));
  if (p.output_type == ElementType::Int8) p.output_zp = static_cast<int32_t>(random.between(-128, 127));
  if (p.input_type == ElementType::Int16 && p.input_unsigned)
    p.input_zp = static_cast<int32_t>(random.between(-1, 0)) * 32768;
  if (p.output_type == ElementType::Int16 && p.output_unsigned) p.output_zp = -32768;
  p.multiplier = static_cast<int32_t>(p.scale32 ? random.between(0, INT32_MAX) : random.between(0, INT16_MAX));
  p.shift = static_cast<int32_t>(random.between(2, 62));
  return p;
}

TEST_CASE("rescale of random types, modes and operands") {
  Random random;
  INFO("seed " << Random::seed());
  Differences differences;
  int64_t num_defined = 0;
  for (int i = 0; i < 40000; ++i) {
    const RescaleParams p = random_params(random);
    const int bits = base::info(p.input_type).bits;
    for (int k = 0; k < 12; ++k) {
      const int64_t x = k == 0   ? base::min_value(p.input_type)
                        : k == 1 ? base::max_value(p.input_type)
                                 : random.of_bits(bits);
      differences.expect(rescale(x, p), expected_rescale(x, p), x, p.input_type, p.output_type, p.input_unsigned,
                         p.output_unsigned, p.scale32, p.rounding, p.input_zp, p.output_zp, p.multiplier, p.shift);
      num_defined += rescale_is_defined(x, p) ? 1 : 0;
    }
  }
  CHECK(differences.text() == "none");
  CHECK(num_defined > 100000);
  CHECK(num_defined < 470000);
}

TEST_CASE("the REQUIREs of rescale") {
  RescaleParams p = params(ElementType::Int32, ElementType::Int8, 1 << 30, 20);
  CHECK(rescale_is_defined(524287, p));  // value in [-2^19, 2^19)
  CHECK_FALSE(rescale_is_defined(524288, p));
  p = params(ElementType::Int8, ElementType::Int8, 1 << 30, 8);
  p.input_zp = -1;
  CHECK(rescale_is_defined(126, p));
  CHECK_FALSE(rescale_is_defined(127, p));  // 127 + 1 = 2^7: the difference counts, not the stored value
  p = params(ElementType::Int48, ElementType::Int8, 1 << 14, 30);
  p.scale32 = false;
  p.output_zp = 1;
  CHECK(rescale_is_defined((int64_t{1} << 47) - 65536 * 2, p));    // 2^31 - 2, + 1
  CHECK_FALSE(rescale_is_defined((int64_t{1} << 47) - 65536, p));  // 2^31 - 1, + 1 overflows the addition
  CHECK(rescale((int64_t{1} << 47) - 65536, p) == -128);           // and wraps
  p.output_zp = 0;
  CHECK(rescale_is_defined((int64_t{1} << 47) - 65536, p));
  CHECK_FALSE(rescale_is_defined((int64_t{1} << 47) - 32768, p));  // 2^31 - 1/2 rounds out of int32
}

}  // namespace
}  // namespace vernier::model
