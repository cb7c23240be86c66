// SPDX-License-Identifier: Apache-2.0
// A region of MLIR as a basic block of a TOSA flatbuffer. Internal to compiler/import/mlir.
//
// A flatbuffer knows tensors by names that are unique in a block, and has no regions in regions: COND_IF and WHILE_LOOP name
// theirs. Regions of MLIR may read values of the blocks around them. Constants that a region reads are written into its
// block once more; any other value becomes one more operand of the operator, and of a loop one more result.
#pragma once

#include "compiler/import/mlir/constants.hpp"
#include "compiler/import/mlir/cursor.hpp"
#include "compiler/import/mlir/syntax.hpp"

#include "tosa_generated.h"
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::import::mlir {

/// What all blocks of a file share.
struct File {
  Source& source;
  const Module& module;
  ConstantReader constants;
  std::map<std::string_view, std::string_view> location_aliases{};   // to loc(...)
  std::vector<std::unique_ptr<tosa::TosaRegionT>> regions{};         // all but the main one
  std::map<std::string, const Operation*, std::less<>> variables{};  // by name
};

class BlockWriter {
 public:
  /// `around` is the block that the region stands in; null for a function.
  BlockWriter(File& file, BlockWriter* around) : file_(file), around_(around) {}

  /// Arguments and operations of a region. `argument_names` and `result_names` are wanted for the first arguments and for
  /// what the last operation returns; more arguments than names have names of their own.
  void write(const Region& region, const std::vector<std::string>& argument_names,
             const std::vector<std::string>& result_names);
  /// Declares all variables, which are of the main block also where only regions use them.
  void declare_variables();

  /// %NAME#NUMBER of a block around, which the region reads: one more input.
  using Key = std::pair<std::string_view, int64_t>;
  [[nodiscard]] const std::vector<Key>& captures() const { return captures_; }
  /// Makes inputs of these, in this order; of those that the region did not read, too.
  void add_inputs(const std::vector<Key>& captures);
  /// Makes outputs of the captured values: what a loop hands on to its next round.
  void add_outputs(const std::vector<Key>& captures);
  [[nodiscard]] std::unique_ptr<tosa::TosaRegionT> release(const std::string& name);
  [[nodiscard]] size_t num_outputs() const { return block_->outputs.size(); }

 private:
  struct Value {
    std::string name;
    Type type;
    const Operation* constant = nullptr;  // that it is the result of
  };

  /// A name that no tensor of the block has.
  std::string unique_name(std::string wanted);
  void declare_value(Key key, const Type& type, const std::string& wanted, const Operation* constant, size_t position);
  void declare_tensor(const Value& value, std::vector<uint8_t> data);
  /// The value of this block or of one around it; null where there is none.
  const Value* find(Key key);
  const Value& use(const Use& use, const Type* given);
  void name_results(const Region& region, const std::vector<std::string>& names);

  void write_operation(const Operation& operation);
  void write_constant(const Operation& operation);
  void write_constant_value(const Operation& operation, const Value& value);
  void write_operator(const Operation& operation, tosa::Op kind);
  void write_control_flow(const Operation& operation, tosa::Op kind);
  void write_variable_use(const Operation& operation, bool is_write);
  void write_outputs(const Operation& operation);
  const std::string& variable_tensor(const Operation& operation, const std::string& variable);
  tosa::TosaOperatorT& add_operator(const Operation& operation, tosa::Op kind);

  File& file_;
  BlockWriter* around_;
  std::unique_ptr<tosa::TosaBasicBlockT> block_ = std::make_unique<tosa::TosaBasicBlockT>();
  std::map<Key, Value> values_;
  std::map<Key, std::string> wanted_names_;  // of what the block returns
  std::set<std::string, std::less<>> names_;
  std::map<std::string, std::string, std::less<>> variable_tensors_;
  std::vector<Key> captures_;
};

}  // namespace vernier::import::mlir
