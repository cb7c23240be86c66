// SPDX-License-Identifier: Apache-2.0
// Private to sim/kernels: the parts of run_mac. A tile is a run of neighbouring output pixels (numbered along x, then y) by
// all output channels of the command; its accumulators are [pixel][accumulator_pitch].
#pragma once

#include "sim/kernels/kernels.hpp"
#include "sim/kernels/mac_operands.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace vernier::kernels {

/// Pixels of a tile: enough to use an unpacked weight often while the tile's patches stay in the host's second-level cache.
inline constexpr int64_t kTilePixels = 32;

/// Adds the products of one tile to its accumulators, exactly (64 bits hold any sum of a command).
class TileKernel {
 public:
  virtual ~TileKernel() = default;
  virtual void accumulate(int64_t first_pixel, int64_t num_pixels, int64_t* accumulators) = 0;
};
std::unique_ptr<TileKernel> make_conv_kernel(const MacContext& context);
std::unique_ptr<TileKernel> make_depthwise_kernel(const MacContext& context);

/// What happens to a tile's accumulators on their way out: bias, wrap, rescale, clamp, table, residual, store.
class Epilogue {
 public:
  Epilogue(const MacContext& context, const TableMemory& tables, WriteSet& writes);
  /// Replaces the accumulators by the results and writes them.
  void finish(int64_t first_pixel, int64_t num_pixels, int64_t* accumulators);

 private:
  void add_bias(int64_t* values) const;
  void rescale(int64_t* values) const;
  void look_up(int64_t* values) const;
  void add_residual(int64_t row, int64_t column, int64_t* values) const;
  void store_row(int64_t row, int64_t column, int64_t num_columns, const int64_t* values);
  void store_block(int64_t row, int64_t column, int64_t block, const int64_t* values);

  const MacContext& context_;
  const spec::MacCommand& command_;
  const TableMemory& tables_;
  WriteSet& writes_;
  std::vector<int64_t> biases_;
  std::vector<int32_t> multipliers_;
  std::vector<int32_t> shifts_;
};

}  // namespace vernier::kernels
