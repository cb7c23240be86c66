// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_conv3d.hpp"

#include "compiler/passes/computed_weights.hpp"
#include "compiler/passes/mac_epilogue.hpp"
#include "compiler/passes/pack_weights.hpp"
#include "compiler/passes/placements.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

using base::ElementType;

/// Elements [row][column][channel] as the array reads them.
spec::FeatureMap plane_map(const CopySource& elements, ElementType type, int64_t lanes) {
  spec::FeatureMap map;
  map.type = type;
  map.base = elements.offset_bytes;
  map.row_pitch_bytes = elements.strides_bytes[0];
  map.pixel_pitch_bytes = elements.strides_bytes[1];
  map.block_pitch_bytes = lanes * base::stored_bytes(type);
  return map;
}

/// Rows, columns and channels of plane `plane` of image `image`.
CopySource plane_of(const CopySource& tensor, int64_t image, int64_t plane) {
  const auto& strides = tensor.strides_bytes;
  return {
      tensor.buffer, tensor.offset_bytes + image * strides[0] + plane * strides[1], {strides[2], strides[3], strides[4]}};
}

class Conv3dLowering {
 public:
  Conv3dLowering(Lowering& lowering, const MacChain& chain)
      : lowering_(lowering),
        chain_(chain),
        op_(lowering.op(chain.ops[0])),
        conv_(op_.attributes_as<ir::ConvAttributes>()),
        in_(lowering.shape(op_.inputs[0])),
        kernel_(lowering.shape(op_.inputs[1])),
        out_(lowering.shape(op_.outputs[0])),
        type_(lowering.type(op_.inputs[0])),
        input_(source_of(lowering.view(op_.inputs[0]), in_, type_)) {}

  void run(const package::Placement& placement) {
    const TensorPlace& place = lowering_.materialise(chain_.result, placement);
    const ElementType type = lowering_.type(chain_.result);
    const CopySource result = source_of(place, out_, type);
    set_command();
    command_.output = plane_map(plane_of(result, 0, 0), type, lowering_.lanes());
    Step step;
    spec::MacCommand first = cost::in_countable_parts({command_}).front().command;
    check_limits(lowering_, op_, first);
    choose_lane_split(lowering_, first, step.choices);
    command_.lane_split_log2 = first.lane_split_log2;
    step.operands = {{AddressField::Input, 0, -1},
                     {AddressField::Output, 0, place.buffer},
                     {AddressField::Weights, 0, add_weights()},
                     {AddressField::Parameters, 0, add_parameters(lowering_, chain_, command_, op_.inputs[2])}};
    if (chain_.table >= 0) step.tables = {lowering_.table_buffer(lowering_.add_table(chain_.table), chain_.ops)};
    step.ops = chain_.ops;
    for (int64_t image = 0; image < out_[0]; ++image) {
      for (int64_t plane = 0; plane < out_[1]; ++plane) {
        const CopySource from = input_planes(image, plane);
        step.operands[0].buffer = from.buffer;
        command_.input = plane_map(from, type_, lowering_.lanes());
        command_.output = plane_map(plane_of(result, image, plane), type, lowering_.lanes());
        for (const cost::OutputPhase& part : cost::in_countable_parts({command_})) {
          const spec::MacCommand& c = part.command;
          step.command = {{spec::Queue::MacArray, 0, 0}, c};
          step.productions = {{chain_.result,
                               {image, plane, part.first_row, part.first_column, 0},
                               {1, 1, c.out_rows, c.out_columns, out_[4]},
                               /*row_dim=*/2,
                               /*channel_dim=*/4}};
          lowering_.add_step(step);
        }
      }
    }
  }

 private:
  void set_command() {
    set_numbers(lowering_, chain_, 3, command_);
    set_weight_type(lowering_, op_, command_);
    command_.in_rows = in_[2];
    command_.in_columns = in_[3];
    command_.in_channels = kernel_[1] * in_[4];
    command_.kernel_rows = kernel_[2];
    command_.kernel_columns = kernel_[3];
    command_.stride_rows = conv_.stride[1];
    command_.stride_columns = conv_.stride[2];
    command_.dilation_rows = conv_.dilation[1];
    command_.dilation_columns = conv_.dilation[2];
    command_.origin_row = -conv_.pad[2];
    command_.origin_column = -conv_.pad[4];
    command_.out_rows = out_[2];
    command_.out_columns = out_[3];
    command_.out_channels = out_[4];
    command_.reduction_end = command_.kernel_rows * command_.kernel_columns * command_.in_channels;
    command_.input.type = type_;
    command_.input.pixel_pitch_bytes = command_.in_channels * base::stored_bytes(type_);
    command_.input.row_pitch_bytes = in_[3] * command_.input.pixel_pitch_bytes;
  }

