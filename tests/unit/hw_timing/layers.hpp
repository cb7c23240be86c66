// SPDX-License-Identifier: Apache-2.0
// Layers of a network as commands, for the tests that work their cycles out by hand. Each main phase is
//   SRAM latency + first load + swap + rows (what a test states),
// with the parameters of the first channel tile beside the first load where the port has no room for them,
// each drain
//   MAC pipeline + epilogue of the last row tile + its latencies.
#pragma once

#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

namespace vernier::timing {

inline constexpr int64_t kLatencies = spec::kSramReadLatencyCycles + spec::kTileSwapCycles;
inline constexpr int64_t kDrainLatencies = spec::kMacPipelineCycles + spec::kRescalePipelineCycles;
inline constexpr int64_t kWords = spec::kWeightLoadWords;
/// Cycles that 10 words of parameters, on a port of 4, keep back a first load of 4 words a cycle.
inline constexpr int64_t kFirstParameters = 3;

struct Layer {
  int64_t rows = 25, columns = 5, in_channels = 64, out_channels = 64, kernel = 1, stride = 1;
  bool is_depthwise = false, is_dense = false;
};

/// Stride-1 layers keep their size (padding as needed); others have an input of stride x (size - 1) + kernel.
inline spec::MacCommand command_of(const Layer& layer, int64_t n) {
  spec::MacCommand command;
  const auto extent = [&](int64_t out) { return layer.stride == 1 ? out : layer.stride * (out - 1) + layer.kernel; };
  command.in_rows = extent(layer.rows);
  command.in_columns = extent(layer.columns);
  command.in_channels = layer.in_channels;
  command.mode = layer.is_depthwise ? spec::MacMode::Depthwise : spec::MacMode::Conv;
  command.input = layer.is_dense ? dense(1 << 20, command.in_columns, layer.in_channels, n)
                                 : planes(1 << 20, command.in_rows, command.in_columns, n);
  command.output =
      layer.is_dense ? dense(2 << 20, layer.columns, layer.out_channels, n) : planes(2 << 20, layer.rows, layer.columns, n);
  command.kernel_rows = command.kernel_columns = layer.kernel;
  command.stride_rows = command.stride_columns = layer.stride;
  command.out_rows = layer.rows;
  command.out_columns = layer.columns;
  command.out_channels = layer.out_channels;
  command.reduction_end = layer.kernel * layer.kernel * (layer.is_depthwise ? 1 : layer.in_channels);
  command.rescale = true;
  return command;
}

inline void check_sums(const Profile& profile) {
  for (const Phase* phase : {&profile.main, &profile.drain}) {
    CHECK(phase->cycles == phase->busy_cycles + sum_of_stalls(*phase));
    CHECK(phase->datapath_cycles <= phase->cycles);
  }
}

}  // namespace vernier::timing
