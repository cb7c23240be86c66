// SPDX-License-Identifier: Apache-2.0
// Functions of few values. A tensor that takes at most 256 different values, side by side, is a source: whatever chain of
// elementwise operators follows it, with constants for all other operands, is one table of 256 entries, and exact, since the
// reference computes every entry. Sources are int8 tensors, and the difference of a tensor and its own maximum, where the
// tensor comes from int8 (softmax).
#pragma once

#include "compiler/passes/lowering.hpp"
#include "hw/base/indexed_vector.hpp"

namespace vernier::passes {

inline constexpr int64_t kMostSourceValues = 256;

/// How many operands are walked element by element; those behind them are parameters of the operator.
size_t num_element_operands(const ir::Operator& op);

class SmallDomains {
 public:
  explicit SmallDomains(const Lowering& lowering);

  /// The nearest source that the tensor is a function of, -1 for none. A source is not a function of itself.
  [[nodiscard]] ir::TensorId source(ir::TensorId id) const { return sources_[id]; }
  [[nodiscard]] bool is_source(ir::TensorId id) const;
  /// SUB(x, REDUCE_MAX(x)): a source that is cheap to compute again.
  [[nodiscard]] bool is_difference(ir::TensorId id) const { return domains_[id].count > 0; }

  /// `id`, for each value of `source`, which it is a function of by any number of sources in between: a table in the
  /// machine's format, of int8 entries where `id` has them, else of int32.
  TableId add_table(Lowering& lowering, ir::TensorId source, ir::TensorId id) const;
  /// The same as a tensor of one dimension: values of `source` ascending.
  [[nodiscard]] base::Tensor evaluate(ir::TensorId source, ir::TensorId id) const;
  /// Operators between them, in graph order.
  [[nodiscard]] std::vector<ir::OpId> operators_between(ir::TensorId source, ir::TensorId id) const;

 private:
  struct Domain {
    int64_t least = 0, count = 0;
  };
  [[nodiscard]] Domain domain_of(ir::TensorId source) const;
  [[nodiscard]] ir::TensorId find_source(const ir::Operator& op) const;
  [[nodiscard]] Domain find_difference(const ir::Operator& op) const;
  [[nodiscard]] std::vector<std::byte> contents(ir::TensorId source, ir::TensorId id) const;

  const Lowering& lowering_;
  base::IndexedVector<ir::TensorId, ir::TensorId> sources_;
  base::IndexedVector<ir::TensorId, Domain> domains_;                        // of differences
  mutable std::map<std::pair<ir::TensorId, ir::TensorId>, TableId> tables_;  // made before, by source and tensor
};

/// The element type of the entries of a table that gives tensors of `type`.
base::ElementType table_entry_type(base::ElementType type);

}  // namespace vernier::passes