  /// The planes that an output plane takes in, as one map.
  CopySource input_planes(int64_t image, int64_t out_plane) {
    const int64_t origin = out_plane * conv_.stride[0] - conv_.pad[0], step = conv_.dilation[0], taps = kernel_[1];
    const int64_t first = std::clamp<int64_t>(base::ceil_div(std::max<int64_t>(0, -origin), step), 0, taps);
    const int64_t end = std::clamp<int64_t>(base::floor_div(in_[1] - 1 - origin, step) + 1, first, taps);
    if (taps == 1 && end > first) return plane_of(input_, image, origin);
    const int64_t rows = in_[2], columns = in_[3], channels = in_[4];
    const CopySource stack = add_scratch(lowering_, op_.inputs[0], {rows, columns, taps, channels}, type_);
    const auto part = [&](int64_t tap) {
      CopySource target = stack;
      target.offset_bytes += tap * stack.strides_bytes[2];
      return target;
    };
    const auto fill = [&](int64_t from, int64_t to) {  // planes of padding
      if (from == to) return;
      add_strided_fill(lowering_, command_.input_zero_point, part(from), {rows, columns, to - from, channels}, type_,
                       {chain_.ops[0]});
    };
    fill(0, first);
    if (end > first) {
      CopySource planes = plane_of(input_, image, origin + first * step);
      planes.strides_bytes.insert(planes.strides_bytes.begin() + 2, step * input_.strides_bytes[1]);
      add_strided_copy(lowering_, planes, part(first), {rows, columns, end - first, channels}, type_, {chain_.ops[0]});
    }
    fill(end, taps);
    CopySource map = stack;
    map.strides_bytes.erase(map.strides_bytes.begin() + 2);
    return map;
  }

  /// [out][plane][row][column][channel] as [out][row][column][plane][channel], the channels of the stack.
  BufferId add_weights() {
    const ir::TensorId id = op_.inputs[1];
    const base::Shape order{kernel_[0], kernel_[2], kernel_[3], kernel_[1], kernel_[4]};
    if (const base::Tensor* weights = lowering_.value(id)) {
      base::Tensor stacked(weights->type(), {order[0], order[1], order[2], order[3] * order[4]});
      for (int64_t i = 0; i < stacked.size(); ++i) {
        const base::Shape at = base::coordinates_of(order, i);  // out, row, column, plane, channel
        const int64_t from = (((at[0] * kernel_[1] + at[3]) * kernel_[2] + at[1]) * kernel_[3] + at[2]) * kernel_[4] + at[4];
        stacked.set(i, weights->at(from));
      }
      const int64_t tile_lanes = lowering_.lanes() >> command_.lane_split_log2;
      return add_constants(lowering_, BufferKind::Weights, id,
                           pack_weights(stacked, false, spec::MacMode::Conv, lowering_.lanes(), tile_lanes));
    }
    CopySource from = source_of(lowering_.view(id), kernel_, command_.weight_type);
    const std::vector<int64_t> s = from.strides_bytes;
    from.strides_bytes = {s[0], s[2], s[3], s[1], s[4]};
    const Lines lines = as_lines(lowering_, id, from, order, 1, {chain_.ops[0]});
    use_lines(lines, spec::WeightOrder::LaneMajor, command_);
    return lines.buffer;
  }

  Lowering& lowering_;
  const MacChain& chain_;
  const ir::Operator& op_;
  const ir::ConvAttributes& conv_;
  const base::Shape& in_;
  const base::Shape& kernel_;
  const base::Shape& out_;
  const ElementType type_;
  const CopySource input_;
  spec::MacCommand command_;
};

}  // namespace

void lower_conv3d(Lowering& lowering, const MacChain& chain, const package::Placement& result) {
  Conv3dLowering(lowering, chain).run(result);
}

}  // namespace vernier::passes
