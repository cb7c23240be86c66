// SPDX-License-Identifier: Apache-2.0
#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "tests/unit/sim_kernels/mac_witness.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>

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

TEST_CASE("the random commands are legal ones often enough, in each mode") {
  std::map<std::string, int> found;
  for (uint64_t i = 0; i < 2500; ++i) {
    Random random(i);
    const MacCase mac = random_mac_case(random);
    const spec::MacCommand& m = mac.command;
    const spec::Command command{{spec::Queue::MacArray, 0, 0}, m};
    if (package::check(command, mac.datapath).fault != spec::FaultCode::None) continue;
    const bool is_int16 = m.input.type == base::ElementType::Int16;
    if (is_int16) ++found[m.weight_type == base::ElementType::Int16 ? "int16 x int16" : "int16 x int8"];
    if (is_int16 && m.mode == spec::MacMode::Depthwise) ++found["int16 depthwise"];
    if (m.weight_type == base::ElementType::Int4)
      ++found[m.mode == spec::MacMode::Depthwise ? "int8 x int4 depthwise" : "int8 x int4"];
    if (m.weight_order == spec::WeightOrder::LaneMajor) ++found["lane major"];
    if (m.weight_order == spec::WeightOrder::TapMajor) ++found["tap major"];
    if (m.output.type == base::ElementType::Int48) ++found["int48 out"];
    if (m.accumulator_is_48 && m.rescale) ++found["48 x 16 rescale"];
  }
  for (const char* mode : {"int16 x int16", "int16 x int8", "int16 depthwise", "int8 x int4", "int8 x int4 depthwise",
                           "lane major", "tap major", "int48 out", "48 x 16 rescale"}) {
    INFO(mode);
    CHECK(found[mode] >= 10);
  }
}

/// [[1, 2], [3, 4]] x [[5, 6, 7], [8, 9, 10]], the second operand less a zero point of 1, in both orders of memory.
TEST_CASE("a MATMUL worked by hand") {
  MacCase mac;
  mac.datapath = spec::kPresets[0].datapath;
  spec::MacCommand& m = mac.command;
  m.in_columns = m.out_columns = 2;
  m.in_channels = m.reduction_end = 2;
  m.out_channels = 3;
  m.weight_zero_point = 1;
  m.input.pixel_pitch_bytes = 2;
  m.input.block_pitch_bytes = 8;
  m.weight_base = 16;
  m.parameter_base = 64;  // zeros
  m.output = {100, 0, 12, 32, base::ElementType::Int32};
  mac.sram.assign(128, std::byte{0});
  const auto put = [&](size_t offset, int value) { mac.sram[offset] = static_cast<std::byte>(value); };
  for (size_t i = 0; i < 4; ++i) put(i, static_cast<int>(i) + 1);
  const auto product = [&](spec::WeightOrder order, int64_t pitch) {
    m.weight_order = order;
    m.weight_pitch_bytes = pitch;
    for (int64_t r = 0; r < 2; ++r) {
      for (int64_t oc = 0; oc < 3; ++oc) {
        const int64_t offset = order == spec::WeightOrder::TapMajor ? r * pitch + oc : oc * pitch + r;
        put(static_cast<size_t>(16 + offset), static_cast<int>(5 + 3 * r + oc));
      }
    }
    Accumulators accumulators;
    return run(mac, accumulators);
  };
  Image expected;
  const int64_t values[2][3] = {{4 + 14, 5 + 16, 6 + 18}, {12 + 28, 15 + 32, 18 + 36}};
  for (int64_t x = 0; x < 2; ++x) {
    for (int64_t oc = 0; oc < 3; ++oc) {
      write_element(expected, 100 + x * 12 + oc * 4, base::ElementType::Int32, values[x][oc]);
    }
  }
  CHECK(product(spec::WeightOrder::TapMajor, 5) == expected);
  CHECK(product(spec::WeightOrder::LaneMajor, 7) == expected);
}

