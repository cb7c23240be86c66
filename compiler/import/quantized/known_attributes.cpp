// SPDX-License-Identifier: Apache-2.0
// https://onnx.ai/onnx/operators, https://github.com/fastmachinelearning/qonnx (docs/qonnx-custom-ops), and
// docs/ContribOperators.md of onnxruntime for those of com.microsoft.
#include "compiler/import/quantized/known_attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace vernier::import::quantized {

namespace {

struct Row {
  std::string_view kind;  // "com.microsoft." may stand before it
  std::string_view attributes;
};
/// Operators that are not here have none.
constexpr std::array kRows{
    Row{"AveragePool", "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides"},
    Row{"BatchNormalization", "epsilon momentum training_mode"},
    Row{"BipolarQuant", "narrow rounding_mode signed"},  // as exporters copy them from Quant; they change nothing
    Row{"Cast", "round_mode saturate to"},
    Row{"Clip", "max min"},
    Row{"Concat", "axis"},
    Row{"ConstantOfShape", "value"},
    Row{"Conv", "auto_pad dilations group kernel_shape pads strides"},
    Row{"ConvInteger", "auto_pad dilations group kernel_shape pads strides"},
    Row{"ConvTranspose", "auto_pad dilations group kernel_shape output_padding output_shape pads strides"},
    Row{"DepthToSpace", "blocksize mode"},
    Row{"DequantizeLinear", "axis block_size output_dtype"},
    Row{"Elu", "alpha"},
    Row{"Flatten", "axis"},
    Row{"Gather", "axis"},
    Row{"Gelu", "approximate"},
    Row{"Gemm", "alpha beta transA transB"},
    Row{"HardSigmoid", "alpha beta"},
    Row{"LayerNormalization", "axis epsilon stash_type"},
    Row{"LeakyRelu", "alpha"},
    Row{"MaxPool", "auto_pad ceil_mode dilations kernel_shape pads storage_order strides"},
    Row{"MultiThreshold", "data_layout out_bias out_dtype out_scale"},
    Row{"Pad", "mode pads value"},
    Row{"QGemm", "alpha transA transB"},
    Row{"QLinearAveragePool", "auto_pad ceil_mode channels_last count_include_pad kernel_shape pads strides"},
    Row{"QLinearConcat", "axis"},
    Row{"QLinearConv", "auto_pad channels_last dilations group kernel_shape pads strides"},
    Row{"QLinearGlobalAveragePool", "channels_last"},
    Row{"QLinearLeakyRelu", "alpha"},
    Row{"QLinearSoftmax", "axis opset"},
    Row{"Quant", "narrow rounding_mode signed"},
    Row{"QuantAvgPool2d", "data_layout ibits kernel obits signed stride"},
    Row{"QuantizeLinear", "axis block_size output_dtype precision saturate"},
    Row{"Range", "stash_type"},
    Row{"ReduceMean", "axes keepdims noop_with_empty_axes"},
    Row{"Reshape", "allowzero shape"},
    Row{"Resize",
        "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value "
        "keep_aspect_ratio_policy mode nearest_mode"},
    Row{"Shape", "end start"},
    Row{"Slice", "axes ends starts"},
    Row{"Softmax", "axis"},
    Row{"SpaceToDepth", "blocksize mode"},
    Row{"Split", "axis num_outputs split"},
    Row{"Squeeze", "axes"},
    Row{"Transpose", "perm"},
    Row{"Trunc", "narrow rounding_mode signed"},
    Row{"Unsqueeze", "axes"},
};

std::string_view attributes_of(std::string_view kind) {
  constexpr std::string_view kOfMicrosoft = "com.microsoft.";
  if (kind.starts_with(kOfMicrosoft)) kind.remove_prefix(kOfMicrosoft.size());
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) { return candidate.kind == kind; });
  return row == kRows.end() ? "" : row->attributes;
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
    if (!has_word(known, entry.first))
      return fmt::format("attribute '{}' is not one of this operator, {}", entry.first,
                         known.empty() ? "which has none" : fmt::format("allowed are {}", known));
  }
  return std::nullopt;
}

}  // namespace vernier::import::quantized
