// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/mac_epilogue.hpp"

#include "compiler/cost/mac_choice.hpp"
#include "compiler/passes/computed_weights.hpp"
#include "compiler/passes/pack_weights.hpp"

#include <algorithm>

namespace vernier::passes {

using base::ElementType;

void set_numbers(const Lowering& lowering, const MacChain& chain, size_t zero_points, spec::MacCommand& command) {
  const ir::Operator& op = lowering.op(chain.ops[0]);
  if (zero_points < op.inputs.size()) {
    command.input_zero_point = lowering.scalar_operand(op, zero_points, "input zero point");
    command.weight_zero_point = lowering.scalar_operand(op, zero_points + 1, "second zero point");
  }
  command.accumulator_is_48 = lowering.type(op.outputs[0]) == ElementType::Int48;
  command.scale32 = !command.accumulator_is_48;
  if (chain.rescale < 0) return;
  const ir::Operator& rescale = lowering.op(chain.rescale);
  const auto& attributes = rescale.attributes_as<ir::RescaleAttributes>();
  command.rescale = true;
  command.scale32 = attributes.scale32;
  command.rounding = chain.rounds_to_even ? spec::Rounding::HalfEven : attributes.rounding;
  command.output_is_unsigned = attributes.output_unsigned;
  command.output_zero_point = lowering.scalar_operand(rescale, 4, "output zero point");
  if (attributes.output_unsigned) {
    const int bits = base::info(lowering.type(rescale.outputs[0])).bits;
    command.output_zero_point = base::floor_mod(command.output_zero_point, int64_t{1} << bits);
  }
  command.clamp_min = chain.clamp_min;
  command.clamp_max = chain.clamp_max;
  command.table = chain.table >= 0;
  if (!chain.residual) return;
  command.residual = true;
  command.residual_zero_point = chain.residual->own_zero_point;
  command.addend_zero_point = chain.residual->addend_zero_point;
  command.sum_zero_point = chain.residual->sum_zero_point;
  command.own_scale = chain.residual->own_scale;
  command.addend_scale = chain.residual->addend_scale;
  command.sum_scale = chain.residual->sum_scale;
  command.sum_clamp_min = chain.sum_clamp_min;
  command.sum_clamp_max = chain.sum_clamp_max;
}

void set_weight_type(const Lowering& lowering, const ir::Operator& op, spec::MacCommand& command) {
  const ir::TensorId weights = op.inputs[1];
  const bool is_constant = lowering.value(weights) != nullptr;
  command.weight_type = weight_type_of(lowering.type(weights), is_constant);
  const ElementType other = is_constant ? ElementType::Int4 : ElementType::Int16;
  VERNIER_CHECK(command.weight_type == ElementType::Int8 || command.weight_type == other, "{} with weights of {}",
                lowering.describe(op), base::to_string(lowering.type(weights)));
}

void check_limits(const Lowering& lowering, const ir::Operator& op, const spec::MacCommand& c) {
  constexpr int64_t kMaxOutChannels = (1 << 16) - 1, kMaxChannels = (1 << 20) - 1, kMaxKernel = (1 << 14) - 1;
  const bool is_inside = std::max({c.in_rows, c.in_columns, c.out_rows, c.out_columns}) <= cost::kMostPositions &&
                         c.out_channels <= kMaxOutChannels && c.in_channels <= kMaxChannels &&
                         std::max({c.kernel_rows, c.kernel_columns, c.stride_rows, c.stride_columns, c.dilation_rows,
                                   c.dilation_columns}) <= kMaxKernel;
  if (is_inside) return;
  throw base::UserError(lowering.file,
                        "{} from {} to {} is larger than the MAC array takes: rows and columns under one kernel and output "
                        "channels to {}, input "
                        "channels to {}, kernel, stride and dilation to {}",
                        lowering.describe(op), base::to_string(lowering.shape(op.inputs[0])),
                        base::to_string(lowering.shape(op.outputs[0])), kMaxOutChannels, kMaxChannels, kMaxKernel);
}

void choose_lane_split(const Lowering& lowering, spec::MacCommand& command, std::vector<cost::Alternatives>& choices) {
  cost::Alternatives told("lane split, pixels x channels");
  command = cost::with_best_lane_split(command, lowering.config, &told);
  choices.push_back(std::move(told));
}

Production production_of(const cost::OutputPhase& phase, ir::TensorId result, int64_t image) {
  const spec::MacCommand& c = phase.command;
  Production production{
      result, {image, phase.first_row, phase.first_column, 0}, {1, c.out_rows, c.out_columns, c.out_channels}, 1, 3};
  if (phase.row_step > 1 || phase.column_step > 1) production.step = {1, phase.row_step, phase.column_step, 1};
  return production;
}

BufferId add_parameters(Lowering& lowering, const MacChain& chain, const spec::MacCommand& command, ir::TensorId bias) {
  const ir::Operator& op = lowering.op(chain.ops[0]);
  const ir::Operator* rescale = chain.rescale >= 0 ? &lowering.op(chain.rescale) : nullptr;
  const base::Tensor* multiplier = rescale != nullptr ? lowering.value(rescale->inputs[1]) : nullptr;
  const base::Tensor* shift = rescale != nullptr ? lowering.value(rescale->inputs[2]) : nullptr;
  const base::Tensor* constant_bias = bias >= 0 ? lowering.value(bias) : nullptr;
  std::vector<ChannelParameters> channels(static_cast<size_t>(command.out_channels));
  for (size_t i = 0; i < channels.size(); ++i) {
    const auto at = [&](const base::Tensor& t) { return t.at(static_cast<int64_t>(i) % t.size()); };
    channels[i].bias = constant_bias != nullptr ? at(*constant_bias) : 0;
    if (rescale == nullptr) continue;
    channels[i].multiplier = at(*multiplier);
    channels[i].shift = at(*shift);
    if (!chain.down) continue;
    channels[i].bias += chain.down->biases[i % chain.down->biases.size()];
    channels[i].shift = chain.down->shifts[i % chain.down->shifts.size()];
  }
  if (bias >= 0 && constant_bias == nullptr) {
    return add_computed_parameters(lowering, channels, command.scale32, bias, {chain.ops[0]});
  }
  return add_constants(lowering, BufferKind::Parameters, bias >= 0 ? bias : op.outputs[0],
                       pack_parameters(channels, command.scale32));
}

BufferId add_constants(Lowering& lowering, BufferKind kind, ir::TensorId source, std::vector<std::byte> contents) {
  const auto size_bytes = static_cast<int64_t>(contents.size());
  return lowering.add_buffer(
      {.name = lowering.graph.tensor(source).name, .kind = kind, .size_bytes = size_bytes, .contents = std::move(contents)});
}

}  // namespace vernier::passes
