// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/mac_chain.hpp"

#include "compiler/cost/dilation_phases.hpp"

#include <algorithm>
#include <cstdlib>

namespace vernier::passes {
namespace {

using base::ElementType;

/// Without the dimensions of one element.
base::Shape squeezed(base::Shape shape) {
  std::erase(shape, 1);
  return shape;
}

/// Grows a chain by one operator at a time.
class ChainMatcher {
 public:
  ChainMatcher(const Lowering& lowering, const Recompute& recompute, ir::OpId convolution, ir::OpId before,
               int64_t least_residual_steps)
      : lowering_(lowering), recompute_(recompute), before_(before), least_residual_steps_(least_residual_steps) {
    chain_.ops = {convolution};
    chain_.result = lowering.op(convolution).outputs[0];
    conv_shape_ = lowering.shape(chain_.result);
  }

  MacChain match() {
    if (!lowering_.is_optimizing()) return chain_;
    MacChain accepted = chain_;  // without trailing operators that only rename
    while (grow()) {
      if (!is_renaming_last_ || lowering_.is_output(chain_.result)) accepted = chain_;
    }
    if (accepted.rescale >= 0) return accepted;
    MacChain alone;
    alone.ops = {chain_.ops[0]};
    alone.result = first_result();
    return alone;
  }

 private:
  [[nodiscard]] ir::TensorId first_result() const { return lowering_.op(chain_.ops[0]).outputs[0]; }

  bool grow() {
    if (lowering_.is_output(chain_.result)) return false;
    const auto& readers = recompute_.consumers()[chain_.result];
    const bool is_read_directly = readers.size() == 1 && lowering_.op(readers[0]).inputs[0] == chain_.result;
    if (!is_read_directly && add_even_ties()) return true;
    if (add_shifted_down()) return true;
    if (readers.size() != 1 || chain_.transpose >= 0) return false;
    if (lowering_.op(readers[0]).kind == ir::OpKind::Add) return add_residual(readers[0]);
    const ir::Operator& op = lowering_.op(readers[0]);
    if (std::count(op.inputs.begin(), op.inputs.end(), chain_.result) != 1 || op.inputs[0] != chain_.result) return false;
    is_renaming_last_ = false;
    switch (op.kind) {
      case ir::OpKind::Rescale:
        if (!add_rescale(readers[0])) return false;
        break;
      case ir::OpKind::Clamp:
        if (!add_clamp(op)) return false;
        break;
      case ir::OpKind::Table:
        if (chain_.rescale < 0 || chain_.table >= 0 || chain_.residual || !is_signed_ ||
            lowering_.type(chain_.result) != ElementType::Int8 || lowering_.value(op.inputs[1]) == nullptr) {
          return false;
        }
        chain_.table = op.inputs[1];
        break;
      case ir::OpKind::Reshape:
      case ir::OpKind::Identity:
        if (!can_rename(lowering_.shape(op.outputs[0]))) return false;
        is_renaming_last_ = true;
        break;
      case ir::OpKind::Transpose:
        if (!can_transpose(op)) return false;
        chain_.transpose = readers[0];
        break;
      default: return false;
    }
    chain_.ops.push_back(readers[0]);
    chain_.result = op.outputs[0];
    chain_.is_reshaped = lowering_.shape(chain_.result) != conv_shape_;
    return true;
  }

  /// The RESCALE after it is taken next, or none.
  bool add_even_ties() {
    if (chain_.rescale >= 0 || chain_.rounds_to_even || lowering_.type(chain_.result) != ElementType::Int32) return false;
    const std::optional<EvenTies> ties = match_even_ties(lowering_, recompute_, chain_.result);
    if (!ties) return false;
    chain_.ops.insert(chain_.ops.end(), ties->ops.begin(), ties->ops.end());
    chain_.result = ties->result;
    chain_.rounds_to_even = true;
    return true;
  }

  /// The same for a sum of which the array's 32 bits hold every value with the other biases.
  bool add_shifted_down() {
    const ir::Operator& conv = lowering_.op(chain_.ops[0]);
    const bool has_bias = conv.kind == ir::OpKind::Conv2d || conv.kind == ir::OpKind::DepthwiseConv2d;
    if (chain_.ops.size() != 1 || !has_bias || has_computed_bias()) return false;
    if (lowering_.type(chain_.result) != ElementType::Int32) return false;
    std::optional<ShiftedDown> down = match_shifted_down(lowering_, recompute_, chain_.result);
    if (!down) return false;
    const base::Shape& weights = lowering_.shape(conv.inputs[1]);
    const bool is_depthwise = conv.kind == ir::OpKind::DepthwiseConv2d;
    const int64_t reduction = is_depthwise ? weights[0] * weights[1] : weights[1] * weights[2] * weights[3];
    const base::Tensor& bias = *lowering_.value(conv.inputs[2]);
    int64_t most_bias = 0;
    for (int64_t i = 0; i < bias.size(); ++i) {
      for (const int64_t more : down->biases)
        most_bias = std::max({most_bias, std::abs(bias.at(i)), std::abs(bias.at(i) + more)});
    }
    constexpr int64_t kMostProduct = 255 * 255;  // of int8 less zero points
    if (most_bias >= INT32_MAX || reduction > (INT32_MAX - most_bias) / kMostProduct) return false;
    chain_.ops.insert(chain_.ops.end(), down->ops.begin(), down->ops.end());
    chain_.result = down->result;
    chain_.down = std::move(down);
    return true;
  }

