// SPDX-License-Identifier: Apache-2.0
// Convolution: the patches of a tile's pixels are gathered (the reduction in the array's order), then multiplied with the
// unpacked weights in blocks of 2 pixels x 4 channels, over chunks of the reduction that an int32_t sums exactly.
#include "hw/base/division.hpp"
#include "sim/kernels/mac_kernels.hpp"

#include <algorithm>
#include <array>

namespace vernier::kernels {
namespace {

constexpr int64_t kBlock = MacContext::kChannelBlock;
constexpr int64_t kGreatestChunk = 1024;  // a tile's patches of one chunk are 64 KiB

template <typename Operand>
struct SumOf;
template <>
struct SumOf<int16_t> {
  using Type = int32_t;
};
template <>
struct SumOf<int32_t> {
  using Type = int64_t;
};

/// accumulators[p][c] += patches[p] . weights[c] for kPixels x kBlock pairs. The inner loop is what the compiler vectorises.
template <int kPixels, typename Operand>
void multiply_block(const Operand* patches, int64_t patch_pitch, const Operand* weights, int64_t weight_pitch, int64_t count,
                    int64_t* accumulators, int64_t accumulator_pitch) {
  using Sum = typename SumOf<Operand>::Type;
  const Operand* x0 = patches;
  const Operand* x1 = patches + (kPixels - 1) * patch_pitch;
  const Operand *w0 = weights, *w1 = w0 + weight_pitch, *w2 = w1 + weight_pitch, *w3 = w2 + weight_pitch;
  Sum s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
  for (int64_t i = 0; i < count; ++i) {
    s00 += Sum{x0[i]} * w0[i];
    s01 += Sum{x0[i]} * w1[i];
    s02 += Sum{x0[i]} * w2[i];
    s03 += Sum{x0[i]} * w3[i];
    if constexpr (kPixels == 2) {
      s10 += Sum{x1[i]} * w0[i];
      s11 += Sum{x1[i]} * w1[i];
      s12 += Sum{x1[i]} * w2[i];
      s13 += Sum{x1[i]} * w3[i];
    }
  }
  const std::array<Sum, 2 * kBlock> sums{s00, s01, s02, s03, s10, s11, s12, s13};
  for (int64_t i = 0; i < kPixels * kBlock; ++i) {
    accumulators[i / kBlock * accumulator_pitch + i % kBlock] += int64_t{sums[static_cast<size_t>(i)]};
  }
}

template <typename Operand>
class ConvKernel : public TileKernel {
 public:
  ConvKernel(const MacContext& context, int64_t chunk)
      : context_(context),
        input_(context),
        chunk_(chunk),
        pitch_(base::round_up(context.reduction(), MacContext::kReductionBlock)),
        weights_(unpack_conv_weights<Operand>(context)),
        patches_(static_cast<size_t>(std::min(kTilePixels, context.num_pixels()) * pitch_)) {}

  void accumulate(int64_t first_pixel, int64_t num_pixels, int64_t* accumulators) override {
    for (int64_t p = 0; p < num_pixels; ++p) gather(first_pixel + p, patches_.data() + p * pitch_);
    for (int64_t k = 0; k < pitch_; k += chunk_) {
      for (int64_t channel = 0; channel < context_.accumulator_pitch(); channel += kBlock) {
        multiply(num_pixels, k, std::min(chunk_, pitch_ - k), channel, accumulators + channel);
      }
    }
  }

 private:
  void multiply(int64_t num_pixels, int64_t k, int64_t count, int64_t channel, int64_t* accumulators) const {
    const int64_t accumulator_pitch = context_.accumulator_pitch();
    const Operand* weights = weights_.data() + channel * pitch_ + k;
    const Operand* patches = patches_.data() + k;
    int64_t p = 0;
    for (; p + 2 <= num_pixels; p += 2) {
      multiply_block<2>(patches + p * pitch_, pitch_, weights, pitch_, count, accumulators + p * accumulator_pitch,
                        accumulator_pitch);
    }
    if (p < num_pixels) {
      multiply_block<1>(patches + p * pitch_, pitch_, weights, pitch_, count, accumulators + p * accumulator_pitch,
                        accumulator_pitch);
    }
  }

  /// Reduction elements [reduction_begin, reduction_end) of one pixel; the padding of the buffer stays zero.
  void gather(int64_t pixel, Operand* to) const {
    const spec::MacCommand& c = context_.command;
    const int64_t row0 = c.origin_row + pixel / c.out_columns * c.stride_rows;
    const int64_t column0 = c.origin_column + pixel % c.out_columns * c.stride_columns;
    int64_t tap = c.reduction_begin / c.in_channels;
    int64_t kh = tap / c.kernel_columns, kw = tap % c.kernel_columns;
    for (int64_t r = tap * c.in_channels; r < c.reduction_end; r += c.in_channels) {
      const int64_t begin = std::max(c.reduction_begin - r, int64_t{0});
      const int64_t end = std::min(c.reduction_end - r, c.in_channels);
      input_.read(row0 + kh * c.dilation_rows, column0 + kw * c.dilation_columns, begin, end, to);
      to += end - begin;
      if (++kw == c.kernel_columns) {
        kw = 0;
        ++kh;
      }
    }
  }

  const MacContext& context_;
  InputReader<Operand> input_;
  int64_t chunk_;
  int64_t pitch_;
  std::vector<Operand> weights_;  // [channel][pitch_]
  std::vector<Operand> patches_;  // [pixel][pitch_]
};

}  // namespace

std::unique_ptr<TileKernel> make_conv_kernel(const MacContext& context) {
  const int64_t exact = exact_partial_sum_elems(context.command);
  const int64_t chunk = std::min(exact / MacContext::kReductionBlock * MacContext::kReductionBlock, kGreatestChunk);
  if (chunk > 0) return std::make_unique<ConvKernel<int16_t>>(context, chunk);
  return std::make_unique<ConvKernel<int32_t>>(context, kGreatestChunk);
}

}  // namespace vernier::kernels
