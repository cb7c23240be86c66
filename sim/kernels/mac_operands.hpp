// SPDX-License-Identifier: Apache-2.0
// The two operands of the MAC array as host arrays of numbers less their zero points: weights unpacked once a command, input
// positions as they are needed. Operand is int16_t where partial sums of an int32_t are exact (Bounds), else int32_t.
#pragma once

#include "hw/spec/command.hpp"
#include "sim/kernels/elements.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vernier::kernels {

/// What a kernel of the array works on.
struct MacContext {
  const spec::MacCommand& command;
  int64_t lanes;  // N
  std::span<const std::byte> sram;

  [[nodiscard]] int64_t num_pixels() const { return command.out_rows * command.out_columns; }
  [[nodiscard]] int64_t reduction() const { return command.reduction_end - command.reduction_begin; }
  /// Output channels padded to whole blocks of the convolution kernel: the pitch of a tile's accumulators.
  [[nodiscard]] int64_t accumulator_pitch() const { return base::round_up(command.out_channels, kChannelBlock); }

  static constexpr int64_t kChannelBlock = 4;
  static constexpr int64_t kReductionBlock = 32;  // the reduction is padded to it with zeros; a multiple of every N
};

/// How many products of one input and one weight, as large as their types and zero points allow, an int32_t holds:
/// (2^31 - 1) / (max |x| * max |w|); 0 if an operand does not fit int16_t.
int64_t exact_partial_sum_elems(const spec::MacCommand& command);

/// Stored elements less a zero point; of int4 two a byte, from the low half of the first byte on.
template <typename Operand>
using WidenFunction = void (*)(const std::byte* from, int64_t count, int32_t zero_point, Operand* to);
template <typename Operand>
WidenFunction<Operand> widen_function(base::ElementType type, bool is_unsigned);

/// Conv: [output channel, padded to kChannelBlock][r - reduction_begin, padded to kReductionBlock]. What stands in the
/// padding meets the zeros that pad a patch, or accumulators that nobody reads.
template <typename Operand>
std::vector<Operand> unpack_conv_weights(const MacContext& context);
/// Depthwise: [r - reduction_begin][output channel].
template <typename Operand>
std::vector<Operand> unpack_depthwise_weights(const MacContext& context);

/// The input map by position; outside it is zero, which contributes nothing.
template <typename Operand>
class InputReader {
 public:
  explicit InputReader(const MacContext& context);
  /// Channels [begin, end) at (row, column).
  void read(int64_t row, int64_t column, int64_t begin, int64_t end, Operand* to) const;
  [[nodiscard]] bool is_inside(int64_t row, int64_t column) const {
    return row >= 0 && row < command_.in_rows && column >= 0 && column < command_.in_columns;
  }
  /// Channel 0 of block `block` at a position inside the map.
  [[nodiscard]] const std::byte* address(int64_t row, int64_t column, int64_t block) const {
    const spec::FeatureMap& map = command_.input;
    return sram_ + (map.base + row * map.row_pitch_bytes + column * map.pixel_pitch_bytes + block * map.block_pitch_bytes);
  }

 private:
  const spec::MacCommand& command_;
  const std::byte* sram_;
  int64_t lanes_;
  int64_t element_bytes_;
  int32_t zero_point_;
  bool is_dense_;  // channels of all blocks are contiguous
  WidenFunction<Operand> widen_;
};

extern template class InputReader<int16_t>;
extern template class InputReader<int32_t>;

}  // namespace vernier::kernels
