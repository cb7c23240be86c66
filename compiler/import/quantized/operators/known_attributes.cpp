// SPDX-License-Identifier: Apache-2.0
// https://onnx.ai/onnx/operators, https://github.com/fastmachinelearning/qonnx (docs/qonnx-custom-ops), and
// docs/ContribOperators.md of onnxruntime for those of com.microsoft.
#include "compiler/import/quantized/operators/known_attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace vernier::import::quantized {

namespace {

struct AttributeRow {
  std::string_view kind;  // "com.microsoft." may stand before it
  std::string_view attributes;
};
/// Operators that are not here have none.
constexpr std::array kAttributeRows{
    AttributeRow{"ArgMax", "axis keepdims select_last_index"},
    AttributeRow{"ArgMin", "axis keepdims select_last_index"},
    AttributeRow{"AveragePool", "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides"},
    AttributeRow{"BatchNormalization", "epsilon momentum training_mode"},
    AttributeRow{"BipolarQuant", "narrow rounding_mode signed"},  // as exporters copy them from Quant; they change nothing
    AttributeRow{"Cast", "round_mode saturate to"},
    AttributeRow{"Celu", "alpha"},
    AttributeRow{"Clip", "max min"},
    AttributeRow{"Concat", "axis"},
    AttributeRow{"ConstantOfShape", "value"},
    AttributeRow{"Conv", "auto_pad dilations group kernel_shape pads strides"},
    AttributeRow{"ConvInteger", "auto_pad dilations group kernel_shape pads strides"},
    AttributeRow{"ConvTranspose", "auto_pad dilations group kernel_shape output_padding output_shape pads strides"},
    AttributeRow{"DepthToSpace", "blocksize mode"},
    AttributeRow{"DequantizeLinear", "axis block_size output_dtype"},
    AttributeRow{"Elu", "alpha"},
    AttributeRow{"Flatten", "axis"},
    AttributeRow{"GRU",
                 "activation_alpha activation_beta activations clip direction hidden_size layout linear_before_reset"},
    AttributeRow{"Gather", "axis"},
    AttributeRow{"Gelu", "approximate"},
    AttributeRow{"Gemm", "alpha beta transA transB"},
    AttributeRow{"GroupNormalization", "epsilon num_groups stash_type"},
    AttributeRow{"HardSigmoid", "alpha beta"},
    AttributeRow{"InstanceNormalization", "epsilon"},
    AttributeRow{"LSTM", "activation_alpha activation_beta activations clip direction hidden_size input_forget layout"},
    AttributeRow{"LayerNormalization", "axis epsilon stash_type"},
    AttributeRow{"LeakyRelu", "alpha"},
    AttributeRow{"LogSoftmax", "axis"},
    AttributeRow{"LpNormalization", "axis p"},
    AttributeRow{"MaxPool", "auto_pad ceil_mode dilations kernel_shape pads storage_order strides"},
    AttributeRow{"Mod", "fmod"},
    AttributeRow{"MultiThreshold", "data_layout out_bias out_dtype out_scale"},
    AttributeRow{"Pad", "mode pads value"},
    AttributeRow{"QGemm", "alpha transA transB"},
    AttributeRow{"QLinearAveragePool", "auto_pad ceil_mode channels_last count_include_pad kernel_shape pads strides"},
    AttributeRow{"QLinearConcat", "axis"},
    AttributeRow{"QLinearConv", "auto_pad channels_last dilations group kernel_shape pads strides"},
    AttributeRow{"QLinearGlobalAveragePool", "channels_last"},
    AttributeRow{"QLinearLeakyRelu", "alpha"},
    AttributeRow{"QLinearSoftmax", "axis opset"},
    AttributeRow{"Quant", "narrow rounding_mode signed"},
    AttributeRow{"QuantAvgPool2d", "data_layout ibits kernel obits signed stride"},
    AttributeRow{"QuantizeLinear", "axis block_size output_dtype precision saturate"},
    AttributeRow{"Range", "stash_type"},
    AttributeRow{"ReduceMax", "axes keepdims noop_with_empty_axes"},
    AttributeRow{"ReduceMean", "axes keepdims noop_with_empty_axes"},
    AttributeRow{"ReduceMin", "axes keepdims noop_with_empty_axes"},
    AttributeRow{"ReduceProd", "axes keepdims noop_with_empty_axes"},
    AttributeRow{"ReduceSum", "axes keepdims noop_with_empty_axes"},
    AttributeRow{"Reshape", "allowzero shape"},
    AttributeRow{"Resize",
                 "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value "
                 "keep_aspect_ratio_policy mode nearest_mode"},
    AttributeRow{"Selu", "alpha gamma"},
    AttributeRow{"Shape", "end start"},
    AttributeRow{"Slice", "axes ends starts"},
    AttributeRow{"Softmax", "axis"},
    AttributeRow{"SpaceToDepth", "blocksize mode"},
    AttributeRow{"Split", "axis num_outputs split"},
    AttributeRow{"Squeeze", "axes"},
    AttributeRow{"ThresholdedRelu", "alpha"},
    AttributeRow{"Transpose", "perm"},
    AttributeRow{"Trunc", "narrow rounding_mode signed"},
    AttributeRow{"Unsqueeze", "axes"},
};

std::string_view attributes_of(std::string_view kind) {
  constexpr std::string_view kOfMicrosoft = "com.microsoft.";
  if (kind.starts_with(kOfMicrosoft)) kind.remove_prefix(kOfMicrosoft.size());
  const auto* row = std::find_if(kAttributeRows.begin(), kAttributeRows.end(),
                                 [&](const AttributeRow& candidate) { return candidate.kind == kind; });
  return row == kAttributeRows.end() ? "" : row->attributes;
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

std::optional<std::string> unknown_attribute(const Node& node) {
  const std::string_view known = attributes_of(node.kind);
  for (const auto& entry : node.attributes) {
    // A part of an operator on codes may have an attribute of that one.
    const bool is_of_source = !node.source_kind.empty() && has_word(attributes_of(node.source_kind), entry.first);
    if (!has_word(known, entry.first) && !is_of_source)
      return fmt::format("attribute '{}' is not one of this operator, {}", entry.first,
                         known.empty() ? "which has none" : fmt::format("allowed are {}", known));
  }
  return std::nullopt;
}

}  // namespace vernier::import::quantized
