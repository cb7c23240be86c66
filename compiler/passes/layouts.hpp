// SPDX-License-Identifier: Apache-2.0
// How inner tensors lie in memory. Dense, unless planes of N channels keep the array's reads free of bank conflicts and
// everyone who touches the tensor takes any strides.
#pragma once

#include "compiler/passes/groups.hpp"
#include "hw/base/indexed_vector.hpp"

namespace vernier::passes {

class Layouts {
 public:
  Layouts(const Lowering& lowering, const std::vector<Group>& groups, const Recompute& recompute);

  [[nodiscard]] package::Placement of(ir::TensorId id) const;
  /// Whether all readers of a tensor take it in any strides.
  [[nodiscard]] bool takes_views(ir::TensorId id) const;
  /// Whether all readers of a TRANSPOSE can read its operand instead, in other strides.
  [[nodiscard]] bool takes_transposed(ir::OpId transpose) const;
  /// Whether a PAD adds rows and columns of zero points around what convolutions read: they pad by themselves, for nothing.
  [[nodiscard]] bool is_padding_of_readers(ir::OpId pad) const;

 private:
  /// The greatest stride of the depthwise windows that read a tensor, 0: none does.
  [[nodiscard]] int64_t window_stride(ir::TensorId id) const;
  /// The shape in which an ADD in the array's epilogue reads `id` as its other side.
  [[nodiscard]] std::optional<base::Shape> shape_as_addend(ir::TensorId id, ir::OpId reader) const;
  /// A convolution whose windows, so padded, still meet the map everywhere.
  [[nodiscard]] bool can_pad(const ir::Operator& op, const base::Tensor& padding) const;
  /// Whether a reader wants neighbouring pixels side by side: a convolution, a pool.
  [[nodiscard]] bool is_read_as_map(ir::TensorId id) const;
  [[nodiscard]] bool can_be_planes(const Group& group, ir::TensorId id) const;
  [[nodiscard]] bool readers_take_planes(ir::TensorId id) const;

  const Lowering& lowering_;
  const Recompute& recompute_;
  const base::IndexedVector<ir::TensorId, std::vector<ir::OpId>>& consumers_;
  base::IndexedVector<ir::OpId, const Group*> group_of_;  // by OpId
  base::IndexedVector<ir::TensorId, bool> is_planes_;
};

}  // namespace vernier::passes