TEST_CASE("int4 weights lie two a byte, the low half first") {
  MacCase mac;
  mac.datapath = spec::kPresets[0].datapath;  // N = 8
  spec::MacCommand& m = mac.command;
  m.weight_type = base::ElementType::Int4;
  m.in_channels = m.reduction_end = 8;
  m.input.block_pitch_bytes = 8;
  m.weight_base = 8;
  m.parameter_base = 12;
  m.output.type = base::ElementType::Int32;
  mac.sram.assign(22, std::byte{0});
  for (size_t i = 0; i < 8; ++i) mac.sram[i] = static_cast<std::byte>(1 << i);  // the last one is -128
  // 1, -1, 7, -8, 0, 2, -3, 1
  const std::array<int, 4> packed{0xf1, 0x87, 0x20, 0x1d};
  for (size_t i = 0; i < packed.size(); ++i) mac.sram[8 + i] = static_cast<std::byte>(packed[i]);
  Accumulators accumulators;
  Image expected;
  write_element(expected, 0, base::ElementType::Int32, 1 - 2 + 4 * 7 - 8 * 8 + 32 * 2 - 64 * 3 - 128);
  CHECK(run(mac, accumulators) == expected);

  // Depthwise: three lanes a tap, the second tap begins with a byte of its own.
  m.mode = spec::MacMode::Depthwise;
  m.in_channels = m.out_channels = 3;
  m.kernel_columns = m.in_columns = m.reduction_end = 2;
  m.input.pixel_pitch_bytes = 3;
  m.input.row_pitch_bytes = 6;
  m.output.block_pitch_bytes = 32;
  mac.sram.resize(42, std::byte{0});
  for (size_t i = 0; i < 6; ++i) mac.sram[i] = static_cast<std::byte>(i + 1);  // (1, 2, 3), (4, 5, 6)
  const std::array<int, 4> taps{0xf1, 0x52, 0x43, 0x67};                       // 1, -1, 2 | 3, 4, 7
  for (size_t i = 0; i < taps.size(); ++i) mac.sram[8 + i] = static_cast<std::byte>(taps[i]);
  Image of_lanes;
  write_element(of_lanes, 0, base::ElementType::Int32, 1 * 1 + 4 * 3);
  write_element(of_lanes, 4, base::ElementType::Int32, -1 * 2 + 4 * 5);
  write_element(of_lanes, 8, base::ElementType::Int32, 2 * 3 + 7 * 6);
  CHECK(run(mac, accumulators) == of_lanes);
}

/// One output of many int16 products at the ends of their range: beyond 32 bits, then beyond 48.
TEST_CASE("sums of int16 products are kept in 48 bits, and stored in 8 bytes") {
  MacCase mac;
  mac.datapath = spec::kPresets[1].datapath;
  spec::MacCommand& m = mac.command;
  m.weight_order = spec::WeightOrder::LaneMajor;
  m.input.type = base::ElementType::Int16;
  m.accumulator_is_48 = true;
  m.scale32 = false;
  m.input.block_pitch_bytes = 32;
  m.output = {0, 0, 0, 128, base::ElementType::Int48};
  const auto sum_of = [&](int64_t elements, base::ElementType weight_type, int weight, int64_t bias) {
    m.weight_type = weight_type;
    m.in_channels = m.reduction_end = elements;
    m.weight_base = 2 * elements;
    m.parameter_base = 4 * elements;
    mac.sram.assign(static_cast<size_t>(4 * elements + 10), std::byte{0});
    for (int64_t i = 0; i < elements; ++i) {
      const int64_t size = base::stored_bytes(weight_type);
      mac.sram[static_cast<size_t>(2 * i + 1)] = std::byte{0x80};
      for (int64_t b = 0; b < size; ++b) {
        mac.sram[static_cast<size_t>(m.weight_base + i * size + b)] = static_cast<std::byte>(weight >> (8 * b));
      }
    }
    for (int64_t b = 0; b < 6; ++b) {
      mac.sram[static_cast<size_t>(m.parameter_base + b)] = static_cast<std::byte>(bias >> (8 * b));
    }
    Accumulators accumulators;
    return run(mac, accumulators);
  };
  const auto expected = [](int64_t value) {
    Image image;
    write_element(image, 0, base::ElementType::Int48, value);
    return image;
  };
  CHECK(sum_of(3000, base::ElementType::Int8, -128, 5) == expected(3000LL * 32768 * 128 + 5));
  CHECK(sum_of(3000, base::ElementType::Int16, 32767, -7) == expected(-3000LL * 32768 * 32767 - 7));
  const int64_t greatest = (int64_t{1} << 47) - 1;
  CHECK(sum_of(1, base::ElementType::Int8, -1, greatest) == expected(greatest + 32768 - (int64_t{1} << 48)));
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
