// SPDX-License-Identifier: Apache-2.0
#include "hw/base/error.hpp"
#include "tests/unit/sim_kernels/mac_witness.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace vernier::kernels::tests {
namespace {

Image run(const MacCase& mac, Accumulators& accumulators) {
  WriteSet writes;
  run_mac(mac.command, mac.datapath, mac.sram, mac.tables, accumulators, writes);
  return image_of(writes);
}

size_t num_accumulators(const MacCase& mac) {
  return static_cast<size_t>(mac.command.out_rows * mac.command.out_columns * mac.command.out_channels);
}

TEST_CASE("random MAC commands equal hw/model, element by element") {
  for (uint64_t i = 0; i < 2500; ++i) {
    INFO("seed " << Random::seed() << " case " << i);
    Random random(i);
    const MacCase mac = random_mac_case(random);
    std::vector<int64_t> expected(num_accumulators(mac));
    witness_accumulate(mac, expected);
    Accumulators accumulators;
    REQUIRE(run(mac, accumulators) == witness_epilogue(mac, expected));
    CHECK_FALSE(accumulators.is_valid);
  }
}

TEST_CASE("slices of a reduction leave the accumulators, then equal the whole") {
  for (uint64_t i = 0; i < 600; ++i) {
    INFO("seed " << Random::seed() << " case " << i);
    Random random(1'000'000 + i);
    const MacCase whole = random_mac_case(random);
    std::vector<int64_t> expected(num_accumulators(whole));
    Accumulators accumulators;
    Image image;
    const int64_t lanes = whole.datapath.lanes;
    MacCase slice;
    for (int64_t begin = 0, end = 0; begin < whole.whole_reduction(); begin = end) {
      end = std::min(begin + random.range(1, 3) * lanes, whole.whole_reduction());
      take_slice(slice, whole, begin, end);
      image = run(slice, accumulators);
      witness_accumulate(slice, expected);
      if (slice.command.last) break;
      REQUIRE(image.empty());
      REQUIRE(accumulators.is_valid);
      REQUIRE(accumulators.values == expected);
    }
    REQUIRE(image == witness_epilogue(slice, expected));
    CHECK_FALSE(accumulators.is_valid);
  }
}

/// One output of many products at the ends of their range: int32 and int48 overflow on the way.
TEST_CASE("a long reduction of the greatest products wraps once, at the end") {
  MacCase mac;
  mac.datapath = spec::kPresets[1].datapath;
  spec::MacCommand& m = mac.command;
  m.in_channels = m.reduction_end = 40'000;
  m.input_is_unsigned = true;
  m.weight_zero_point = 127;
  m.input.block_pitch_bytes = 16;
  m.weight_base = 40'000;
  m.parameter_base = 80'000;
  m.scale32 = true;
  m.output.type = base::ElementType::Int32;
  m.output.block_pitch_bytes = 64;
  mac.sram.assign(80'010, std::byte{0});
  std::fill_n(mac.sram.begin(), 40'000, std::byte{255});
  std::fill_n(mac.sram.begin() + 40'000, 40'000, std::byte{0x80});
  Accumulators accumulators;
  Image expected;
  write_element(expected, 0, base::ElementType::Int32, 40'000LL * 255 * -255);
  CHECK(run(mac, accumulators) == expected);
}

TEST_CASE("a continued reduction without a first slice is refused") {
  Random random(7);
  MacCase mac = random_mac_case(random);
  mac.command.first = false;
  Accumulators accumulators;
  CHECK_THROWS_AS(run(mac, accumulators), base::InternalError);
}

/// hw/spec/command.hpp, worked by hand: 2 x 2 image, 1 x 2 kernel with one column of padding on the left, two channels out.
TEST_CASE("a convolution worked by hand") {
  MacCase mac;
  mac.datapath = spec::kPresets[0].datapath;  // N = 8
  spec::MacCommand& m = mac.command;
  m.in_rows = m.in_columns = m.out_rows = m.out_columns = 2;
  m.kernel_columns = 2;
  m.origin_column = -1;
  m.input_zero_point = 1;
  m.reduction_end = 2;
  m.out_channels = 2;
  m.input.pixel_pitch_bytes = 1;
  m.input.row_pitch_bytes = 2;
  m.input.block_pitch_bytes = 8;
  m.weight_base = 8;
  m.parameter_base = 32;
  m.output = {100, 16, 8, 32, base::ElementType::Int32};
  mac.sram.assign(64, std::byte{0});
  const auto put = [&](size_t offset, int value) { mac.sram[offset] = static_cast<std::byte>(value); };
  for (size_t i = 0; i < 4; ++i) put(i, static_cast<int>(i) + 2);  // less the zero point: 1 2 / 3 4
  put(8, 10), put(9, 1);                                           // channel 0: 10 * left + right
  put(16, -1), put(17, 3);                                         // channel 1: 3 * right - left
  put(42, 100);                                                    // bias of channel 1
  Image expected;
  const int64_t values[2][2][2] = {{{1, 103}, {12, 105}}, {{3, 109}, {34, 109}}};
  for (int64_t y = 0; y < 2; ++y) {
    for (int64_t x = 0; x < 2; ++x) {
      for (int64_t oc = 0; oc < 2; ++oc) {
        write_element(expected, 100 + y * 16 + x * 8 + oc * 4, base::ElementType::Int32, values[y][x][oc]);
      }
    }
  }
  Accumulators accumulators;
  CHECK(run(mac, accumulators) == expected);
}

}  // namespace
}  // namespace vernier::kernels::tests
