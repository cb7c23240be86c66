// SPDX-License-Identifier: Apache-2.0
// Types, constants and attributes as MLIR prints them. Internal to compiler/export/mlir.
#pragma once

#include "compiler/ir/graph.hpp"

#include <string>
#include <string_view>

namespace vernier::exporter::mlir {

/// "tensor<1x8xi8>"; of a shape "!tosa.shape<4>".
std::string type_text(const ir::TensorInfo& tensor);
/// The same for a value that is no tensor of a graph; a shape is a tensor of indices here.
std::string value_type_text(base::ElementType type, const base::Shape& shape);
/// "dense<[1, 2]> : tensor<2xi8>".
std::string dense_text(const base::Tensor& value);
/// " {axis = 1 : i32}"; empty where the operator has no attributes. `input_type` is that of its first operand.
std::string attributes_text(const ir::Operator& op, base::ElementType input_type);
/// In double quotes; what is no printable character stands as two hexadecimal digits.
std::string quoted_text(std::string_view text);

}  // namespace vernier::exporter::mlir
