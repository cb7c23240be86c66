// SPDX-License-Identifier: Apache-2.0
// Attributes of TOSA operations as the tables of a flatbuffer. Internal to compiler/import/mlir.
#pragma once

#include "compiler/import/mlir/cursor.hpp"
#include "compiler/import/mlir/syntax.hpp"

namespace tosa {
enum class Op : uint32_t;
struct AttributeUnion;
}  // namespace tosa

namespace vernier::import::mlir {

/// The attributes of an operation of that kind; nothing of COND_IF, WHILE_LOOP and the operators of variables, whose
/// attributes name other parts of the file. Names of other dialects ("tf.x") are left out. UserError, with the place, for a
/// missing attribute, one of another kind, and one that TOSA 1.0 does not have.
void read_attributes(const Source& source, const Operation& operation, tosa::Op kind, tosa::AttributeUnion& result);

}  // namespace vernier::import::mlir
