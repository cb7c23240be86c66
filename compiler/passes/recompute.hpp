// SPDX-License-Identifier: Apache-2.0
// Which results are never stored, but computed again by every vector command that reads them: wide ones (int16, int32) that
// are a function of one int8 tensor, the difference that softmax makes, a single rescale from int16, and RESHAPEs of these.
// Reading the narrow source costs less than writing and reading the wide result.
#pragma once

#include "compiler/passes/small_domain.hpp"
#include "hw/base/indexed_vector.hpp"

#include <functional>

namespace vernier::passes {

class Recompute {
 public:
  /// `consumers`: the operators that run, by TensorId. Nothing is recomputed when not optimizing.
  Recompute(const Lowering& lowering, const base::IndexedVector<ir::TensorId, std::vector<ir::OpId>>& consumers);

  [[nodiscard]] const SmallDomains& domains() const { return domains_; }
  [[nodiscard]] bool is_recomputed(ir::OpId id) const { return is_recomputed_[id]; }
  /// The operator that is computed again where the tensor is read, -1 for tensors that lie in memory.
  [[nodiscard]] ir::OpId recomputed_producer(ir::TensorId id) const;

  /// Operators that run and read a tensor, in order, each once.
  [[nodiscard]] const std::vector<std::vector<ir::OpId>>& direct_consumers() const { return direct_consumers_; }
  /// Operators that run and read a tensor, directly or through recomputed ones, in order, each once; none of them is
  /// recomputed itself.
  [[nodiscard]] const base::IndexedVector<ir::TensorId, std::vector<ir::OpId>>& consumers() const { return consumers_; }
  /// Tensors in memory that an operator reads, directly or through recomputed ones; no constants.
  [[nodiscard]] std::vector<ir::TensorId> sources_of(const ir::Operator& op) const;
  /// Whether the tensor is read in another shape than its own, so that it has to be dense.
  [[nodiscard]] bool is_read_reshaped(ir::TensorId id) const { return is_read_reshaped_[id]; }

  /// Stores the operands of operators that `fits` finds too much for one command.
  void require(const std::function<bool(ir::OpId)>& fits);

 private:
  [[nodiscard]] bool can_recompute(const ir::Operator& op) const;
  [[nodiscard]] bool can_recompute_reshaped(const ir::Operator& op) const;
  void find_consumers();

  const Lowering& lowering_;
  SmallDomains domains_;
  base::IndexedVector<ir::TensorId, std::vector<ir::OpId>> direct_consumers_, consumers_;
  base::IndexedVector<ir::OpId, bool> is_recomputed_;
  base::IndexedVector<ir::TensorId, bool> is_read_reshaped_;
};

}  // namespace vernier::passes
