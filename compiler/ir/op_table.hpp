// SPDX-License-Identifier: Apache-2.0
// What the verifier knows of each supported operator, as a table: operands, ranks, types (TOSA 1.0, the Arguments and
// Supported Data Types tables of each operator), and the function that checks its ERROR_IFs and LEVEL_CHECKs.
// An operator is supported when it stands here. Internal to compiler/ir.
#pragma once

#include "compiler/ir/graph.hpp"
#include "compiler/ir/verify_context.hpp"

#include <span>
#include <string_view>

namespace vernier::ir {

struct OpInfo {
  OpKind kind;
  size_t attribute_index;  // index in ir::Attributes of the alternative it carries
  // Names. '!' behind one that has to be a constant; '?' behind one that EXT-DYNAMIC allows to be computed; "..." behind the
  // only one: a list, whose rank and type stand once in the columns below.
  std::string_view operands;
  std::string_view ranks;  // of operands, "->", of the result; "0+" and "1+" mean "to MAX_RANK"
  // Types of operands, "->", of the result; '*' is judged by `check`. None: so are operands, results and their types.
  std::span<const std::string_view> modes;
  void (*check)(const VerifyContext&);
};

/// The table's row, null when the operator is not supported (or is a constant, which is no operator of ir::Graph).
const OpInfo* find_op_info(OpKind kind);

/// Words of a column: of operands, ranks or a mode.
std::vector<std::string_view> split_words(std::string_view text);
/// The same for an operator with that many operands: where the row says that they are a list, its word once for each.
std::vector<std::string_view> split_words(const OpInfo& info, std::string_view text, size_t num_operands);
/// Whether the operands are a list of any length.
bool takes_list(const OpInfo& info);

}  // namespace vernier::ir
