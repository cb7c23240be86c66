// SPDX-License-Identifier: Apache-2.0
// Rules of a MAC command. What hw/spec encodes and this version does not run is UnsupportedMode.
#include "hw/base/error.hpp"
#include "hw/package/validity.hpp"
#include "hw/spec/rescale_limits.hpp"

#include <algorithm>

namespace vernier::package::detail {
namespace {

using base::ElementType;
using spec::MacCommand;
using spec::MacMode;

void check_counts(Rules& rules, const MacCommand& c) {
  rules.positive("in_rows", c.in_rows).positive("in_columns", c.in_columns).positive("in_channels", c.in_channels);
  rules.positive("kernel_rows", c.kernel_rows).positive("kernel_columns", c.kernel_columns);
  rules.positive("stride_rows", c.stride_rows).positive("stride_columns", c.stride_columns);
  rules.positive("dilation_rows", c.dilation_rows).positive("dilation_columns", c.dilation_columns);
  rules.positive("out_rows", c.out_rows).positive("out_columns", c.out_columns).positive("out_channels", c.out_channels);
}

void check_modes(Rules& rules, const MacCommand& c) {
  const bool is_int16 = c.input.type == ElementType::Int16;
  rules.supported(is_int16 || c.input.type == ElementType::Int8, "input_type is neither int8 nor int16");
  rules.supported(!is_int16 || !c.input_is_unsigned, "an unsigned int16 input");
  const ElementType other = is_int16 ? ElementType::Int16 : ElementType::Int4;
  rules.supported(c.weight_type == ElementType::Int8 || c.weight_type == other,
                  "weight_type is neither int8 nor, with an int16 input, int16, or int4 with an int8 input");
  rules.supported(c.mode != MacMode::Depthwise || c.weight_type != ElementType::Int16,
                  "weight_type of a depthwise command is int16, allowed are int8 and int4");
  rules.supported(c.weight_type != ElementType::Int4 || c.weight_order == spec::WeightOrder::Tiles,
                  "weight_type is int4, which lies in the order of tiles only");
  rules.supported(!c.accumulator_is_48 || !c.scale32, "accumulators of 48 bits with 32-bit multipliers");
  rules.supported(!c.slide_rows || c.mode == MacMode::Depthwise, "slide_rows without depthwise");
}

void check_reduction(Rules& rules, const MacCommand& c, const spec::Datapath& datapath) {
  const int64_t taps = c.kernel_rows * c.kernel_columns;
  const int64_t total = c.mode == MacMode::Depthwise ? taps : taps * c.in_channels;
  rules.require(c.reduction_begin % datapath.lanes == 0, spec::FaultCode::LimitExceeded,
                "reduction_begin is {}, not a multiple of {}", c.reduction_begin, datapath.lanes);
  rules.require(c.reduction_end > c.reduction_begin, spec::FaultCode::ZeroCount, "the reduction is {} to {}",
                c.reduction_begin, c.reduction_end);
  rules.within("reduction_end", c.reduction_end, 1, total);
  if (c.mode == MacMode::Depthwise) rules.within("out_channels of a depthwise command", c.out_channels, 1, c.in_channels);
  const int64_t outputs = c.out_rows * c.out_columns * c.out_channels;
  rules.within("multiply-accumulates", saturating_product(outputs, c.reduction_end - c.reduction_begin), 1,
               spec::kMaxCommandMacs);
  if (c.first && c.last) return;
  // What stays between slices lies in one bank.
  const int64_t pixels = int64_t{1} << c.lane_split_log2;
  rules.within("accumulator rows of a slice", c.out_rows * base::ceil_div(c.out_columns, pixels), 1, c.row_tile_rows);
  rules.within("out_channels of a slice", c.out_channels, 1, datapath.lanes / pixels);
}

/// Taps next to each other share no byte, so that a byte is one element of a pixel's operand: the channels of a pixel that
/// follow each other in memory are no more than what a tap steps over.
void check_taps(Rules& rules, const MacCommand& c, const spec::Datapath& datapath) {
  const int64_t element_bytes = base::stored_bytes(c.input.type), block_bytes = datapath.lanes * element_bytes;
  const int64_t channel_bytes = c.in_channels * element_bytes;
  const int64_t run_bytes = c.input.block_pitch_bytes == block_bytes ? channel_bytes : std::min(channel_bytes, block_bytes);
  const auto check_axis = [&](std::string_view name, int64_t taps, int64_t pitch_bytes, int64_t dilation) {
    rules.require(taps == 1 || pitch_bytes * dilation >= run_bytes, spec::FaultCode::LimitExceeded,
                  "taps overlap: {} is {}, times a dilation of {}, and channels of a pixel lie in runs of {} bytes, allowed "
                  "are as many and more",
                  name, pitch_bytes, dilation, run_bytes);
  };
  check_axis("input pixel_pitch", c.kernel_columns, c.input.pixel_pitch_bytes, c.dilation_columns);
  check_axis("input row_pitch", c.kernel_rows, c.input.row_pitch_bytes, c.dilation_rows);
  // Hardware compares the distances of a row's pixels as numbers of 32 bits.
  rules.within("stride_columns times input pixel_pitch", c.stride_columns * c.input.pixel_pitch_bytes, -INT32_MAX,
               INT32_MAX);
}

/// The lines of a matrix of weights do not overlap, so that the memory bounds the multiplications of a lane.
void check_weight_pitch(Rules& rules, const MacCommand& c) {
  if (c.weight_order == spec::WeightOrder::Tiles) return;
  const bool is_lane_major = c.weight_order == spec::WeightOrder::LaneMajor;
  const int64_t reduction = c.reduction_end - c.reduction_begin;
  const int64_t line_bytes = (is_lane_major ? reduction : c.out_channels) * base::stored_bytes(c.weight_type);
  if ((is_lane_major ? c.out_channels : reduction) == 1) return;
  rules.require(c.weight_pitch_bytes >= line_bytes, spec::FaultCode::LimitExceeded,
                "weight_pitch is {}, a line has {} bytes", c.weight_pitch_bytes, line_bytes);
}

void check_residual(Rules& rules, const MacCommand& c) {
  rules.supported(c.rescale, "a residual without rescale");
  rules.supported(c.output.type == ElementType::Int8 && c.addend.type == ElementType::Int8, "a residual of other than int8");
  rules.zero_point("residual_zero_point", c.residual_zero_point, c.output.type, c.output_is_unsigned);
  rules.within("addend_zero_point", c.addend_zero_point, -128, 255);
  rules.zero_point("sum_zero_point", c.sum_zero_point, c.output.type, c.output_is_unsigned);
  for (const spec::Scale* scale : {&c.own_scale, &c.addend_scale, &c.sum_scale}) {
    rules.within("residual multiplier", scale->multiplier, 0, spec::max_rescale_multiplier(true));
    rules.within("residual shift", scale->shift, spec::kMinRescaleShift, spec::kMaxRescaleShift);
  }
  rules.clamp("sum_clamp", c.sum_clamp_min, c.sum_clamp_max, c.output.type, c.output_is_unsigned);
}

void check_epilogue(Rules& rules, const MacCommand& c) {
  const ElementType type = c.output.type;
  if (c.residual) check_residual(rules, c);
  if (!c.rescale) {
    rules.supported(c.accumulator_is_48 || type == ElementType::Int32, "without rescale, output_type is not int32");
    rules.supported(!c.accumulator_is_48 || type == ElementType::Int48,
                    "without rescale, output_type of 48-bit accumulators is not int48");
    rules.supported(!c.table, "a table without rescale");
    rules.supported(!c.output_is_unsigned, "an unsigned output without rescale");
    return;
  }
  rules.supported(type == ElementType::Int8 || type == ElementType::Int16 || type == ElementType::Int32,
                  "output_type is none of int8, int16, int32");
  rules.supported(!c.output_is_unsigned || type != ElementType::Int32, "an unsigned int32 output");
  rules.supported(c.scale32 || c.rounding != spec::Rounding::Double, "double rounding with a 16-bit multiplier");
  rules.supported(!c.table || type == ElementType::Int8, "a table on other than int8");
  if (rules.broken()) return;
  rules.zero_point("output_zero_point", c.output_zero_point, type, c.output_is_unsigned);
  rules.clamp("clamp", c.clamp_min, c.clamp_max, type, c.output_is_unsigned);
  rules.within("table_slot", c.table_slot, 0, spec::kNumTableSlots - 1);
}

}  // namespace

void check_mac(Rules& rules, const MacCommand& c, const spec::Datapath& datapath) {
  check_counts(rules, c);
  check_modes(rules, c);
  rules.within("lane_split_log2", c.lane_split_log2, 0, spec::kMaxLaneSplitLog2);
  rules.within("row_tile_rows", c.row_tile_rows, 1, spec::kAccumulatorRows);
  if (rules.broken()) return;
  check_reduction(rules, c, datapath);
  check_taps(rules, c, datapath);
  check_weight_pitch(rules, c);
  rules.zero_point("input_zero_point", c.input_zero_point, c.input.type, c.input_is_unsigned);
  rules.zero_point("weight_zero_point", c.weight_zero_point, c.weight_type, false);
  if (c.last) check_epilogue(rules, c);
}

}  // namespace vernier::package::detail
