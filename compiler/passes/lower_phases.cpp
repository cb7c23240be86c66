// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_phases.hpp"

#include "compiler/passes/computed_weights.hpp"
#include "compiler/passes/mac_epilogue.hpp"
#include "compiler/passes/pack_weights.hpp"
#include "compiler/passes/placements.hpp"
#include "compiler/passes/resize_axis.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

namespace vernier::passes {
namespace {

using base::ElementType;

/// Index of a tap that no kernel element belongs to.
constexpr int64_t kNoTap = -1;

/// The phases of one axis of a TRANSPOSE_CONV2D; `weights` are indices into the kernel. Output o takes in input i times
/// kernel element k where o = i * stride + pad + k: outputs of one phase share the k, and go backwards through them.
std::vector<AxisPhase> transposed_phases(int64_t outputs, int64_t kernel, int64_t stride, int64_t pad) {
  std::vector<AxisPhase> phases;
  for (int64_t first = 0; first < std::min(stride, outputs); ++first) {
    AxisPhase phase;
    phase.out_begin = first;
    phase.out_step = stride;
    phase.out_count = base::ceil_div(outputs - first, stride);
    const int64_t nearest = base::floor_mod(first - pad, stride);
    for (int64_t k = nearest; k < kernel; k += stride) phase.weights.insert(phase.weights.begin(), k);
    phase.in_begin = base::floor_div(first - pad, stride) - (static_cast<int64_t>(phase.weights.size()) - 1);
    if (phase.weights.empty()) {
      phase.in_begin = 0;
      phase.weights = {kNoTap};
    }
    phases.push_back(std::move(phase));
  }
  return phases;
}

/// Columns of a phase, or of several phases side by side: these are further output channels of one command, whose window
/// has all taps of any of them.
struct Columns {
  AxisPhase phase;
  std::vector<std::vector<int64_t>> taps;  // of each phase, kNoTap where it has none
};

/// All phases of a stride in one.
Columns merged(const std::vector<AxisPhase>& phases) {
  Columns all{phases[0], {}};
  int64_t end = all.phase.in_begin;
  for (const AxisPhase& phase : phases) {
    all.phase.in_begin = std::min(all.phase.in_begin, phase.in_begin);
    end = std::max(end, phase.in_begin + static_cast<int64_t>(phase.weights.size()));
  }
  all.phase.weights.assign(static_cast<size_t>(end - all.phase.in_begin), kNoTap);
  for (const AxisPhase& phase : phases) {
    all.taps.push_back(all.phase.weights);
    std::copy(phase.weights.begin(), phase.weights.end(), all.taps.back().begin() + (phase.in_begin - all.phase.in_begin));
  }
  return all;
}

class PhaseLowering {
 public:
  PhaseLowering(Lowering& lowering, const MacChain& chain)
      : lowering_(lowering),
        chain_(chain),
        op_(lowering.op(chain.ops[0])),
        in_(lowering.shape(op_.inputs[0])),
        out_(lowering.shape(op_.outputs[0])),
        is_resize_(op_.kind == ir::OpKind::Resize) {}

  void run(const package::Placement& result) {
    set_command();
    const TensorPlace& input = lowering_.view(op_.inputs[0]);
    const TensorPlace& output = lowering_.materialise(chain_.result, result);
    step_.operands = {{AddressField::Input, 0, input.buffer},
                      {AddressField::Output, 0, output.buffer},
                      {AddressField::Parameters, 0, -1},
                      {AddressField::Weights, 0, -1}};
    if (chain_.table >= 0) step_.tables = {lowering_.table_buffer(lowering_.add_table(chain_.table), chain_.ops)};
    step_.ops = chain_.ops;
    const auto from = [&](int64_t image) {
      return feature_map(input.placement, in_, lowering_.type(op_.inputs[0]), image, lowering_.lanes());
    };
    const auto to = [&](int64_t image) {
      return feature_map(output.placement, out_, lowering_.type(chain_.result), image, lowering_.lanes());
    };
    const std::vector<AxisPhase> rows = phases(0);
    const std::vector<Columns> columns = choose_columns(rows, from(0), to(0));
    command_.out_channels = out_[3] * static_cast<int64_t>(columns[0].taps.size());
    step_.operands[2].buffer = add_parameters(lowering_, chain_, command_, bias());
    for (int64_t image = 0; image < out_[0]; ++image) {
      for (const AxisPhase& row : rows) {
        for (const Columns& column : columns) {
          const cost::OutputPhase phase = phase_of(from(image), to(image), row, column);
          for (const cost::OutputPhase& part : cost::in_countable_parts(phase)) add_phase(part, image, row, column);
        }
      }
    }
  }

 private:
  void set_command() {
    set_numbers(lowering_, chain_, is_resize_ ? op_.inputs.size() : 3, command_);
    command_.mode = is_resize_ && in_[3] > 1 ? spec::MacMode::Depthwise : spec::MacMode::Conv;
    command_.in_channels = in_[3];
    command_.out_channels = out_[3];
    if (!is_resize_) set_weight_type(lowering_, op_, command_);
  }

