// SPDX-License-Identifier: Apache-2.0
// The modes of the integer operators of TOSA 1.0 as tests/unit/compiler_ir/tosa_modes.txt lists them: written from the
// specification, so that the tables of the program can be compared with it.
#pragma once

#include "compiler/ir/op_kind.hpp"

#include <string>
#include <vector>

namespace vernier::tests {

/// A line: a mode of the operator (`what` is its types), or what an extension adds to it otherwise: a value of an attribute,
/// or the number and name of an operand.
struct TosaRow {
  std::string set;  // "PRO-INT", "EXT-INT16", ...
  ir::OpKind kind{};
  std::string what;
};
/// Every line of that profile or extension, in the file's order; of all of them without one. InternalError for a line that
/// names no operator.
std::vector<TosaRow> tosa_rows(const std::string& set = "");
/// The lines that are modes of one operator, of whatever profile or extension.
std::vector<TosaRow> tosa_modes_of(ir::OpKind kind);
/// Whether the line is a mode.
bool is_mode(const TosaRow& row);
/// The types of a mode, "int8 int8 -> int32", with that type in place of the word "multiplier".
std::string with_multiplier(const TosaRow& mode, const std::string& type);

}  // namespace vernier::tests
