// SPDX-License-Identifier: Apache-2.0
// What QuantizeLinear and DequantizeLinear say of codes.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <optional>
#include <string>

namespace vernier::import::quantized {

/// Scale and zero point of a node, for a value of that shape. `type` is that of the codes where no zero point says it.
Format format_of(const Lowering& lowering, const Node& node, const base::Shape& shape, NumberType type);

/// The format that all readers of a value give it, where all of them are QuantizeLinear and agree.
std::optional<Format> quantizer_after(const Lowering& lowering, const std::string& name, const base::Shape& shape);

}  // namespace vernier::import::quantized