  [[nodiscard]] std::vector<AxisPhase> phases(size_t axis) const {
    if (is_resize_) return resize_phases(lowering_, op_, axis, false);
    const auto& attributes = op_.attributes_as<ir::TransposeConvAttributes>();
    return transposed_phases(out_[1 + axis], lowering_.shape(op_.inputs[1])[1 + axis], attributes.stride[axis],
                             attributes.out_pad[2 * axis]);
  }

  [[nodiscard]] ir::TensorId bias() const { return is_resize_ ? -1 : op_.inputs[2]; }

  /// One command for all columns, or one for each phase of them.
  std::vector<Columns> choose_columns(const std::vector<AxisPhase>& rows, const spec::FeatureMap& input,
                                      const spec::FeatureMap& map) {
    const std::vector<AxisPhase> columns = phases(1);
    std::vector<Columns> apart;
    for (const AxisPhase& column : columns) apart.push_back({column, {column.weights}});
    const bool is_dense = map.pixel_pitch_bytes == out_[3] * base::stored_bytes(map.type) &&
                          map.block_pitch_bytes == lowering_.lanes() * base::stored_bytes(map.type);
    constexpr int64_t kMostChannels = 256;  // more fill the lanes by themselves
    const bool can_merge = lowering_.is_optimizing() && !is_resize_ && columns.size() > 1 && is_dense &&
                           out_[3] * static_cast<int64_t>(columns.size()) <= kMostChannels &&
                           columns.front().out_count == columns.back().out_count &&
                           std::max(in_[2], out_[2]) <= cost::kMostPositions && lowering_.value(op_.inputs[1]) != nullptr &&
                           lowering_.value(bias()) != nullptr;
    if (!can_merge) return apart;
    std::vector<Columns> together{merged(columns)};
    cost::Alternatives told("phases of columns");
    for (const std::vector<Columns>* way : {&apart, &together}) {
      std::vector<cost::OutputPhase> made;
      for (const AxisPhase& row : rows) {
        for (const Columns& column : *way) made.push_back(phase_of(input, map, row, column));
      }
      told.add(way == &apart ? "a command each" : "as output channels of one", cost::cycles_in_turn(made, lowering_.config));
    }
    told.choose_cheapest();
    choices_ = {told};
    return told.chosen == 0 ? apart : together;
  }

  [[nodiscard]] cost::OutputPhase phase_of(const spec::FeatureMap& input, const spec::FeatureMap& map, const AxisPhase& row,
                                           const Columns& columns) const {
    const AxisPhase& column = columns.phase;
    spec::MacCommand c = command_;
    c.out_channels = out_[3] * static_cast<int64_t>(columns.taps.size());
    c.kernel_rows = static_cast<int64_t>(row.weights.size());
    c.kernel_columns = static_cast<int64_t>(column.weights.size());
    c.reduction_end = c.kernel_rows * c.kernel_columns * (c.mode == spec::MacMode::Conv ? in_[3] : 1);
    const auto stride_of = [&](const AxisPhase& phase) { return is_resize_ && phase.out_count > 1 ? phase.in_step : 1; };
    c.stride_rows = stride_of(row);
    c.stride_columns = stride_of(column);
    // The map starts at the first row and column that can be read, so that a copy of only those has an address of its own.
    const int64_t first_row = std::clamp<int64_t>(row.in_begin, 0, in_[1] - 1);
    const int64_t first_column = std::clamp<int64_t>(column.in_begin, 0, in_[2] - 1);
    c.input = input;
    c.input.base += first_row * input.row_pitch_bytes + first_column * input.pixel_pitch_bytes;
    c.in_rows = in_[1] - first_row;
    c.in_columns = in_[2] - first_column;
    c.origin_row = row.in_begin - first_row;
    c.origin_column = column.in_begin - first_column;
    c.out_rows = row.out_count;
    c.out_columns = column.out_count;
    c.output = map;
    cost::OutputPhase phase{c, row.out_begin, row.out_step, column.out_begin, column.out_step};
    cost::take_outputs(phase);
    return phase;
  }

  void add_phase(const cost::OutputPhase& phase, int64_t image, const AxisPhase& row, const Columns& columns) {
    command_ = phase.command;
    step_.choices = std::exchange(choices_, {});  // told once
    check_limits(lowering_, op_, command_);
    choose_lane_split(lowering_, command_, step_.choices);
    const bool is_computed = !is_resize_ && lowering_.value(op_.inputs[1]) == nullptr;
    step_.operands.back().buffer = is_computed ? computed_weights_of(row, columns.phase) : weights_of(row, columns);
    step_.command = {{spec::Queue::MacArray, 0, 0}, command_};
    Production production = production_of(phase, chain_.result, image);
    if (columns.taps.size() > 1) {
      production.extent[2] = out_[2];
      production.extent[3] = out_[3];
      production.channel_dim = -1;
      production.step[2] = 1;
    }
    step_.productions = {std::move(production)};
    lowering_.add_step(step_);
  }

