// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_mac.hpp"

#include "compiler/passes/computed_weights.hpp"
#include "compiler/passes/expand_channels.hpp"
#include "compiler/passes/input_copy_steps.hpp"
#include "compiler/passes/mac_epilogue.hpp"
#include "compiler/passes/pack_weights.hpp"
#include "compiler/passes/placements.hpp"

#include <map>
#include <optional>
#include <vector>

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
    const TensorPlace input = input_place();
    const TensorPlace& output = lowering_.materialise(chain_.result, result);
    // Reshaped, the result is dense: the same bytes in the shape of the convolution.
    const package::Placement placement =
        chain_.is_reshaped ? dense_placement(out_, lowering_.type(chain_.result)) : output.placement;
    const package::Placement addend = addend_placement();
    set_maps(input.placement, placement, addend, 0);
    Step step;
    step.operands = {{AddressField::Input, 0, input.buffer}, {AddressField::Output, 0, output.buffer}};
    step.operands.resize(kNumMapOperands + 2);  // constants: use_constants()
    step.ops = chain_.ops;
    if (chain_.residual) {
      step.operands.push_back({AddressField::Addend, 0, lowering_.view(chain_.residual->addend).buffer});
    }
    const cost::PhaseChoice choice = choose_phases(step.choices);
    for (int64_t image = 0; image < (merges_images_ ? 1 : out_[0]); ++image) {
      set_maps(input.placement, placement, addend, image);
      std::vector<cost::OutputPhase> phases;
      for (const cost::OutputPhase& phase : cost::phases_of(command_, choice.steps)) {
        for (const cost::OutputPhase& part : cost::in_countable_parts(phase)) phases.push_back(part);
      }
      for (size_t i = 0; i < phases.size(); ++i) {
        check_limits(lowering_, op_, phases[i].command);
        set_production(step, phases[i], image);
        if (image == 0) tunings_.push_back(tune(step, phases[i].command, choice.may_copy_inputs));
        add_phase(step, phases[i].command, tunings_[i]);
        step.choices.clear();  // told once
      }
    }
  }

 private:
  /// The input; of a depthwise convolution with a channel for each output channel.
  TensorPlace input_place() {
    if (command_.mode != MacMode::Depthwise || command_.in_channels == command_.out_channels)
      return lowering_.view(padding_.inner);
    in_[3] = command_.in_channels = command_.out_channels;
    const int64_t multiplier = lowering_.shape(op_.inputs[1])[3];
    return expand_channels(lowering_, padding_.inner, multiplier, command_.input_zero_point, {chain_.ops[0]});
  }

  void set_geometry() {
    const auto& conv = op_.attributes_as<ir::ConvAttributes>();
    is_depthwise_ = op_.kind == ir::OpKind::DepthwiseConv2d;
    const base::Shape& w = lowering_.shape(op_.inputs[1]);
    set_weight_type(lowering_, op_, command_);
    command_.mode = is_depthwise_ && in_[3] > 1 ? MacMode::Depthwise : MacMode::Conv;
    command_.in_rows = in_[1];
    command_.in_columns = in_[2];
    command_.in_channels = in_[3];
    command_.kernel_rows = is_depthwise_ ? w[0] : w[1];
    command_.kernel_columns = is_depthwise_ ? w[1] : w[2];
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
    const ElementType type = lowering_.type(op_.inputs[0]);
    VERNIER_CHECK(type == ElementType::Int8 || type == ElementType::Int16, "{} of {}", lowering_.describe(op_),
                  base::to_string(type));
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

  /// Where the DMA loads what a command reads, pixels that lie apart would cost it a burst each.
  [[nodiscard]] cost::PhaseChoice choose_phases(std::vector<cost::Alternatives>& choices) const {
    const bool may_have_phases = lowering_.is_optimizing() && command_.mode == MacMode::Depthwise && !chain_.is_reshaped &&
                                 lowering_.config.memory_mode != spec::MemoryMode::External;
    if (!may_have_phases) return {};
    cost::Alternatives told("dilated windows");
    const cost::PhaseChoice choice = cost::choose_phases(command_, lowering_.config, most_copy_bytes(lowering_), told);
    choices.push_back(std::move(told));
    return choice;
  }

  /// What is chosen for a phase of the first image, and holds for the others.
  struct Tuning {
    int64_t lane_split_log2 = 0;
    std::optional<cost::InputCopy> copy;
  };

  Tuning tune(Step& step, MacCommand command, bool may_copy_input) const {
    choose_lane_split(lowering_, command, step.choices);
    Tuning tuning{command.lane_split_log2, std::nullopt};
    if (!may_copy_input || lowering_.value(op_.inputs[1]) == nullptr) return tuning;
    tuning.copy = choose_input_copy(lowering_, command, step.productions[0]);
    if (tuning.copy) tuning.lane_split_log2 = tuning.copy->command.lane_split_log2;
    return tuning;
  }

  void add_phase(Step& step, MacCommand command, const Tuning& tuning) {
    command.lane_split_log2 = tuning.lane_split_log2;
    use_constants(step, command);
    step.command = {{spec::Queue::MacArray, 0, 0}, command};
    if (tuning.copy) {
      add_with_input_copy(lowering_, step, *tuning.copy, op_.inputs[0]);
    } else {
      lowering_.add_step(step);
    }
  }

  void use_constants(Step& step, MacCommand& command) {
    step.operands[kNumMapOperands] = {AddressField::Weights, 0, use_weights(command)};
    Operand& parameters = step.operands[kNumMapOperands + 1];
    if (parameters.buffer >= 0) return;
    parameters = {AddressField::Parameters, 0, add_parameters(lowering_, chain_, command_, op_.inputs[2])};
    if (chain_.table >= 0) step.tables = {lowering_.table_buffer(lowering_.add_table(chain_.table), chain_.ops)};
  }

  /// Packed for the command's lane split; commands with equal ones share them.
  BufferId use_weights(MacCommand& command) {
    if (const base::Tensor* weights = lowering_.value(op_.inputs[1])) {
      const auto [found, is_new] = weights_.try_emplace(command.lane_split_log2, -1);
      if (is_new) {
        const int64_t tile_lanes = lowering_.lanes() >> command.lane_split_log2;
        found->second = add_constants(lowering_, BufferKind::Weights, op_.inputs[1],
                                      pack_weights(*weights, is_depthwise_, command.mode, lowering_.lanes(), tile_lanes));
      }
      return found->second;
    }
    // Depthwise, also of one channel: a line of output channels for each tap.
    if (!lines_) lines_ = as_lines(lowering_, op_.inputs[1], is_depthwise_ ? 2 : 1, {chain_.ops[0]});
    use_lines(*lines_, is_depthwise_ ? spec::WeightOrder::TapMajor : spec::WeightOrder::LaneMajor, command);
    return lines_->buffer;
  }

  void set_production(Step& step, const cost::OutputPhase& phase, int64_t image) const {
    Production production = production_of(phase, chain_.result, image);
    if (merges_images_) {
      production.begin = {phase.first_row, 0, 0, 0};
      production.extent = {phase.command.out_rows, 1, 1, out_[3]};
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

  static constexpr size_t kNumMapOperands = 2;  // input and output: first of a step's operands

  Lowering& lowering_;
  const MacChain& chain_;
  const ir::Operator& op_;
  const Lowering::Padding padding_;  // of a PAD in front
  base::Shape in_;                   // within it; depthwise: with as many channels as the result
  const base::Shape& out_;
  const bool merges_images_;  // pixels of a batch are rows
  bool is_depthwise_ = false;
  MacCommand command_;
  std::vector<Tuning> tunings_;          // by phase
  std::map<int64_t, BufferId> weights_;  // by lane split
  std::optional<Lines> lines_;           // weights that are computed
};

}  // namespace

void lower_mac(Lowering& lowering, const MacChain& chain, const package::Placement& result) {
  MacLowering(lowering, chain).run(result);
}

}  // namespace vernier::passes
