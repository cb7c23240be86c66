// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: for a row of a tile's pixels and a block of N channels, one tap after another, the lanes side by
// side. 8-bit inputs are multiplied where they lie; others are read into a buffer first.
#include "hw/base/division.hpp"
#include "sim/kernels/mac_kernels.hpp"

#include <algorithm>
#include <array>

namespace vernier::kernels {
namespace {

constexpr int64_t kGreatestLanes = 32;  // N of v1024

/// sums[x][lane] += (in[x * step + lane] - zero_point) * weights[lane]. kLanes 0: `lanes` of them.
template <typename Stored, int kLanes>
void multiply_tap(const std::byte* in, int64_t step, int32_t zero_point, const int16_t* weights, int64_t lanes,
                  int64_t count, int32_t* sums) {
  const int64_t n = kLanes > 0 ? kLanes : lanes;
  for (int64_t x = 0; x < count; ++x) {
    const std::byte* from = in + x * step;
    int32_t* to = sums + x * kGreatestLanes;
    for (int64_t lane = 0; lane < n; ++lane) {
      to[lane] += int32_t{static_cast<int16_t>(int32_t{load<Stored>(from + lane)} - zero_point)} * weights[lane];
    }
  }
}

using TapFunction = void (*)(const std::byte*, int64_t, int32_t, const int16_t*, int64_t, int64_t, int32_t*);

template <typename Stored>
TapFunction tap_function(int64_t lanes) {
  switch (lanes) {
    case 8: return &multiply_tap<Stored, 8>;
    case 16: return &multiply_tap<Stored, 16>;
    case 32: return &multiply_tap<Stored, 32>;
    default: return &multiply_tap<Stored, 0>;
  }
}

/// A run of a row's pixels by a block of channels.
struct Piece {
  int64_t row, column, num_columns;
  int64_t channel, num_channels;
};

template <typename Operand, typename Sum>
class DepthwiseKernel : public TileKernel {
 public:
  explicit DepthwiseKernel(const MacContext& context)
      : context_(context),
        command_(context.command),
        input_(context),
        weights_(unpack_depthwise_weights<Operand>(context)) {}

  void accumulate(int64_t first_pixel, int64_t num_pixels, int64_t* accumulators) override {
    const int64_t pitch = context_.accumulator_pitch();
    for (int64_t p = 0; p < num_pixels;) {
      const int64_t row = (first_pixel + p) / command_.out_columns, column = (first_pixel + p) % command_.out_columns;
      const int64_t count = std::min(num_pixels - p, command_.out_columns - column);
      for (int64_t channel = 0; channel < command_.out_channels; channel += context_.lanes) {
        const Piece piece{row, column, count, channel, std::min(context_.lanes, command_.out_channels - channel)};
        sum(piece);
        for (int64_t x = 0; x < count; ++x) {
          for (int64_t lane = 0; lane < piece.num_channels; ++lane) {
            accumulators[(p + x) * pitch + channel + lane] += int64_t{sums_[static_cast<size_t>(x * kGreatestLanes + lane)]};
          }
        }
      }
      p += count;
    }
  }

 private:
  void sum(const Piece& piece) {
    std::fill_n(sums_.begin(), piece.num_columns * kGreatestLanes, Sum{0});
    for (int64_t r = command_.reduction_begin; r < command_.reduction_end; ++r) {
      const int64_t kh = r / command_.kernel_columns, kw = r % command_.kernel_columns;
      const int64_t row = command_.origin_row + piece.row * command_.stride_rows + kh * command_.dilation_rows;
      const int64_t column0 = command_.origin_column + kw * command_.dilation_columns;
      if (row < 0 || row >= command_.in_rows) continue;
      // The columns x of the output whose input column0 + x * stride is inside.
      const int64_t stride = command_.stride_columns;
      const int64_t begin = std::max(piece.column, base::ceil_div(std::max(-column0, int64_t{0}), stride));
      const int64_t end =
          std::min(piece.column + piece.num_columns, base::floor_div(command_.in_columns - 1 - column0, stride) + 1);
      if (begin >= end) continue;
      const Operand* weights = weights_.data() + (r - command_.reduction_begin) * command_.out_channels + piece.channel;
      sum_tap(piece, row, column0, begin, end, weights);
    }
  }

  void sum_tap(const Piece& piece, int64_t row, int64_t column0, int64_t begin, int64_t end, const Operand* weights) {
    Sum* sums = sums_.data() + (begin - piece.column) * kGreatestLanes;
    const int64_t stride = command_.stride_columns;
    if constexpr (std::is_same_v<Operand, int16_t>) {
      if (command_.input.type == base::ElementType::Int8) {
        const TapFunction multiply = command_.input_is_unsigned ? tap_function<uint8_t>(piece.num_channels)
                                                                : tap_function<int8_t>(piece.num_channels);
        multiply(input_.address(row, column0 + begin * stride, piece.channel / context_.lanes),
                 stride * command_.input.pixel_pitch_bytes, static_cast<int32_t>(command_.input_zero_point), weights,
                 piece.num_channels, end - begin, sums);
        return;
      }
    }
    std::array<Operand, kGreatestLanes> buffer;
    for (int64_t x = begin; x < end; ++x, sums += kGreatestLanes) {
      input_.read(row, column0 + x * stride, piece.channel, piece.channel + piece.num_channels, buffer.data());
      for (int64_t lane = 0; lane < piece.num_channels; ++lane) {
        sums[lane] += Sum{buffer[static_cast<size_t>(lane)]} * weights[lane];
      }
    }
  }

  const MacContext& context_;
  const spec::MacCommand& command_;
  InputReader<Operand> input_;
  std::vector<Operand> weights_;  // [tap][channel]
  std::array<Sum, kTilePixels * kGreatestLanes> sums_;
};

}  // namespace

std::unique_ptr<TileKernel> make_depthwise_kernel(const MacContext& context) {
  VERNIER_CHECK(context.lanes <= kGreatestLanes, "{} lanes, the depthwise kernel has room for {}", context.lanes,
                kGreatestLanes);
  if (exact_partial_sum_elems(context.command) >= context.reduction()) {
    return std::make_unique<DepthwiseKernel<int16_t, int32_t>>(context);
  }
  return std::make_unique<DepthwiseKernel<int32_t, int64_t>>(context);
}

}  // namespace vernier::kernels