  /// It is copied as it stands: 16-bit multipliers go with 48 bits of bias.
  [[nodiscard]] bool has_computed_bias() const {
    const ir::Operator& conv = lowering_.op(chain_.ops[0]);
    return conv.kind != ir::OpKind::MatMul && conv.kind != ir::OpKind::Resize && lowering_.value(conv.inputs[2]) == nullptr;
  }

  bool add_rescale(ir::OpId id) {
    const ir::Operator& op = lowering_.op(id);
    const auto& attributes = op.attributes_as<ir::RescaleAttributes>();
    if (chain_.rescale >= 0 || attributes.input_unsigned) return false;
    if (has_computed_bias() && attributes.scale32 != (lowering_.type(first_result()) == ElementType::Int32)) return false;
    for (size_t i = 1; i < op.inputs.size(); ++i) {
      if (lowering_.value(op.inputs[i]) == nullptr) return false;
    }
    const base::Tensor& multiplier = *lowering_.value(op.inputs[1]);
    const base::Tensor& shift = *lowering_.value(op.inputs[2]);
    for (int64_t i = 0; i < multiplier.size(); ++i) {  // what TOSA REQUIREs, and the parameters' fields hold
      if (multiplier.at(i) < 0 || shift.at(i) < 2 || shift.at(i) > 62) return false;
    }
    if (lowering_.value(op.inputs[3])->at(0) != 0) return false;
    const ElementType type = lowering_.type(op.outputs[0]);
    chain_.rescale = id;
    is_signed_ = !attributes.output_unsigned;
    chain_.clamp_min = is_signed_ ? base::min_value(type) : 0;
    chain_.clamp_max = is_signed_ ? base::max_value(type) : base::max_value(type) - base::min_value(type);
    return true;
  }

  bool add_clamp(const ir::Operator& op) {
    const auto& clamp = op.attributes_as<ir::ClampAttributes>();
    if (chain_.residual) {
      chain_.sum_clamp_min = std::clamp(chain_.sum_clamp_min, clamp.min, clamp.max);
      chain_.sum_clamp_max = std::clamp(chain_.sum_clamp_max, clamp.min, clamp.max);
      return true;
    }
    if (chain_.rescale < 0 || chain_.table >= 0 || !is_signed_) return false;
    chain_.clamp_min = std::clamp(chain_.clamp_min, clamp.min, clamp.max);
    chain_.clamp_max = std::clamp(chain_.clamp_max, clamp.min, clamp.max);
    return true;
  }

  /// The other side is there before the convolution runs, and lies as the convolution's result would.
  bool add_residual(ir::OpId add) {
    if (reduction_steps(lowering_, lowering_.op(chain_.ops[0])) < least_residual_steps_) return false;
    if (chain_.rescale < 0 || chain_.residual || !is_signed_ || lowering_.type(chain_.result) != ElementType::Int8) {
      return false;
    }
    const auto& attributes = lowering_.op(chain_.rescale).attributes_as<ir::RescaleAttributes>();
    if (!attributes.scale32) return false;
    const spec::Rounding rounding = chain_.rounds_to_even ? spec::Rounding::HalfEven : attributes.rounding;
    auto residual = match_residual(lowering_, recompute_, chain_.result, add, rounding);
    if (!residual || lowering_.producer(residual->addend) >= before_) return false;
    const ir::TensorId result = lowering_.op(residual->ops.back()).outputs[0];
    const base::Shape& addend_shape = lowering_.shape(residual->addend);
    if (!can_rename(lowering_.shape(result)) || addend_shape.back() != conv_shape_.back()) return false;
    chain_.ops.insert(chain_.ops.end(), residual->ops.begin(), residual->ops.end());
    chain_.result = result;
    chain_.residual = std::move(residual);
    chain_.sum_clamp_min = base::min_value(ElementType::Int8);
    chain_.sum_clamp_max = base::max_value(ElementType::Int8);
    chain_.is_reshaped = lowering_.shape(result) != conv_shape_;
    is_renaming_last_ = false;
    return true;
  }

