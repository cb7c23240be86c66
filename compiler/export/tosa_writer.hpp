// SPDX-License-Identifier: Apache-2.0
// Pieces of the .tosa writer. Internal to compiler/export.
#pragma once

#include "compiler/ir/graph.hpp"

#include "tosa_generated.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace vernier::exporter {

struct AttributeTable {
  tosa::Attribute type;
  flatbuffers::Offset<void> table;
};

/// The element type's number in the file.
tosa::DType dtype_of(base::ElementType type);

/// The attributes of an operator; an empty table where it has none. `input_type` is that of its first operand (CLAMP's
/// bounds have that type).
AttributeTable write_attributes(flatbuffers::FlatBufferBuilder& builder, const ir::Operator& op,
                                base::ElementType input_type);

/// Bytes that the elements take in the file, without padding.
int64_t file_bytes(const base::Tensor& value);
/// The elements as a vector of bytes of the file: int4 two in a byte, int48 six bytes; zeros up to a multiple of 8.
flatbuffers::Offset<flatbuffers::Vector<uint8_t>> write_data(flatbuffers::FlatBufferBuilder& builder,
                                                             const base::Tensor& value);

/// loc("NAME"), as MLIR prints it: what is no printable character stands as two hexadecimal digits.
std::string location_text(std::string_view name);

}  // namespace vernier::exporter
