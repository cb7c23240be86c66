// SPDX-License-Identifier: Apache-2.0
// Depthwise 3x3 layers of all sizes, in the layout and in the sequence that the compiler chooses for inner layers, alone on
// the machine, the last drain included. What 3x3 cannot exceed on v256 is 9 of 16 taps, 56 %.
#include "compiler/cost/mac_choice.hpp"
#include "compiler/passes/placements.hpp"
#include "hw/timing/unit_timing.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace vernier::schedule {
namespace {

constexpr int64_t kLeastMacs = 70'000;
/// Outputs of a channel without padding, below which the words of the first window, the weights and the parameters show:
/// 25 words, where 16 outputs read 48. Windows in padding read less.
constexpr int64_t kLeastOutputs = 16;
/// Of outputs at stride 2, whose windows leave no cycle to the next channel tile: below, its fill shows.
constexpr int64_t kLeastExtentAtStride2 = 6;

struct Layer {
  int64_t channels, rows, columns, pad, stride;
};

struct Outcome {
  int64_t macs = 0;
  double utilisation = 0;
  int64_t cycles = 0, conflict_cycles = 0;
};

spec::FeatureMap planes(int64_t base, int64_t rows, int64_t columns, const Layer& layer, int64_t lanes, int64_t window) {
  const base::Shape shape{1, rows, columns, layer.channels};
  spec::FeatureMap map = passes::feature_map(passes::planes_placement(shape, base::ElementType::Int8, lanes, window), shape,
                                             base::ElementType::Int8, 0, lanes);
  map.base = base;
  return map;
}

Outcome run(const Layer& layer, const config::MachineConfig& config) {
  const int64_t lanes = config.datapath.lanes;
  spec::MacCommand mac;
  mac.mode = spec::MacMode::Depthwise;
  mac.in_rows = layer.rows;
  mac.in_columns = layer.columns;
  mac.in_channels = mac.out_channels = layer.channels;
  mac.kernel_rows = mac.kernel_columns = 3;
  mac.reduction_end = 9;
  mac.stride_rows = mac.stride_columns = layer.stride;
  mac.origin_row = mac.origin_column = -layer.pad;
  mac.out_rows = (layer.rows + 2 * layer.pad - 3) / layer.stride + 1;
  mac.out_columns = (layer.columns + 2 * layer.pad - 3) / layer.stride + 1;
  mac.rescale = true;
  mac.input = planes(0, layer.rows, layer.columns, layer, lanes, layer.stride);
  mac.output = planes(1 << 26, mac.out_rows, mac.out_columns, layer, lanes, 0);
  mac = cost::with_best_row_tile(cost::with_best_slide(mac, config), config);
  const timing::Profile profile = timing::profile(mac, config);
  Outcome outcome;
  outcome.macs = mac.out_rows * mac.out_columns * layer.channels * 9;
  const int64_t cycles = profile.main.cycles + profile.drain.cycles;
  outcome.cycles = cycles;
  outcome.utilisation = static_cast<double>(outcome.macs) / static_cast<double>(cycles * config.datapath.macs_per_cycle());
  outcome.conflict_cycles = profile.main.stall_cycles[static_cast<size_t>(timing::Stall::BankConflict)];
  return outcome;
}

template <typename Visit>
void for_each_layer(int64_t stride, const Visit& visit) {
  for (const int64_t channels : {16, 48, 64, 128, 512, 1024}) {
    for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 17, 24, 25, 28, 33, 48, 56, 112}) {
      for (const int64_t columns : {rows, int64_t{7}, int64_t{10}, int64_t{50}}) {
        for (const int64_t pad : {0, 1}) {
          if (rows * columns * channels > 400'000 || std::min(rows, columns) + 2 * pad < 3) continue;
          const Layer layer{channels, rows, columns, pad, stride};
          const auto outputs = [&](int64_t extent) { return (extent + 2 * pad - 3) / stride + 1; };
          const bool is_large = stride == 1 ? pad > 0 || outputs(rows) * outputs(columns) >= kLeastOutputs
                                            : std::min(outputs(rows), outputs(columns)) >= kLeastExtentAtStride2;
          if (is_large) visit(layer);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE(
    "depthwise 3x3 at stride 1, padded or of 16 outputs a channel and more: at least 45 % of v256's multipliers, few bank "
    "conflicts") {
  const config::MachineConfig config = config::preset_config("v256", "test");
  int num_layers = 0;
  for_each_layer(1, [&](const Layer& layer) {
    const Outcome outcome = run(layer, config);
    if (outcome.macs < kLeastMacs) return;
    ++num_layers;
    CAPTURE(layer.channels, layer.rows, layer.columns, layer.pad, outcome.macs);
    CHECK(outcome.utilisation >= 0.45);
    CHECK(outcome.conflict_cycles <= 2 + outcome.cycles / 25);
  });
  CHECK(num_layers > 300);
}

TEST_CASE(
    "depthwise 3x3 at stride 2, 6x6 outputs and more: a cycle and a half an output, few bank "
    "conflicts, at the ends of lines") {
  const config::MachineConfig config = config::preset_config("v256", "test");
  for_each_layer(2, [&](const Layer& layer) {
    const Outcome outcome = run(layer, config);
    if (outcome.macs < kLeastMacs) return;
    CAPTURE(layer.channels, layer.rows, layer.columns, layer.pad, outcome.macs);
    CHECK(outcome.utilisation >= 0.45 / 1.5);
    CHECK(outcome.conflict_cycles <= outcome.cycles / 30);
  });
}

}  // namespace vernier::schedule