  /// Rows stay rows of contiguous elements.
  [[nodiscard]] bool can_transpose(const ir::Operator& op) const {
    if (lowering_.op(chain_.ops[0]).kind != ir::OpKind::MatMul || chain_.rescale < 0) return false;
    const auto& perms = op.attributes_as<ir::TransposeAttributes>().perms;
    return perms.size() > 1 && perms.back() + 1 == static_cast<int64_t>(perms.size()) &&
           squeezed(lowering_.shape(chain_.result)) == squeezed(conv_shape_);
  }

  /// One image, or dimensions of one element come and go, and channels stay the last dimension, so that blocks of channels
  /// are boxes of the result. What is written in phases or planes keeps its shape.
  [[nodiscard]] bool can_rename(const base::Shape& to) const {
    const ir::OpKind kind = lowering_.op(chain_.ops[0]).kind;
    const bool is_written_in_parts =
        kind == ir::OpKind::TransposeConv2d || kind == ir::OpKind::Resize || kind == ir::OpKind::Conv3d;
    if (is_written_in_parts || is_cut()) return to == conv_shape_;
    if (to.empty() || to.back() != conv_shape_.back()) return false;
    return conv_shape_[0] == 1 || merges_images(lowering_, lowering_.op(chain_.ops[0])) ||
           squeezed(to) == squeezed(conv_shape_);
  }

  /// Whether a command cannot count the rows or columns, so that it takes several.
  [[nodiscard]] bool is_cut() const {
    const auto has_more = [](const base::Shape& shape) {
      return std::ranges::any_of(shape, [](int64_t size) { return size > cost::kMostPositions; });
    };
    return has_more(conv_shape_) || has_more(lowering_.shape(lowering_.op(chain_.ops[0]).inputs[0]));
  }

  const Lowering& lowering_;
  const Recompute& recompute_;
  ir::OpId before_;
  int64_t least_residual_steps_;
  MacChain chain_;
  base::Shape conv_shape_;
  bool is_signed_ = true;
  bool is_renaming_last_ = false;
};

}  // namespace

int64_t reduction_steps(const Lowering& lowering, const ir::Operator& op) {
  const auto elements_of = [&](const base::Shape& w, size_t rows, int64_t channels) {
    return base::ceil_div(w[rows] * w[rows + 1] * channels, lowering.lanes());
  };
  switch (op.kind) {
    case ir::OpKind::Conv2d: return elements_of(lowering.shape(op.inputs[1]), 1, lowering.shape(op.inputs[0])[3]);
    case ir::OpKind::DepthwiseConv2d: return elements_of(lowering.shape(op.inputs[1]), 0, 1);
    default: return 0;
  }
}

MacChain match_mac_chain(const Lowering& lowering, const Recompute& recompute, ir::OpId convolution, ir::OpId before,
                         int64_t least_residual_steps) {
  return ChainMatcher(lowering, recompute, convolution, before, least_residual_steps).match();
}

bool merges_images(const Lowering& lowering, const ir::Operator& op) {
  if (op.kind != ir::OpKind::Conv2d) return false;
  const base::Shape& in = lowering.shape(op.inputs[0]);
  const base::Shape& weights = lowering.shape(op.inputs[1]);
  const auto& conv = op.attributes_as<ir::ConvAttributes>();
  const bool is_padded = std::any_of(conv.pad.begin(), conv.pad.end(), [](int64_t pad) { return pad != 0; });
  return in[0] > 1 && in[1] == 1 && in[2] == 1 && weights[1] == 1 && weights[2] == 1 && !is_padded;
}

Production renamed(const Production& production, const base::Shape& from, const base::Shape& to) {
  Production result{production.tensor, base::Shape(to.size(), 0), base::Shape(to.size(), 1)};
  size_t at = 0;
  for (size_t d = 0; d < from.size(); ++d) {
    const auto dim = static_cast<int32_t>(d);
    if (from[d] == 1) continue;
    while (to[at] == 1) ++at;
    VERNIER_CHECK(to[at] == from[d], "{} as {}", base::to_string(from), base::to_string(to));
    result.begin[at] = production.begin[d];
    result.extent[at] = production.extent[d];
    if (dim == production.row_dim) result.row_dim = static_cast<int32_t>(at);
    if (dim == production.channel_dim) result.channel_dim = static_cast<int32_t>(at);
    ++at;
  }
  return result;
}

int32_t row_dim_of(const base::Shape& shape, int64_t rows, int64_t columns) {
  int64_t inner = 1;
  for (size_t d = shape.size() - 1; d-- > 0;) {
    if (inner == columns && shape[d] == rows) return static_cast<int32_t>(d);
    inner *= shape[d];
  }
  return -1;
}

}  // namespace vernier::passes
