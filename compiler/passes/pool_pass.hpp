// SPDX-License-Identifier: Apache-2.0
// A pass of windows over a feature map, as vector commands: one for each region of windows that are alike. A window is a
// reduction (Init, Body for its positions in pairs, Final), or, where its positions are few, each of them is a stream of its
// own and nothing is reduced: vectors follow each other without a gap.
#pragma once

#include "compiler/passes/lowering.hpp"

#include <optional>
#include <vector>

namespace vernier::passes {

/// Neighbouring outputs of one dimension whose windows have equal valid sizes, evenly spaced.
struct PoolRegion {
  int64_t out_begin = 0, out_count = 1;
  int64_t in_begin = 0;   // first input that is read for the first window
  int64_t in_stride = 0;  // from window to window
  int64_t taps = 1;       // inputs that are read for a window
  int64_t valid = 1;      // inputs of the window that are not padding
};

/// A map of four dimensions, and where it lies.
struct PoolMap {
  BufferId buffer = -1;
  package::Placement placement;
  base::Shape shape;
  base::ElementType type = base::ElementType::Int8;
};

struct PoolPass {
  PoolMap from, to;
  std::vector<PoolRegion> rows, columns;
  bool is_average = false;       // sums, else maxima
  int64_t input_zero_point = 0;  // taken from each input of a sum
  /// Scales a sum by 1 / valid inputs and adds this; none: the sum itself.
  std::optional<int64_t> output_zero_point{};
};

/// A command of the pass, and the box of `to` that it makes.
struct PoolCommand {
  spec::VectorCommand command;
  base::Shape begin, extent;
};

/// `may_use_streams`: whether a position of the window can be a stream.
std::vector<PoolCommand> pool_commands(const PoolPass& pass, bool may_use_streams, const config::MachineConfig& config);

/// 1 / n as the machine multiplies by it: TOSA 1.0, "Precision scaling", reciprocal_scale.
struct Reciprocal {
  int64_t multiplier = 0, shift = 0;
};
Reciprocal reciprocal_scale(int64_t n);

}  // namespace vernier::passes
