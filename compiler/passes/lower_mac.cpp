// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_mac.hpp"

#include "compiler/passes/pack_weights.hpp"
#include "compiler/passes/placements.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

using base::ElementType;
using spec::MacCommand;
using spec::MacMode;

class MacLowering {
 public:
  MacLowering(Lowering& lowering, const MacChain& chain)
      : lowering_(lowering),
        chain_(chain),
        op_(lowering.op(chain.ops[0])),
        in_(lowering.shape(op_.inputs[0])),
        out_(lowering.shape(op_.outputs[0])),
        weights_(lowering.constant_operand(op_, 1, "weight")) {}

  void run(const package::Placement& result) {
    set_geometry();
    set_numbers();
    check_limits();
    const TensorPlace& input = lowering_.view(op_.inputs[0]);
    command_.input = feature_map(input.placement, in_, lowering_.type(op_.inputs[0]), 0, lowering_.lanes());
    const TensorPlace& output = lowering_.materialise(chain_.result, result);
    // Reshaped, the result is dense: the same bytes in the shape of the convolution.
    const ElementType type = lowering_.type(chain_.result);
    const package::Placement placement = chain_.is_reshaped ? dense_placement(out_, type) : output.placement;
    choose_lane_split();
    Step step;
    step.operands = {{AddressField::Input, 0, input.buffer}, {AddressField::Output, 0, output.buffer}};
    add_constants(step);
    if (chain_.table >= 0) step.tables = {lowering_.table_buffer(chain_.table)};
    step.ops = chain_.ops;
    for (int64_t image = 0; image < out_[0]; ++image) {
      command_.input = feature_map(input.placement, in_, lowering_.type(op_.inputs[0]), image, lowering_.lanes());
      command_.output = feature_map(placement, out_, type, image, lowering_.lanes());
      step.command = {{spec::Queue::MacArray, 0, 0}, command_};
      set_production(step, image);
      lowering_.add_step(step);
    }
  }

 private:
  void set_geometry() {
    const auto& conv = op_.attributes_as<ir::ConvAttributes>();
    is_depthwise_ = op_.kind == ir::OpKind::DepthwiseConv2d;
    const base::Shape& w = weights_.shape();
    command_.mode = is_depthwise_ && in_[3] > 1 ? MacMode::Depthwise : MacMode::Conv;
    command_.in_rows = in_[1];
    command_.in_columns = in_[2];
    command_.in_channels = in_[3];
    command_.kernel_rows = is_depthwise_ ? w[0] : w[1];
    command_.kernel_columns = is_depthwise_ ? w[1] : w[2];
    if (command_.mode == MacMode::Depthwise) command_.depth_multiplier = w[3];
    command_.stride_rows = conv.stride[0];
    command_.stride_columns = conv.stride[1];
    command_.dilation_rows = conv.dilation[0];
    command_.dilation_columns = conv.dilation[1];
    command_.origin_row = -conv.pad[0];
    command_.origin_column = -conv.pad[2];
    command_.out_rows = out_[1];
    command_.out_columns = out_[2];
    command_.out_channels = out_[3];
    command_.reduction_end = command_.kernel_rows * command_.kernel_columns;
    if (command_.mode == MacMode::Conv) command_.reduction_end *= in_[3];
  }

  void set_numbers() {
    command_.input_zero_point = lowering_.scalar_operand(op_, 3, "input zero point");
    command_.weight_zero_point = lowering_.scalar_operand(op_, 4, "weight zero point");
    if (lowering_.type(op_.inputs[0]) != ElementType::Int8 || weights_.type() != ElementType::Int8) {
      throw base::UserError(lowering_.file, "{} of {} by {} is not there yet, allowed is int8 by int8",
                            lowering_.describe(op_), base::to_string(lowering_.type(op_.inputs[0])),
                            base::to_string(weights_.type()));
    }
    if (chain_.rescale < 0) return;
    const ir::Operator& rescale = lowering_.op(chain_.rescale);
    const auto& attributes = rescale.attributes_as<ir::RescaleAttributes>();
    command_.rescale = true;
    command_.scale32 = attributes.scale32;
    command_.rounding = attributes.rounding;
    command_.output_is_unsigned = attributes.output_unsigned;
    command_.output_zero_point = lowering_.scalar_operand(rescale, 4, "output zero point");
    if (attributes.output_unsigned) {
      const int bits = base::info(lowering_.type(rescale.outputs[0])).bits;
      command_.output_zero_point = base::floor_mod(command_.output_zero_point, int64_t{1} << bits);
    }
    command_.clamp_min = chain_.clamp_min;
    command_.clamp_max = chain_.clamp_max;
    command_.table = chain_.table >= 0;
  }

