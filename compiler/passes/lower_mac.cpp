// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_mac.hpp"

#include "compiler/passes/computed_weights.hpp"
#include "compiler/passes/input_copy_steps.hpp"
#include "compiler/passes/mac_epilogue.hpp"
#include "compiler/passes/placements.hpp"

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
        padding_(lowering.padding(op_.inputs[0])),
        in_(lowering.shape(padding_.inner)),
        out_(lowering.shape(op_.outputs[0])),
        merges_images_(merges_images(lowering, op_)) {}

  void run(const package::Placement& result) {
    set_geometry();
    set_numbers(lowering_, chain_, 3, command_);
    check_types();
    check_limits(lowering_, op_, command_);
    const TensorPlace& input = lowering_.view(padding_.inner);
    const TensorPlace& output = lowering_.materialise(chain_.result, result);
    // Reshaped, the result is dense: the same bytes in the shape of the convolution.
    const package::Placement placement =
        chain_.is_reshaped ? dense_placement(out_, lowering_.type(chain_.result)) : output.placement;
    const package::Placement addend = addend_placement();
    set_maps(input.placement, placement, addend, 0);
    Step step;
    choose_lane_split(lowering_, command_, step.choices);
    set_production(step, 0);
    const bool has_constant_weights = lowering_.value(op_.inputs[1]) != nullptr;
    const auto copy = has_constant_weights ? choose_input_copy(lowering_, command_, step.productions[0]) : std::nullopt;
    if (copy) command_.lane_split_log2 = copy->command.lane_split_log2;
    step.operands = {{AddressField::Input, 0, input.buffer}, {AddressField::Output, 0, output.buffer}};
    add_operands(step);
    if (chain_.table >= 0) step.tables = {lowering_.table_buffer(lowering_.add_table(chain_.table))};
    step.ops = chain_.ops;
    if (chain_.residual) {
      step.operands.push_back({AddressField::Addend, 0, lowering_.view(chain_.residual->addend).buffer});
    }
    for (int64_t image = 0; image < (merges_images_ ? 1 : out_[0]); ++image) {
      set_maps(input.placement, placement, addend, image);
      step.command = {{spec::Queue::MacArray, 0, 0}, command_};
      set_production(step, image);
      if (copy) {
        add_with_input_copy(lowering_, step, *copy, op_.inputs[0]);
      } else {
        lowering_.add_step(step);
      }
    }
  }

 private:
  void set_geometry() {
    const auto& conv = op_.attributes_as<ir::ConvAttributes>();
    is_depthwise_ = op_.kind == ir::OpKind::DepthwiseConv2d;
    const base::Shape& w = lowering_.shape(op_.inputs[1]);
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
    command_.origin_row = -conv.pad[0] - padding_.rows_before;
    command_.origin_column = -conv.pad[2] - padding_.columns_before;
    command_.out_rows = out_[1];
    command_.out_columns = out_[2];
    command_.out_channels = out_[3];
    if (merges_images_) {
      command_.stride_rows = 1;
      command_.in_rows = command_.out_rows = out_[0];
    }
    command_.reduction_end = command_.kernel_rows * command_.kernel_columns;
    if (command_.mode == MacMode::Conv) command_.reduction_end *= in_[3];
  }

  [[nodiscard]] spec::FeatureMap map_of(const package::Placement& placement, const base::Shape& shape, ElementType type,
                                        int64_t image) const {
    spec::FeatureMap map = feature_map(placement, shape, type, image, lowering_.lanes());
    if (merges_images_) map.row_pitch_bytes = placement.strides_bytes[0];
    return map;
  }

  void check_types() const {
    const ElementType type = lowering_.type(op_.inputs[0]), weights = lowering_.type(op_.inputs[1]);
    if ((type == ElementType::Int8 || type == ElementType::Int16) && weights == ElementType::Int8) return;
    throw base::UserError(lowering_.file, "{} of {} by {} is not there yet, allowed are int8 or int16 by int8",
                          lowering_.describe(op_), base::to_string(type), base::to_string(weights));
  }

  /// Where the other side of a residual lies, in the shape of the convolution.
  package::Placement addend_placement() {
    if (!chain_.residual) return {};
    const ir::TensorId id = chain_.residual->addend;
    return renamed_placement(lowering_.view(id).placement, lowering_.shape(id), out_, ElementType::Int8);
  }

  void set_maps(const package::Placement& input, const package::Placement& output, const package::Placement& addend,
                int64_t image) {
    command_.input = map_of(input, in_, lowering_.type(op_.inputs[0]), image);
    command_.output = map_of(output, out_, lowering_.type(chain_.result), image);
    if (chain_.residual) command_.addend = map_of(addend, out_, ElementType::Int8, image);
  }

  void add_operands(Step& step) {
    step.operands.push_back({AddressField::Weights, 0, add_weights()});
    step.operands.push_back({AddressField::Parameters, 0, add_parameters(lowering_, chain_, command_, op_.inputs[2])});
  }

  BufferId add_weights() {
    if (const base::Tensor* weights = lowering_.value(op_.inputs[1])) {
      const int64_t tile_lanes = lowering_.lanes() >> command_.lane_split_log2;
      return add_constants(lowering_, BufferKind::Weights, op_.inputs[1],
                           pack_weights(*weights, is_depthwise_, command_.mode, lowering_.lanes(), tile_lanes));
    }
    // Depthwise, also of one channel: a line of output channels for each tap.
    const Lines lines = as_lines(lowering_, op_.inputs[1], is_depthwise_ ? 2 : 1, {chain_.ops[0]});
    use_lines(lines, is_depthwise_ ? spec::WeightOrder::TapMajor : spec::WeightOrder::LaneMajor, command_);
    return lines.buffer;
  }

  void set_production(Step& step, int64_t image) const {
    Production production{chain_.result, {image, 0, 0, 0}, {1, out_[1], out_[2], out_[3]}, 1, 3};
    if (merges_images_) {
      production.extent[0] = out_[0];
      production.row_dim = 0;
    }
    if (chain_.is_reshaped) {
      const base::Shape& shape = lowering_.shape(chain_.result);
      if (out_[0] == 1 || merges_images_) {  // all of the result, in one command
        production = lowering_.whole(chain_.result, row_dim_of(shape, command_.out_rows, command_.out_columns),
                                     static_cast<int32_t>(shape.size()) - 1);
      } else {
        production = renamed(production, out_, shape);
      }
      step.can_split_rows = production.row_dim >= 0;
    }
    step.productions = {production};
  }

  Lowering& lowering_;
  const MacChain& chain_;
  const ir::Operator& op_;
  const Lowering::Padding padding_;  // of a PAD in front
  const base::Shape& in_;            // within it
  const base::Shape& out_;
  const bool merges_images_;  // pixels of a batch are rows
  bool is_depthwise_ = false;
  MacCommand command_;
};

}  // namespace

void lower_mac(Lowering& lowering, const MacChain& chain, const package::Placement& result) {
  MacLowering(lowering, chain).run(result);
}

}  // namespace vernier::passes
