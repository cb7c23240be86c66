// SPDX-License-Identifier: Apache-2.0
// Copies of a depthwise command's dense map, block by block: never estimated to cost more than doing without, and all that
// the blocks read, once.
#include "compiler/cost/input_copy.hpp"

#include "compiler/cost/mac_choice.hpp"
#include "compiler/passes/placements.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace vernier::schedule {
namespace {

spec::MacCommand dense_layer(int64_t rows, int64_t columns, int64_t channels, int64_t pad) {
  const base::Shape in{1, rows, columns, channels}, out{1, rows + 2 * pad - 2, columns + 2 * pad - 2, channels};
  const auto map = [](const base::Shape& shape) {
    return passes::feature_map(passes::dense_placement(shape, base::ElementType::Int8), shape, base::ElementType::Int8, 0,
                               16);
  };
  spec::MacCommand mac;
  mac.mode = spec::MacMode::Depthwise;
  mac.in_rows = rows;
  mac.in_columns = columns;
  mac.in_channels = mac.out_channels = channels;
  mac.kernel_rows = mac.kernel_columns = 3;
  mac.reduction_end = 9;
  mac.origin_row = mac.origin_column = -pad;
  mac.out_rows = out[1];
  mac.out_columns = out[2];
  mac.rescale = true;
  mac.input = map(in);
  mac.output = map(out);
  return mac;
}

}  // namespace

TEST_CASE("a dense map of 64 k channels is copied for its depthwise windows, others are not") {
  const config::MachineConfig config = config::preset_config("v256", "test");
  for (const int64_t channels : {64, 128, 192, 256, 512}) {
    for (const int64_t rows : {5, 8, 14, 28}) {
      for (const int64_t pad : {0, 1}) {
        const spec::MacCommand command = dense_layer(rows, 14, channels, pad);
        const auto copy = cost::choose_input_copy(command, config, config.sram_bytes);
        CAPTURE(channels, rows, pad);
        REQUIRE(copy);
        CHECK(copy->cycles < copy->cycles_without);
        CHECK(copy->cycles_without ==
              cost::cycles_alone(cost::with_best_row_tile(cost::with_best_slide(command, config), config), config));
        // Blocks share no byte; behind the first one, which reads the map, they have all rows or channels.
        int64_t bytes = 0, expected_rows = rows, expected_channels = channels;
        for (int64_t at = copy->first; at < copy->extent(command); at += copy->block) {
          const int64_t count = std::min(copy->block, copy->extent(command) - at);
          const auto dma = cost::copy_for_block(command, *copy, at, count);
          if (dma) bytes += dma->counts[3] * dma->counts[4] * dma->run_bytes;
        }
        if (copy->is_by_channels) {
          expected_channels -= copy->first;
        } else {
          expected_rows -= std::max<int64_t>(0, copy->first - pad);
        }
        CHECK(bytes == expected_rows * 14 * expected_channels);
      }
    }
  }
  CHECK_FALSE(cost::choose_input_copy(dense_layer(28, 28, 16, 1), config, config.sram_bytes));
  spec::MacCommand conv = dense_layer(14, 14, 128, 1);
  conv.mode = spec::MacMode::Conv;
  CHECK_FALSE(cost::choose_input_copy(conv, config, config.sram_bytes));
  spec::MacCommand planes = dense_layer(14, 15, 128, 1);
  const base::Shape shape{1, 14, 15, 128};
  planes.input = passes::feature_map(passes::planes_placement(shape, base::ElementType::Int8, 16, 1), shape,
                                     base::ElementType::Int8, 0, 16);
  CHECK_FALSE(cost::choose_input_copy(planes, config, config.sram_bytes));
}

}  // namespace vernier::schedule
