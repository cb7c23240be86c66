// SPDX-License-Identifier: Apache-2.0
// Another form of a graph, which is lowered in its place: some of its operators are others, which give the same results.
#pragma once

#include "compiler/ir/graph.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vernier::passes {

struct MergedGraph {
  ir::Graph graph;  // the tensors of the source, then new ones
  size_t num_source_tensors = 0;
  std::vector<std::vector<ir::OpId>> source_ops;  // by operator of `graph`: those of the source that it stands for
  /// Tensors of the source that nothing makes any more, and the tensor of which they were a part.
  struct Gone {
    ir::TensorId tensor = -1, whole = -1;
  };
  std::vector<Gone> gone;
};

/// Makes such a form, operator after operator.
class MergedGraphBuilder {
 public:
  /// The tensors, inputs and outputs of the source are there then, and no operator.
  void begin(const ir::Graph& source);
  [[nodiscard]] const ir::TensorInfo& tensor(ir::TensorId id) const { return made_.graph.tensor(id); }
  void add(ir::Operator op, std::vector<ir::OpId> source_ops);
  /// '_' is added to the name until no other tensor has it.
  ir::TensorId add_tensor(std::string name, base::ElementType type, const base::Shape& shape);
  ir::TensorId add_constant(const std::string& name, base::Tensor value);
  void add_gone(const MergedGraph::Gone& gone) { made_.gone.push_back(gone); }
  MergedGraph take() { return std::move(made_); }

 private:
  MergedGraph made_;
  std::set<std::string> names_;  // of all tensors, each once
};

}  // namespace vernier::passes
