// SPDX-License-Identifier: Apache-2.0
// Builds an ir::Graph operator by operator.
#pragma once

#include "compiler/ir/graph.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace vernier::import::quantized {

class GraphBuilder {
 public:
  /// A new tensor; `name` gets a number where another tensor has it already.
  ir::TensorId add_tensor(base::ElementType type, base::Shape shape, const std::string& name);
  /// A constant of these elements.
  ir::TensorId add_constant(base::ElementType type, base::Shape shape, const std::vector<int64_t>& elements);
  /// The same of a tensor; never shared.
  ir::TensorId add_constant(base::Tensor value);
  /// While one is there, small constants with the same elements are one tensor: for programs that repeat their steps.
  class SharedConstants {
   public:
    explicit SharedConstants(GraphBuilder& builder) : builder_(builder) { builder_.does_share_ = true; }
    ~SharedConstants() {
      builder_.does_share_ = false;
      builder_.shared_.clear();
    }
    SharedConstants(const SharedConstants&) = delete;
    SharedConstants& operator=(const SharedConstants&) = delete;

   private:
    GraphBuilder& builder_;
  };
  /// A constant of one element, shape [1]: zero points and shifts.
  ir::TensorId add_scalar(base::ElementType type, int64_t element) { return add_constant(type, {1}, {element}); }
  /// The operand that says a shape, or a list like one.
  ir::TensorId add_shape(const std::vector<int64_t>& elements);

  /// An operator with one result, which it gives. `layer` is the node of the source that it works for.
  struct Result {
    base::ElementType type;
    base::Shape shape;
    std::string name;
  };
  ir::TensorId add(ir::OpKind kind, ir::Attributes attributes, std::vector<ir::TensorId> inputs, const Result& result,
                   const std::string& layer);

  /// Tensors of one type, one behind the other along `axis`: in groups of 64, since a CONCAT takes no more at the usual
  /// level. One tensor is itself.
  ir::TensorId concat(std::vector<ir::TensorId> parts, size_t axis, const std::string& name, const std::string& layer);

  /// Gives a tensor the name that it has to have.
  void rename(ir::TensorId id, const std::string& name);
  /// A name that is not to be given to any other tensor.
  void reserve_name(const std::string& name) { taken_.insert(name); }
  /// The name, with a number where a tensor has it already; no other tensor will get it.
  std::string unique_name(const std::string& name);
  [[nodiscard]] const ir::TensorInfo& tensor(ir::TensorId id) const { return graph_.tensor(id); }
  [[nodiscard]] ir::Graph& graph() { return graph_; }

 private:
  ir::Graph graph_;
  bool does_share_ = false;
  std::map<std::tuple<base::ElementType, base::Shape, std::vector<int64_t>>, ir::TensorId> shared_;
  std::set<std::string> taken_;
  std::map<std::string, int> copies_;  // of a name, further ones
};

/// Only what an output needs is an operator of the graph.
void remove_unread(ir::Graph& graph);

}  // namespace vernier::import::quantized
