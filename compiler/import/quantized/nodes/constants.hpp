// SPDX-License-Identifier: Apache-2.0
// Constants that stand for real numbers: weights, biases and operands, quantized or not.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace vernier::import::quantized {

/// The real numbers of a constant: floats as they are, quantized integers by their format, in float32.
std::vector<float> real_numbers(const Value& value);

/// Calls visit(element, index of the axis) for each element of a shape, row-major.
template <typename Visit>
void for_each_on_axis(const base::Shape& shape, int64_t axis, Visit&& visit) {
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
  const int64_t count = shape.empty() ? 1 : shape[static_cast<size_t>(axis)];
  const int64_t size = base::num_elements(shape);
  for (int64_t i = 0; i < size; ++i) visit(static_cast<size_t>(i), static_cast<size_t>(i / inner % count));
}

/// A constant of real numbers as codes of a quantizer: code(real number, index of its format's axis) for each.
template <typename Code>
Value coded_constant(const Value& value, const Quantizer& quantizer, Code&& code) {
  constexpr int64_t kFewCodes = 16;
  const Format& format = quantizer.format;
  const std::vector<float> reals = real_numbers(value);
  auto codes = std::make_shared<Constant>();
  codes->type = {false, format.bits, !format.is_unsigned};
  codes->shape = value.shape;
  codes->has_few_codes = quantizer.greatest - quantizer.least < kFewCodes;
  codes->integers.resize(reals.size());
  for_each_on_axis(value.shape, format.is_per_axis() ? format.axis : 0, [&](size_t i, size_t at) {
    codes->integers[i] = code(reals[i], format.is_per_axis() ? at : 0) + source_offset(format);
  });
  Value result;
  result.shape = value.shape;
  result.format = format;
  result.constant = std::move(codes);
  return result;
}

/// Weights of up to 8 bits as they stand in the graph: signed codes, one zero point, a scale for each index of an axis. With
/// several zero points in the source they may be codes less those, of 9 bits, which add_products() adds in two parts.
struct Weights {
  base::Shape shape;  // of the source
  std::vector<int64_t> codes;
  int64_t zero_point = 0;
  std::vector<double> scales;  // one, or one for each index of the axis
  /// Int4, as TOSA has it of int8 inputs only: 4 bits or fewer in the source, no zero point, all codes in -7 to 7.
  base::ElementType type = base::ElementType::Int8;
};
/// NodeMistake unless input `index` of the node is such a constant; scales may go along `axis` only.
Weights weights_of(const Lowering& lowering, const Node& node, size_t index, int64_t axis);

/// What is added to the sums of each output channel.
struct Bias {
  std::vector<int64_t> steps;
  Rest rest;
};
/// factor * bias / (input scale * weight scale), in whole steps, half to even, and a rest, with a line where the bias is
/// quantized with another scale. `scales` are those of the sums, one or one for each channel. Zeros without a bias.
Bias bias_of(Lowering& lowering, const Node& node, size_t index, int64_t num_channels, const std::vector<double>& scales,
             double factor = 1);

/// A constant quantized to 8 or 16 bits as a value of the graph, whose tensor has its dimensions in that order; dimensions
/// of size 1 stand before those that it has.
Value constant_value(Lowering& lowering, const Node& node, size_t index, const std::vector<int64_t>& order);

/// A constant beside computed codes of that quantizer, as codes of it: numbers are quantized, integers are codes as they are
/// where the others are (`is_real` false). Dimensions of size 1 stand before those that it has.
Value constant_codes(Lowering& lowering, const Node& node, size_t index, const Quantizer& quantizer, bool is_real,
                     const std::vector<int64_t>& order);

/// Elements, row-major, with their dimensions in another order.
template <typename Element>
std::vector<Element> reordered(const std::vector<Element>& elements, const base::Shape& shape,
                               const std::vector<int64_t>& order) {
  const size_t rank = shape.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  std::vector<Element> result(elements.size());
  base::Shape at(rank, 0);
  for (Element& element : result) {
    int64_t from = 0;
    for (size_t i = 0; i < rank; ++i) from += at[i] * strides[static_cast<size_t>(order[i])];
    element = elements[static_cast<size_t>(from)];
    for (size_t i = rank; i-- > 0;) {
      if (++at[i] < shape[static_cast<size_t>(order[i])]) break;
      at[i] = 0;
    }
  }
  return result;
}

/// What sums of products reach: for each output channel the sum of |weight - zero point| times the greatest input, plus
/// |bias|; the greatest of all, at least 1. `channel_of(i)` is the output channel of weight i.
template <typename ChannelOf>
int64_t magnitude_of_sums(const Weights& weights, const std::vector<int64_t>& bias, int64_t input_magnitude,
                          const ChannelOf& channel_of) {
  std::vector<int64_t> sums(bias.size());
  for (size_t i = 0; i < weights.codes.size(); ++i) sums[channel_of(i)] += std::abs(weights.codes[i] - weights.zero_point);
  int64_t greatest = 1;
  for (size_t channel = 0; channel < bias.size(); ++channel)
    greatest = std::max(greatest, sums[channel] * input_magnitude + std::abs(bias[channel]));
  return greatest;
}

}  // namespace vernier::import::quantized
