// SPDX-License-Identifier: Apache-2.0
// Shape constants whose open values (-1) have become known. Operators may share a constant and need different values of it:
// each reads a copy with its own. Internal to compiler/ir.
#pragma once

#include "compiler/ir/graph.hpp"

#include <map>

namespace vernier::ir {

class ReplacedConstants {
 public:
  explicit ReplacedConstants(Graph& graph) : graph_(graph) {}
  /// Lets operand `index` of `op`, a shape constant, have these values. Returns whether it had others.
  bool set(Operator& op, size_t index, const std::vector<int64_t>& values);
  /// Removes the constants that nothing reads any more; their copies take over the names. Changes tensor numbers.
  void finish();

 private:
  Graph& graph_;
  std::map<TensorId, std::map<std::vector<int64_t>, TensorId>> copies_;  // by constant, then values
};

}  // namespace vernier::ir
