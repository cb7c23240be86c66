// SPDX-License-Identifier: Apache-2.0
// What QONNX's quantizers say of codes: scales, zero points, widths, rounding modes. NodeMistake for what they may not be.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace vernier::import::quantized {

/// Numbers of an input: one, or one for each index of an axis of the value that they go along with.
struct AxisNumbers {
  std::vector<double> numbers;
  int64_t axis = 0;
};
AxisNumbers numbers_of(const Lowering& lowering, const Node& node, size_t index, std::string_view what,
                       const base::Shape& shape);

/// Scales above 0 and zero points, which are whole numbers, as many of each.
struct Scales {
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  int64_t axis = 0;
};
Scales scales_of(const Lowering& lowering, const Node& node, size_t scale, size_t zero_point, const base::Shape& shape);

/// One whole number from 1 to 32.
int64_t bits_of(const Lowering& lowering, const Node& node, size_t index, std::string_view what);

/// Attribute rounding_mode, in any case.
base::Rounding rounding_of(const Node& node, std::string_view otherwise);
/// An attribute that is 0 or 1.
bool flag_of(const Node& node, std::string_view name, bool otherwise);

/// Codes of that many bits. Zero points have to be among the codes that are not narrowed.
struct CodeRange {
  int64_t bits = 8;
  bool is_signed = true, is_narrow = false;
};
Quantizer int_quantizer(const Scales& scales, const CodeRange& range, base::Rounding rounding);
/// The quantizer that a node Quant or BipolarQuant is, for a value of that shape.
Quantizer quantizer_of(const Lowering& lowering, const Node& node, const base::Shape& shape);
/// 1 and -1.
Quantizer bipolar_quantizer(const Scales& scales);

}  // namespace vernier::import::quantized
