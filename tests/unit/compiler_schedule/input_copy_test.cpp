// SPDX-License-Identifier: Apache-2.0
// Copies of a command's dense map, part by part: each part finds on the copy, byte by byte, what the whole command finds on
// the map, and the parts make the output once. Nothing is copied where that was not estimated to save cycles.
#include "compiler/cost/input_copy.hpp"

#include "compiler/cost/mac_choice.hpp"
#include "compiler/passes/placements.hpp"
#include "hw/base/element_type.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace vernier::schedule {
namespace {

using base::ElementType;
using spec::MacCommand;

constexpr int64_t kPlenty = int64_t{1} << 20;
constexpr int64_t kPadding = -1, kUnwritten = -2;

struct CopiedLayer {
  const char* name;
  int64_t rows, columns, channels, out_channels;  // out_channels 0: depthwise
  int64_t kernel_rows, kernel_columns, stride, dilation, pad;
  int64_t pixel_channels = 0;  // of which `channels` are read; 0: all
  ElementType type = ElementType::Int8;
};

MacCommand command_of(const CopiedLayer& layer, int64_t lanes) {
  MacCommand mac;
  mac.mode = layer.out_channels == 0 ? spec::MacMode::Depthwise : spec::MacMode::Conv;
  mac.in_rows = layer.rows;
  mac.in_columns = layer.columns;
  mac.in_channels = layer.channels;
  mac.out_channels = layer.out_channels == 0 ? layer.channels : layer.out_channels;
  mac.kernel_rows = layer.kernel_rows;
  mac.kernel_columns = layer.kernel_columns;
  mac.reduction_end = layer.kernel_rows * layer.kernel_columns * (layer.out_channels == 0 ? 1 : layer.channels);
  mac.stride_rows = mac.stride_columns = layer.stride;
  mac.dilation_rows = mac.dilation_columns = layer.dilation;
  mac.origin_row = mac.origin_column = -layer.pad;
  const auto outputs = [&](int64_t in, int64_t kernel) {
    return (in + 2 * layer.pad - (kernel - 1) * layer.dilation - 1) / layer.stride + 1;
  };
  mac.out_rows = outputs(layer.rows, layer.kernel_rows);
  mac.out_columns = outputs(layer.columns, layer.kernel_columns);
  mac.input_zero_point = layer.type == ElementType::Int8 ? -3 : 0;
  mac.rescale = true;
  const auto map = [&](int64_t rows, int64_t columns, int64_t channels) {
    const base::Shape shape{1, rows, columns, channels};
    return passes::feature_map(passes::dense_placement(shape, layer.type), shape, layer.type, 0, lanes);
  };
  mac.input = map(layer.rows, layer.columns, layer.pixel_channels == 0 ? layer.channels : layer.pixel_channels);
  mac.output = map(mac.out_rows, mac.out_columns, mac.out_channels);
  return mac;
}

/// What each byte of a memory holds: the number of a byte of the map, padding, or nothing yet.
using Bytes = std::map<int64_t, int64_t>;

/// The byte that element r of the reduction for an output comes from, and whether the element lies in the map.
int64_t source_of(const MacCommand& c, int64_t lanes, int64_t y, int64_t x, int64_t oc, int64_t r, const Bytes* copy) {
  const bool is_depthwise = c.mode == spec::MacMode::Depthwise;
  const int64_t tap = is_depthwise ? r : r / c.in_channels, channel = is_depthwise ? oc : r % c.in_channels;
  const int64_t row = c.origin_row + y * c.stride_rows + tap / c.kernel_columns * c.dilation_rows;
  const int64_t column = c.origin_column + x * c.stride_columns + tap % c.kernel_columns * c.dilation_columns;
  if (row < 0 || row >= c.in_rows || column < 0 || column >= c.in_columns) return kPadding;
  const int64_t address = c.input.base + row * c.input.row_pitch_bytes + column * c.input.pixel_pitch_bytes +
                          channel / lanes * c.input.block_pitch_bytes + channel % lanes * base::stored_bytes(c.input.type);
  if (copy == nullptr) return address;
  const auto found = copy->find(address);
  return found == copy->end() ? kUnwritten : found->second;
}

int64_t output_address(const MacCommand& c, int64_t lanes, int64_t y, int64_t x, int64_t oc) {
  return c.output.base + y * c.output.row_pitch_bytes + x * c.output.pixel_pitch_bytes +
         oc / lanes * c.output.block_pitch_bytes + oc % lanes * base::stored_bytes(c.output.type);
}

void carry_out(const spec::DmaCommand& dma, int64_t zero_point, Bytes& copy) {
  if (dma.kind == spec::DmaKind::Fill) {
    REQUIRE(dma.fill_value == zero_point);
    for (int64_t b = 0; b < dma.run_bytes; ++b) copy[static_cast<int64_t>(dma.dst.base.offset) + b] = kPadding;
    return;
  }
  REQUIRE(dma.kind == spec::DmaKind::Copy);
  std::array<int64_t, 5> at{};
  const int64_t runs = std::accumulate(dma.counts.begin(), dma.counts.end(), int64_t{1}, std::multiplies<>());
  for (int64_t run = 0; run < runs; ++run) {
    int64_t from = static_cast<int64_t>(dma.src.base.offset), to = static_cast<int64_t>(dma.dst.base.offset), rest = run;
    for (size_t loop = at.size(); loop-- > 0;) {
      at[loop] = rest % dma.counts[loop];
      rest /= dma.counts[loop];
      from += at[loop] * dma.src.strides_bytes[loop];
      to += at[loop] * dma.dst.strides_bytes[loop];
    }
    for (int64_t b = 0; b < dma.run_bytes; ++b) copy[to + b] = from + b;
  }
}

/// Every element of every output, by the parts, is what the whole command reads; counts the copied ones.
int64_t check_parts(const MacCommand& whole, const cost::InputCopy& copy, const spec::Datapath& datapath) {
  const int64_t lanes = datapath.lanes;
  std::map<int64_t, int64_t> made;  // by output address, how often
  Bytes bytes;
  int64_t wrong = 0, copied = 0;
  std::array<int64_t, 3> begin{};
  for (size_t i = 0; i < copy.parts.size(); ++i) {
    const cost::CopyPart& part = copy.parts[i];
    for (const spec::DmaCommand& dma : cost::copies_of_part(whole, copy, i)) carry_out(dma, whole.input_zero_point, bytes);
    const MacCommand c = cost::command_of_part(whole, copy, part, datapath);
    begin[static_cast<size_t>(copy.axis)] = part.begin;
    REQUIRE(c.reduction_end == whole.reduction_end);
    if (copy.axis == cost::CopyAxis::Channels) {
      CHECK(part.begin % lanes == 0);  // whole weight tiles
      CHECK(c.weight_base == whole.weight_base + part.begin * whole.reduction_end);
      CHECK(c.parameter_base == whole.parameter_base + part.begin * spec::kChannelParameterBytes);
    } else {
      CHECK(c.weight_base == whole.weight_base);
      CHECK(c.parameter_base == whole.parameter_base);
    }
    if (copy.axis == cost::CopyAxis::Columns) CHECK(part.begin % (int64_t{1} << c.lane_split_log2) == 0);
    for (int64_t y = 0; y < c.out_rows; ++y) {
      for (int64_t x = 0; x < c.out_columns; ++x) {
        for (int64_t oc = 0; oc < c.out_channels; ++oc) {
          const int64_t wy = y + begin[0], wx = x + begin[1], woc = oc + begin[2];
          ++made[output_address(c, lanes, y, x, oc)];
          wrong += output_address(c, lanes, y, x, oc) != output_address(whole, lanes, wy, wx, woc) ? 1 : 0;
          if (c.mode == spec::MacMode::Conv && oc > 0) continue;  // reads the same
          for (int64_t r = 0; r < c.reduction_end; ++r) {
            const int64_t expected = source_of(whole, lanes, wy, wx, woc, r, nullptr);
            wrong += source_of(c, lanes, y, x, oc, r, part.is_copied ? &bytes : nullptr) != expected ? 1 : 0;
            copied += part.is_copied ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(bytes.rbegin()->first < copy.size_bytes);
  CHECK(static_cast<int64_t>(made.size()) == whole.out_rows * whole.out_columns * whole.out_channels);
  for (const auto& [address, times] : made) wrong += times - 1;
  CHECK(wrong == 0);
  return copied;
}

}  // namespace

TEST_CASE("parts of a command find on the copy what the command finds on its map, and make its output") {
  const std::vector<CopiedLayer> layers{
      {"depthwise, 64 channels", 25, 5, 64, 0, 3, 3, 1, 1, 1},
      {"depthwise, 128 channels", 8, 9, 128, 0, 3, 3, 1, 1, 1},
      {"depthwise, unpadded", 14, 14, 192, 0, 3, 3, 1, 1, 0},
      {"depthwise, stride 2", 15, 14, 256, 0, 5, 5, 2, 1, 2},
      {"depthwise, dilated", 14, 14, 128, 0, 3, 3, 1, 2, 2},
      {"depthwise, a part of a tile", 9, 9, 264, 0, 5, 5, 1, 1, 2},
      {"depthwise, a part of a tile", 6, 6, 1040, 0, 3, 3, 1, 1, 1},
      {"depthwise, a part of a tile", 13, 13, 84, 0, 3, 3, 2, 1, 1},
      {"few channels out", 20, 20, 1, 12, 7, 3, 1, 1, 3},
      {"speech", 49, 10, 1, 64, 10, 4, 2, 1, 1},
      {"speech, unpadded", 49, 20, 1, 28, 10, 4, 1, 1, 0},
      {"wide padding", 20, 6, 1, 16, 9, 5, 1, 1, 4},
      {"dilated taps", 30, 12, 2, 16, 7, 3, 1, 2, 2},
      {"a slice of the channels", 17, 13, 6, 9, 3, 3, 1, 1, 1, 24},
      {"rows of 192 bytes", 64, 64, 3, 16, 3, 3, 2, 1, 0},
      {"int16", 40, 12, 1, 16, 9, 3, 1, 1, 1, 0, ElementType::Int16},
  };
  for (const char* preset : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = config::preset_config(preset, "test");
    int64_t num_copied = 0;
    for (const CopiedLayer& layer : layers) {
      const MacCommand command = command_of(layer, config.datapath.lanes);
      const auto copy = cost::choose_input_copy(command, config, kPlenty);
      CAPTURE(preset, layer.name, copy ? cost::describe(*copy) : "not copied");
      if (!copy) continue;
      CHECK(copy->cycles < copy->cycles_without);
      CHECK(copy->cycles_without ==
            cost::cycles_alone(cost::with_best_row_tile(cost::with_best_slide(command, config), config), config));
      CHECK(check_parts(command, *copy, config.datapath) > 0);
      MacCommand next_image = command;
      next_image.input.base += command.in_rows * command.input.row_pitch_bytes;
      next_image.output.base += command.out_rows * command.output.row_pitch_bytes;
      CHECK(check_parts(next_image, *copy, config.datapath) > 0);
      ++num_copied;
      const auto smaller = cost::choose_input_copy(command, config, copy->size_bytes / 2);
      CHECK((!smaller || smaller->size_bytes <= copy->size_bytes / 2));
    }
    CHECK(num_copied >= (config.datapath.lanes == 8 ? 3 : 8));
  }
}

TEST_CASE("what is copied on v256: dense maps of 64 k channels, kernel rows of few bytes, slices of channels") {
  const config::MachineConfig config = config::preset_config("v256", "test");
  const auto is_copied = [&](const CopiedLayer& layer) {
    return cost::choose_input_copy(command_of(layer, config.datapath.lanes), config, kPlenty).has_value();
  };
  for (const int64_t channels : {64, 128, 192, 256, 512}) {
    for (const int64_t rows : {8, 14, 28}) {
      for (const int64_t pad : {0, 1}) {
        CAPTURE(channels, rows, pad);
        CHECK(is_copied({"", rows, 14, channels, 0, 3, 3, 1, 1, pad}));
      }
    }
  }
  CHECK(is_copied({"", 49, 10, 1, 64, 10, 4, 2, 1, 1}));
  CHECK(is_copied({"", 17, 13, 6, 9, 3, 3, 1, 1, 1, 24}));
  CHECK_FALSE(is_copied({"16 channels of neighbouring words", 28, 28, 16, 0, 3, 3, 1, 1, 1}));
  CHECK_FALSE(is_copied({"whole words a pixel", 14, 14, 128, 64, 3, 3, 1, 1, 1}));
  CHECK_FALSE(is_copied({"rows of 9 bytes", 32, 33, 3, 16, 3, 3, 1, 1, 1}));
  MacCommand planes = command_of({"", 14, 15, 128, 0, 3, 3, 1, 1, 1}, 16);
  const base::Shape shape{1, 14, 15, 128};
  planes.input =
      passes::feature_map(passes::planes_placement(shape, ElementType::Int8, 16, 1), shape, ElementType::Int8, 0, 16);
  CHECK_FALSE(cost::choose_input_copy(planes, config, kPlenty));
}

}  // namespace vernier::schedule
