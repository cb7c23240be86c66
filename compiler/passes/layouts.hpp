// SPDX-License-Identifier: Apache-2.0
// How inner tensors lie in memory. Dense, unless planes of N channels keep the array's reads free of bank conflicts and
// everyone who touches the tensor takes any strides.
#pragma once

#include "compiler/passes/groups.hpp"

namespace vernier::passes {

class Layouts {
 public:
  Layouts(const Lowering& lowering, const std::vector<Group>& groups, const std::vector<std::vector<ir::OpId>>& consumers);

  [[nodiscard]] package::Placement of(ir::TensorId id) const;
  /// Whether all readers of a tensor take it in any strides.
  [[nodiscard]] bool takes_views(ir::TensorId id) const;

 private:
  /// The greatest stride of the depthwise windows that read a tensor, 0: none does.
  [[nodiscard]] int64_t window_stride(ir::TensorId id) const;
  [[nodiscard]] bool can_be_planes(const Group& group, ir::TensorId id) const;
  [[nodiscard]] bool readers_take_planes(ir::TensorId id) const;

  const Lowering& lowering_;
  const std::vector<std::vector<ir::OpId>>& consumers_;
  std::vector<const Group*> group_of_;  // by OpId
  std::vector<bool> is_planes_;         // by TensorId
};

}  // namespace vernier::passes
