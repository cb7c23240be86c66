// SPDX-License-Identifier: Apache-2.0
// A grouped convolution as it stands in a TOSA graph (picture in merge_groups.hpp): found, and its constants put together.
#pragma once

#include "compiler/ir/graph.hpp"

#include <vector>

namespace vernier::passes {

struct GroupedConvolution {
  ir::TensorId input = -1;  // rank 4; group i reads channels first_channel + i x (channels of a group)
  int64_t first_channel = 0;
  struct Group {
    ir::OpId slice = -1;        // other operators may read it, too
    std::vector<ir::OpId> ops;  // the CONV2D and what follows it: the same in all groups but for constants
  };
  std::vector<Group> groups;
  ir::OpId concat = -1;
  std::vector<ir::OpId> after;  // RESCALE, CLAMP and TABLE, each the only reader of the one before

  [[nodiscard]] ir::OpId last_op() const { return after.empty() ? concat : after.back(); }
  /// All operators but the SLICEs, of `together` groups from `first` on, then the CONCAT and what follows it.
  [[nodiscard]] std::vector<ir::OpId> ops_of(size_t first, size_t together) const;
  [[nodiscard]] std::vector<ir::OpId> all_ops() const { return ops_of(0, groups.size()); }
  [[nodiscard]] const base::Tensor& weights(const ir::Graph& graph, size_t group) const;
};

/// All of at least two groups.
std::vector<GroupedConvolution> find_grouped_convolutions(const ir::Graph& graph);

/// Weights of the groups `first` to `first + together` as one convolution, at their zero point between groups.
base::Tensor merged_weights(const ir::Graph& graph, const GroupedConvolution& grouped, int64_t first, int64_t together);
/// Constant operand `operand` of operator `place` of these groups, an element for each output channel.
base::Tensor merged_operand(const ir::Graph& graph, const GroupedConvolution& grouped, int64_t first, int64_t together,
                            size_t place, size_t operand);
/// The elements of an operand after the CONCAT that are for the output channels of these groups; of one for all, this one.
base::Tensor operand_of_part(const ir::Graph& graph, const GroupedConvolution& grouped, int64_t first, int64_t together,
                             ir::TensorId operand);

}  // namespace vernier::passes
