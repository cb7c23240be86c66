// SPDX-License-Identifier: Apache-2.0
// Packed weights: bytes worked by hand, the bytes of int4 against those of int8, and programs that read them, whole and cut.
#include "compiler/passes/pack_weights.hpp"

#include "hw/model/wrap.hpp"
#include "hw/spec/packed_weights.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/unit/compiler_passes/program_runner.hpp"

#include <catch2/catch.hpp>

namespace vernier::passes {
namespace {

using base::ElementType;
using spec::MacMode;
using tests::make_tensor;

std::vector<int> numbers(const std::vector<std::byte>& bytes) {
  std::vector<int> values;
  for (const std::byte byte : bytes) values.push_back(std::to_integer<int>(byte));
  return values;
}

TEST_CASE("int4 weights of a convolution are packed two a byte, steps filled up with zeros") {
  const base::Tensor weights = make_tensor(ElementType::Int4, {2, 1, 1, 5}, {1, -1, 7, -7, 3, 2, 0, -2, 4, 5});
  CHECK(numbers(pack_weights(weights, false, MacMode::Conv, 8, 8)) ==
        std::vector<int>{0xf1, 0x97, 0x03, 0x00, 0x02, 0x4e, 0x05, 0x00});
}

TEST_CASE("int4 weights of a depthwise layer: each tap of a channel tile begins with a byte") {
  // Two taps of three channels: in one tile of eight lanes, then in tiles of two.
  const base::Tensor weights = make_tensor(ElementType::Int4, {1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  CHECK(numbers(pack_weights(weights, true, MacMode::Depthwise, 8, 8)) == std::vector<int>{0x21, 0x03, 0x54, 0x06});
  CHECK(numbers(pack_weights(weights, true, MacMode::Depthwise, 8, 2)) == std::vector<int>{0x21, 0x54, 0x03, 0x06});
}

/// The weights of packed int4, a byte each: tile rows of `row_elements`, the last ones of a command with `rest` lanes.
std::vector<std::byte> unpacked(const std::vector<std::byte>& packed, const std::vector<int64_t>& row_elements) {
  std::vector<std::byte> bytes;
  size_t at = 0;
  for (const int64_t elements : row_elements) {
    for (int64_t i = 0; i < elements; ++i) {
      const auto both = std::to_integer<int64_t>(packed.at(at + static_cast<size_t>(i / 2)));
      bytes.push_back(static_cast<std::byte>(model::sign_extend(i % 2 == 0 ? both : both >> 4, 4)));
    }
    at += static_cast<size_t>((elements + 1) / 2);
  }
  CHECK(at == packed.size());
  return bytes;
}

TEST_CASE("int4 weights have the numbers of the same weights as int8, and the bytes that hw/spec says") {
  for (const int64_t lanes : {8, 16, 32}) {
    for (int64_t split = 0; split <= spec::kMaxLaneSplitLog2; ++split) {
      for (const int64_t channels : {int64_t{1}, lanes - 1, 2 * lanes + 3}) {
        for (const bool is_depthwise : {false, true}) {
          CAPTURE(lanes, split, channels, is_depthwise);
          const base::Shape shape =
              is_depthwise ? base::Shape{3, 3, channels, 1} : base::Shape{channels, 1, 1, 2 * lanes - 5};
          const base::Tensor of4 = tests::random_tensor(ElementType::Int4, shape, static_cast<uint64_t>(channels), -7, 7);
          base::Tensor of8(ElementType::Int8, shape);
          for (int64_t i = 0; i < of4.size(); ++i) of8.set(i, of4.at(i));
          spec::MacCommand command;
          command.mode = is_depthwise ? MacMode::Depthwise : MacMode::Conv;
          command.lane_split_log2 = split;
          command.reduction_end = is_depthwise ? 9 : 2 * lanes - 5;
          command.weight_type = ElementType::Int4;
          const int64_t tile_lanes = lanes >> split;
          const auto packed = pack_weights(of4, is_depthwise, command.mode, lanes, tile_lanes);
          CHECK(std::ssize(packed) == spec::packed_weight_bytes(command, channels, lanes));
          std::vector<int64_t> rows;
          for (int64_t tile = 0; tile < channels; tile += tile_lanes) {
            const int64_t used = std::min(tile_lanes, channels - tile);
            rows.insert(rows.end(), static_cast<size_t>(is_depthwise ? 9 : 2 * used), is_depthwise ? used : lanes);
          }
          const auto wide = pack_weights(of8, is_depthwise, command.mode, lanes, tile_lanes);
          CHECK(unpacked(packed, rows) == wide);
          command.weight_type = ElementType::Int8;
          CHECK(std::ssize(wide) == spec::packed_weight_bytes(command, channels, lanes));
        }
      }
    }
  }
}

TEST_CASE("programs with int4 weights, whole and cut along rows, channels and the reduction") {
  for (const bool is_depthwise : {false, true}) {
    for (const int64_t channels : {5, 21, 40}) {
      for (uint64_t cut_seed = 0; cut_seed < 6; ++cut_seed) {
        tests::GraphBuilder b;
        const auto x = b.input("x", ElementType::Int8, {1, 6, 7, is_depthwise ? channels : 37});
        const base::Shape shape = is_depthwise ? base::Shape{3, 3, channels, 1} : base::Shape{channels, 1, 2, 37};
        const auto w = b.constant(tests::random_tensor(ElementType::Int4, shape, cut_seed, -7, 7));
        const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {channels}, cut_seed, -999, 999));
        const tests::GraphBuilder::Window window{.input_zp = -3};
        const auto sums = is_depthwise ? b.depthwise_conv2d(x, w, bias, window) : b.conv2d(x, w, bias, window);
        const auto y = b.rescale(sums, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {36}});
        const ir::Graph graph = b.build({y});
        for (const char* machine : {"v64", "v256"}) {
          CAPTURE(is_depthwise, channels, cut_seed, machine);
          const auto result = tests::lower_and_run(graph, tests::random_inputs(graph, cut_seed), machine,
                                                   {.optimize = 1, .cut_seed = cut_seed});
          CHECK(result.differences.empty());
          CHECK(result.elements_compared > 0);
          int64_t num_int4 = 0;
          for (const Step& step : result.program.steps) {
            const auto* mac = std::get_if<spec::MacCommand>(&step.command.body);
            num_int4 += mac != nullptr && mac->weight_type == ElementType::Int4 ? 1 : 0;
          }
          CHECK(num_int4 > 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace vernier::passes
