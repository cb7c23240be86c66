// SPDX-License-Identifier: Apache-2.0
// What QuantizeLinear and DequantizeLinear say of codes.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <optional>
#include <string>

namespace vernier::import::quantized {

/// Scale and zero point of a node, for a value of that shape. `type` is that of the codes where no zero point says it.
Format format_of(const Lowering& lowering, const Node& node, const base::Shape& shape, NumberType type);

/// The type of codes that attribute output_dtype says, where it names one.
std::optional<NumberType> output_type(const Node& node);
/// The type of the codes that QuantizeLinear gives: that of its zero point, or what attribute output_dtype says, or uint8.
NumberType type_of_codes(const Lowering& lowering, const Node& node);

/// The quantizer that all readers of a value are, where all of them are QuantizeLinear or encodings and agree.
std::optional<Quantizer> quantizer_after(const Lowering& lowering, const std::string& name, const base::Shape& shape);

/// One scale and zero point of the first DequantizeLinear that codes of that type come to, at once or after operators that
/// move them or choose from them. None where there is no such node.
std::optional<Format> format_downstream(const Lowering& lowering, const std::string& name, NumberType type);

}  // namespace vernier::import::quantized
