// SPDX-License-Identifier: Apache-2.0
// QONNX's QuantAvgPool2d: the sum over each window of k * k integers, shifted right until it has obits (qonnx 1.0.0,
// src/qonnx/custom_op/general/quantavgpool2d.py). The numbers are integers themselves: their scale is 1.
#include "compiler/import/quantized/functions/divide.hpp"
#include "compiler/import/quantized/functions/products.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/nodes/int_quantizer.hpp"
#include "compiler/import/quantized/operators/operators.hpp"

#include <bit>
#include <cmath>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostKernel = 256;

int64_t number_from(const Node& node, const std::string& name, int64_t least, int64_t most) {
  const int64_t number = int_of(node, name, least - 1);
  if (number < least || number > most)
    refuse("attribute {} is {}, allowed are {} to {}", name,
           node.attributes.contains(name) ? std::to_string(number) : "missing", least, most);
  return number;
}

/// Codes that a division by their own scale has made whole numbers: in steps of 1. Brevitas writes it before the pool.
Value in_steps_of_one(Lowering& lowering, const Node& node) {
  Value value = lowering.value(node, 0);
  const bool has_codes = value.kind == Value::Kind::Integers && value.format.bits == 8 && !value.format.is_per_axis();
  if (!has_codes || value.reals.empty()) return lowering.codes(node, 0);
  for (size_t i = 0; i < value.reals.size(); ++i) {
    const auto steps = static_cast<double>(value.format.least() + static_cast<int64_t>(i) - zero_point_of(value.format));
    if (!(std::fabs(static_cast<double>(value.reals[i]) - steps) <= std::fabs(steps) * 0x1p-21))
      return lowering.codes(node, 0);
  }
  value.reals.clear();
  value.format.scales = {1};
  return value;
}

}  // namespace

void lower_quant_average_pool(Lowering& lowering, const Node& node) {
  Value input = in_steps_of_one(lowering, node);
  if (input.shape.size() != 4) refuse("an input of shape {}, allowed is rank 4", base::to_string(input.shape));
  const std::string layout = string_of(node, "data_layout", "NCHW");
  if (layout != "NCHW" && layout != "NHWC") refuse("attribute data_layout is '{}', allowed are NCHW and NHWC", layout);
  if (layout == "NHWC") input = permuted(std::move(input), {0, 3, 1, 2});
  const int64_t kernel = number_from(node, "kernel", 1, kMostKernel), stride = number_from(node, "stride", 1, kMostKernel);
  const int64_t input_bits = number_from(node, "ibits", 1, 16), output_bits = number_from(node, "obits", 2, 16);
  if (scale_of(input.format) != 1)
    refuse("'{}' has the scale {}, allowed is 1: the sum is shifted as integers", node.inputs.at(0), scale_of(input.format));
  Node plain = node;
  plain.attributes = {{"strides", std::vector<int64_t>{stride, stride}}};
  const Window window = window_of(plain, input.shape, {kernel, kernel});
  const int64_t count = kernel * kernel;
  const Value sum = sums_of_windows(lowering, node, input, window);  // in steps of 1
  const int64_t most = ((int64_t{1} << input_bits) - 1) * count;
  const int64_t shift = std::max<int64_t>(std::bit_width(static_cast<uint64_t>(most)) - output_bits, 0);
  const Scales scales{{1}, {0}, 0};
  const Quantizer quantizer =
      int_quantizer(scales, {output_bits, flag_of(node, "signed", false), false}, base::Rounding::Floor);
  Value result = divided_by(lowering, sum, {{shift}, {0}, 0}, quantizer, node.outputs.at(0));
  result.is_real = true;
  if (layout == "NHWC") result = permuted(std::move(result), {0, 2, 3, 1});
  lowering.define(node, std::move(result));
}

}  // namespace vernier::import::quantized
