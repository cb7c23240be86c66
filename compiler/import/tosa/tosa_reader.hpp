// SPDX-License-Identifier: Apache-2.0
// Pieces of the TOSA flatbuffer importer. Internal to compiler/import/tosa.
//
// Files come from anywhere: the buffer verifier has proven offsets and lengths, and nothing else. Any pointer may be null,
// any number absurd, and pieces may overlap, so that a small file could unpack to a large graph: what is copied out of
// the file is charged to a budget of a multiple of its size.
#pragma once

#include "compiler/import/location.hpp"
#include "compiler/ir/error_if.hpp"
#include "compiler/ir/graph.hpp"
#include "hw/base/error.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tosa {
struct TosaBasicBlock;
struct TosaGraph;
struct TosaOperator;
struct TosaRegion;
struct TosaShape;
struct TosaTensor;
enum class DType : uint32_t;
}  // namespace tosa

namespace vernier::import {

/// A mistake with which reading ends at once: more of the file is not worth the memory, or the lines.
class LastMistake : public base::UserError {
  using base::UserError::UserError;
};

/// The file's name for messages, the mistakes found so far, and how many bytes may still be copied out of it.
class Source {
 public:
  Source(std::string file, size_t file_bytes) : file_(std::move(file)), budget_bytes_(64 * file_bytes + (size_t{1} << 20)) {}
  [[nodiscard]] const std::string& file() const { return file_; }
  /// LastMistake when pieces of the file overlap so much that the budget is spent.
  void charge(uint64_t bytes);
  /// Runs a step whose mistake does not spoil the next ones, and keeps its line.
  template <typename Step>
  void attempt(const Step& step) {
    try {
      step();
    } catch (const LastMistake&) {
      throw;
    } catch (const base::UserError& error) {
      add_mistake(error.what());
    }
  }
  /// Equal lines are kept once; LastMistake after ir::kMostMistakes.
  void add_mistake(const std::string& line);
  [[nodiscard]] const std::vector<std::string>& mistakes() const { return mistakes_; }
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw base::UserError(file_, format, std::forward<Args>(args)...);
  }
  /// The same for what breaks a rule of TOSA.
  template <typename... Args>
  [[noreturn]] void fail(ir::ErrorIf rule, fmt::format_string<Args...> format, Args&&... args) const {
    throw ir::broken_rule(rule, file_, format, std::forward<Args>(args)...);
  }

 private:
  std::string file_;
  uint64_t budget_bytes_;
  std::vector<std::string> mistakes_;
};

/// By name, what the file has and TOSA 1.0 has not: operators, types of tensors that something refers to, scale forms and
/// compatibility features; "" when there is nothing.
std::string newer_parts(const tosa::TosaGraph& graph, const std::vector<const tosa::TosaBasicBlock*>& blocks);

/// Whether the type is one of floating point.
bool is_float(tosa::DType type);
/// Element type of a tensor; UserError for floating point and what is no type of a tensor.
base::ElementType read_type(const Source& source, std::string_view name, tosa::DType type);
/// Shape of a tensor, open dimensions as -1; UserError for an unranked one.
base::Shape read_shape(Source& source, std::string_view name, const tosa::TosaTensor& tensor);
/// The value of a CONST's tensor, of the type and shape given.
base::Tensor read_constant(Source& source, const ir::TensorInfo& info, const tosa::TosaTensor& tensor);
/// The value of a CONST_SHAPE's result.
base::Tensor read_constant_shape(Source& source, std::string_view name, const tosa::TosaShape& shape);

/// The attributes of a supported operator. `input_type` is that of its first operand (CLAMP's bounds have that type).
ir::Attributes read_attributes(Source& source, ir::OpKind kind, const tosa::TosaOperator& op, base::ElementType input_type);

/// Sorts operators so that each stands behind the producers of its inputs, otherwise in the order of the file. With
/// `has_variables` those that may read or write one keep their order. UserError that names a tensor on it when there is a
/// cycle.
void sort_operators(const Source& source, ir::Graph& graph, bool has_variables);

/// The variables of a file. A block has a tensor for each one that it reads or writes; the variable is that of the tensor's
/// variable_name.
class VariableList {
 public:
  /// The variable of a tensor whose `variable` is set, whose type and shape are these; the number of it. UserError for one
  /// without a name, of floating point, with open dimensions, and for another type, shape or first value than in a block
  /// before.
  size_t take(Source& source, const tosa::TosaTensor& tensor);
  [[nodiscard]] const ir::Variable& at(size_t number) const { return variables_[number]; }
  [[nodiscard]] bool is_empty() const { return variables_.empty(); }
  std::vector<ir::Variable> release() { return std::move(variables_); }

 private:
  std::vector<ir::Variable> variables_;
  std::map<std::string, size_t> by_name_;
};

struct FloatEdges;
/// What the host does at the ends (`edges`) is left out of the graph, whose inputs and outputs have the file's names all the
/// same. A name that the block does not declare may be one of the constants of `around`. Mistakes are kept in `source`: all
/// of the declarations, or else of the operators and results, or else all of the operands and attributes. Where there is
/// one, the graph is of no use. IDENTITY from and to a variable becomes VARIABLE_READ and VARIABLE_WRITE.
ir::Graph read_block(Source& source, const tosa::TosaBasicBlock& block, const FloatEdges& edges, VariableList& variables,
                     const ir::Graph* around = nullptr);

/// A block that COND_IF and WHILE_LOOP run, under the name that they have for it.
struct NamedBlock {
  std::string name;
  const tosa::TosaBasicBlock* block = nullptr;
};
/// The blocks that operators of `main` name, and of those the ones that theirs name: the first block of the region of that
/// name, or (as older files have it) a block of `main_region`. Kept in the order in which they are met; names that are
/// nowhere are left out.
std::vector<NamedBlock> list_regions(const tosa::TosaGraph& graph, const tosa::TosaRegion& main_region,
                                     const tosa::TosaBasicBlock& main);
/// These as the regions of `main`, which was read from the main block.
void read_regions(Source& source, const std::vector<NamedBlock>& blocks, VariableList& variables, ir::Graph& main);

}  // namespace vernier::import
