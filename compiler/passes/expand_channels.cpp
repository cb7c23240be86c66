// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/expand_channels.hpp"

#include "compiler/passes/mac_epilogue.hpp"
#include "compiler/passes/pack_weights.hpp"
#include "compiler/passes/placements.hpp"
#include "compiler/passes/strided_copy.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

using base::ElementType;
using spec::MacCommand;

/// Output channel o is input channel o / multiplier.
base::Tensor repeating_weights(int64_t channels, int64_t multiplier) {
  base::Tensor weights(ElementType::Int8, {channels * multiplier, 1, 1, channels});
  for (int64_t o = 0; o < channels * multiplier; ++o) weights.set(o * channels + o / multiplier, 1);
  return weights;
}

/// A rescale by 1, which is exact for all of the type; 16-bit multipliers where accumulators have 48 bits.
std::vector<ChannelParameters> unit_parameters(int64_t channels, bool scale32) {
  const int64_t shift = scale32 ? 30 : 14;
  return {static_cast<size_t>(channels), {.bias = 0, .multiplier = int64_t{1} << shift, .shift = shift}};
}

MacCommand copying_command(const base::Shape& in, ElementType type, int64_t zero_point) {
  MacCommand command;
  command.mode = spec::MacMode::Conv;
  command.in_rows = command.out_rows = in[1];
  command.in_columns = command.out_columns = in[2];
  command.accumulator_is_48 = type == ElementType::Int16;
  command.scale32 = !command.accumulator_is_48;
  command.rescale = true;
  command.rounding = spec::Rounding::Single;
  command.input_zero_point = command.output_zero_point = zero_point;
  command.clamp_min = type == ElementType::Int16 ? -32768 : -128;
  command.clamp_max = -command.clamp_min - 1;
  return command;
}

}  // namespace

TensorPlace expand_channels(Lowering& lowering, ir::TensorId input, int64_t multiplier, int64_t zero_point,
                            const std::vector<ir::OpId>& ops) {
  const base::Shape& in = lowering.shape(input);
  const ElementType type = lowering.type(input);
  const base::Shape out{in[0], in[1], in[2], in[3] * multiplier};
  const TensorPlace source = lowering.view(input);
  const TensorPlace result{add_scratch(lowering, input, out, type).buffer, dense_placement(out, type)};
  const int64_t lanes = lowering.lanes();
  MacCommand command = copying_command(in, type, zero_point);
  Step step;
  step.ops = ops;
  for (int64_t first = 0; first < in[3]; first += lanes) {
    const int64_t channels = std::min(lanes, in[3] - first);
    const auto set_maps = [&](int64_t image) {
      command.input = feature_map(source.placement, in, type, image, lanes);
      command.output = feature_map(result.placement, out, type, image, lanes);
      command.input.base += first / lanes * command.input.block_pitch_bytes;
      command.output.base += first * multiplier / lanes * command.output.block_pitch_bytes;
    };
    if (channels != command.in_channels || first == 0) {  // all blocks but the last share what they multiply by
      command.in_channels = command.reduction_end = channels;
      command.out_channels = channels * multiplier;
      set_maps(0);
      choose_lane_split(lowering, command, step.choices);
      const base::Tensor weights = repeating_weights(channels, multiplier);
      step.operands = {
          {AddressField::Input, 0, source.buffer},
          {AddressField::Output, 0, result.buffer},
          {AddressField::Weights, 0,
           add_constants(
               lowering, BufferKind::Weights, input,
               pack_weights(weights, /*is_depthwise=*/false, command.mode, lanes, lanes >> command.lane_split_log2))},
          {AddressField::Parameters, 0,
           add_constants(lowering, BufferKind::Parameters, input,
                         pack_parameters(unit_parameters(command.out_channels, command.scale32), command.scale32))}};
    }
    for (int64_t image = 0; image < in[0]; ++image) {
      set_maps(image);
      step.command = {{spec::Queue::MacArray, 0, 0}, command};
      lowering.add_step(step);
      step.choices.clear();  // told once
    }
  }
  return result;
}

}  // namespace vernier::passes