  /// Packed weights of a phase; phases with equal ones share them.
  BufferId weights_of(const AxisPhase& row, const Columns& columns) {
    const auto [found, is_new] = weights_.try_emplace({row.weights, columns.taps, command_.lane_split_log2}, -1);
    if (!is_new) return found->second;
    const base::Tensor kernel = is_resize_ ? blend_kernel(row, columns.phase) : part_of_kernel(row, columns);
    const int64_t tile_lanes = lowering_.lanes() >> command_.lane_split_log2;
    found->second = add_constants(lowering_, BufferKind::Weights, is_resize_ ? op_.outputs[0] : op_.inputs[1],
                                  pack_weights(kernel, is_resize_, command_.mode, lowering_.lanes(), tile_lanes));
    return found->second;
  }

  /// A copy of the kernel elements of a phase, a line an output channel.
  BufferId computed_weights_of(const AxisPhase& row, const AxisPhase& column) {
    const ir::TensorId id = op_.inputs[1];
    const ElementType type = command_.weight_type;
    const base::Shape& w = lowering_.shape(id);  // OC, KH, KW, IC
    const base::Shape part{w[0], command_.kernel_rows, command_.kernel_columns, w[3]};
    const auto [found, is_new] = weights_.try_emplace({row.weights, {column.weights}, 0}, -1);
    if (is_new) {
      const CopySource copy = add_scratch(lowering_, id, part, type);
      found->second = copy.buffer;
      if (row.weights[0] == kNoTap || column.weights[0] == kNoTap) {
        add_strided_fill(lowering_, command_.weight_zero_point, copy, part, type, {chain_.ops[0]});
      } else {
        CopySource from = source_of(lowering_.view(id), w, type);
        take_taps(from, 1, row.weights);
        take_taps(from, 2, column.weights);
        add_strided_copy(lowering_, from, copy, part, type, {chain_.ops[0]});
      }
    }
    use_lines({found->second, 0, part[1] * part[2] * part[3] * base::stored_bytes(type)}, spec::WeightOrder::LaneMajor,
              command_);
    return found->second;
  }

  /// Indices at one distance along a dimension.
  static void take_taps(CopySource& source, size_t dim, const std::vector<int64_t>& taps) {
    source.offset_bytes += taps[0] * source.strides_bytes[dim];
    if (taps.size() > 1) source.strides_bytes[dim] *= taps[1] - taps[0];
  }

  [[nodiscard]] base::Tensor blend_kernel(const AxisPhase& row, const AxisPhase& column) const {
    base::Tensor kernel(ElementType::Int8, {command_.kernel_rows, command_.kernel_columns, in_[3], 1});
    int64_t at = 0;
    for (const int64_t y : row.weights) {
      for (const int64_t x : column.weights) {
        for (int64_t c = 0; c < in_[3]; ++c) kernel.set(at++, y * x);
      }
    }
    return kernel;
  }

  [[nodiscard]] base::Tensor part_of_kernel(const AxisPhase& row, const Columns& columns) const {
    const base::Tensor& whole = lowering_.constant_operand(op_, 1, "weight");  // OC, KH, KW, IC
    const base::Shape& w = whole.shape();
    base::Tensor kernel(whole.type(), {command_.out_channels, command_.kernel_rows, command_.kernel_columns, w[3]});
    int64_t at = 0;
    const auto put_tap = [&](int64_t oc, int64_t y, int64_t x) {
      for (int64_t ic = 0; ic < w[3]; ++ic) {
        const bool is_none = y == kNoTap || x == kNoTap;
        kernel.set(at++, is_none ? command_.weight_zero_point : whole.at(((oc * w[1] + y) * w[2] + x) * w[3] + ic));
      }
    };
    for (const std::vector<int64_t>& taps : columns.taps) {
      for (int64_t oc = 0; oc < w[0]; ++oc) {
        for (const int64_t y : row.weights) {
          for (const int64_t x : taps) put_tap(oc, y, x);
        }
      }
    }
    return kernel;
  }

  struct WeightKey {
    std::vector<int64_t> rows;
    std::vector<std::vector<int64_t>> columns;
    int64_t lane_split_log2;
    auto operator<=>(const WeightKey&) const = default;
  };

  Lowering& lowering_;
  const MacChain& chain_;
  const ir::Operator& op_;
  const base::Shape& in_;
  const base::Shape& out_;
  const bool is_resize_;
  spec::MacCommand command_;
  Step step_;
  std::vector<cost::Alternatives> choices_;  // told with the first step
  std::map<WeightKey, BufferId> weights_;
};

}  // namespace

bool fits_phases(const Lowering& lowering, const ir::Operator& resize) {
  const base::Shape &in = lowering.shape(resize.inputs[0]), &out = lowering.shape(resize.outputs[0]);
  const bool is_broadcast = in[1] == 1 && in[2] == 1 && out[1] * out[2] > 1;
  if (is_broadcast) return false;  // windows of the array do not stand still
  const base::Tensor& scale = lowering.constant_operand(resize, 1, "scale");
  return scale.at(0) * scale.at(2) <= base::max_value(ElementType::Int8);
}

void lower_phases(Lowering& lowering, const MacChain& chain, const package::Placement& result) {
  PhaseLowering(lowering, chain).run(result);
}

}  // namespace vernier::passes
