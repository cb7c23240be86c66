// SPDX-License-Identifier: Apache-2.0
// A part of a network with control flow while operators are put into it. Internal to compiler/emit.
#pragma once

#include "compiler/emit/flow_plan.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vernier::emit {

/// What a tensor of a graph is at the place that a plan has reached.
struct Known {
  std::shared_ptr<const base::Tensor> constant;  // one of the three
  ValueId value = -1;
  ir::TensorId open = -1;  // of the part that is being filled
};

class OpenPart {
 public:
  [[nodiscard]] ir::Graph& graph() { return part_.graph; }
  /// The tensor's name is made unique.
  ir::TensorId add_tensor(ir::TensorInfo info);
  /// The tensor of the part for what is known; a constant gets the name, a value becomes an input of the part.
  ir::TensorId tensor_of(const Known& known, const std::string& name, const std::vector<CarriedValue>& values);
  /// An IDENTITY of a tensor.
  ir::TensorId add_copy(ir::TensorId from, ir::TensorInfo info);
  /// The tensor becomes an output with the name of the value, unless it is one already.
  void put_out(ir::TensorId id, ValueId value, const std::vector<CarriedValue>& values);
  /// The value that an output of the part goes to.
  [[nodiscard]] std::optional<ValueId> value_of(ir::TensorId id) const;
  /// The part as it is; an empty one is there afterwards.
  FlowPart take();

 private:
  FlowPart part_;
  std::set<std::string> names_;
  std::map<const base::Tensor*, ir::TensorId> constants_;
  std::map<ValueId, ir::TensorId> values_;
  std::map<ir::TensorId, ValueId> outputs_;
};

}  // namespace vernier::emit