  /// The command's fields are narrower than TOSA's dimensions.
  void check_limits() const {
    constexpr int64_t kMaxExtent = (1 << 16) - 1, kMaxChannels = (1 << 20) - 1, kMaxKernel = (1 << 14) - 1;
    const bool is_inside =
        std::max({in_[1], in_[2], out_[1], out_[2], out_[3]}) <= kMaxExtent && in_[3] <= kMaxChannels &&
        std::max({command_.kernel_rows, command_.kernel_columns, command_.stride_rows, command_.stride_columns,
                  command_.dilation_rows, command_.dilation_columns}) <= kMaxKernel &&
        command_.depth_multiplier < (1 << 12);
    if (is_inside) return;
    throw base::UserError(
        lowering_.file,
        "{} from {} to {} is larger than the MAC array takes: rows, columns and output channels to {}, input "
        "channels to {}, kernel, stride and dilation to {}, depth multiplier to 4095",
        lowering_.describe(op_), base::to_string(in_), base::to_string(out_), kMaxExtent, kMaxChannels, kMaxKernel);
  }

  /// Few output channels: neighbouring pixels use the lanes that would idle. Four pixels only where what they read of a step
  /// lies in the two segments that the array loads a cycle (hw/spec: kActivationSegments).
  void choose_lane_split() {
    const int64_t lanes = lowering_.lanes();
    const auto fits = [&](int64_t split) {
      return command_.out_channels <= lanes >> split && base::ceil_div(command_.out_columns, int64_t{1} << split) <
                                                            base::ceil_div(command_.out_columns, int64_t{1} << (split - 1));
    };
    const int64_t step_bytes = command_.stride_columns * command_.input.pixel_pitch_bytes;
    const bool are_four_in_reach =
        command_.mode == MacMode::Conv && 3 * step_bytes + lanes <= spec::kActivationSegments * lanes;
    command_.lane_split_log2 = !fits(1) ? 0 : fits(2) && are_four_in_reach ? 2 : 1;
  }

  void add_constants(Step& step) {
    const int64_t tile_lanes = lowering_.lanes() >> command_.lane_split_log2;
    add_constant(step, AddressField::Weights, BufferKind::Weights, op_.inputs[1],
                 pack_weights(weights_, is_depthwise_, command_.mode, lowering_.lanes(), tile_lanes));
    const base::Tensor& bias = lowering_.constant_operand(op_, 2, "bias");
    std::vector<ChannelParameters> channels(static_cast<size_t>(command_.out_channels));
    const ir::Operator* rescale = chain_.rescale >= 0 ? &lowering_.op(chain_.rescale) : nullptr;
    const base::Tensor* multiplier = rescale != nullptr ? lowering_.value(rescale->inputs[1]) : nullptr;
    const base::Tensor* shift = rescale != nullptr ? lowering_.value(rescale->inputs[2]) : nullptr;
    for (size_t i = 0; i < channels.size(); ++i) {
      const auto at = [&](const base::Tensor& t) { return t.at(t.size() == 1 ? 0 : static_cast<int64_t>(i)); };
      channels[i].bias = at(bias);
      if (rescale == nullptr) continue;
      channels[i].multiplier = at(*multiplier);
      channels[i].shift = at(*shift);
    }
    add_constant(step, AddressField::Parameters, BufferKind::Parameters, op_.inputs[2],
                 pack_parameters(channels, command_.scale32));
  }

  void add_constant(Step& step, AddressField field, BufferKind kind, ir::TensorId source, std::vector<std::byte> contents) {
    const auto size_bytes = static_cast<int64_t>(contents.size());
    step.operands.push_back({field, 0,
                             lowering_.add_buffer({.name = lowering_.graph.tensor(source).name,
                                                   .kind = kind,
                                                   .size_bytes = size_bytes,
                                                   .contents = std::move(contents)})});
  }

  void set_production(Step& step, int64_t image) const {
    Production production = lowering_.whole(chain_.result, 1, 3);
    if (chain_.is_reshaped) {
      const base::Shape& shape = lowering_.shape(chain_.result);
      production.row_dim = row_dim_of(shape, out_[1], out_[2]);
      production.channel_dim = static_cast<int32_t>(shape.size()) - 1;
      step.can_split_rows = production.row_dim >= 0;
    } else {
      production.begin[0] = image;
      production.extent[0] = 1;
    }
    step.productions = {production};
  }

  Lowering& lowering_;
  const MacChain& chain_;
  const ir::Operator& op_;
  const base::Shape& in_;
  const base::Shape& out_;
  const base::Tensor& weights_;
  bool is_depthwise_ = false;
  MacCommand command_;
};

}  // namespace

void lower_mac(Lowering& lowering, const MacChain& chain, const package::Placement& result) {
  MacLowering(lowering, chain).run(result);
}

}  // namespace vernier::passes
