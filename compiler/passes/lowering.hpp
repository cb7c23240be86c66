// SPDX-License-Identifier: Apache-2.0
// Private to compiler/passes: what the lowerings share. The source graph stays as it is, so that its TensorIds name things
// throughout; what is known beside it (constant values, places, views) is kept here, by TensorId.
#pragma once

#include "compiler/passes/program.hpp"
#include "hw/base/error.hpp"

#include <map>
#include <memory>

namespace vernier::passes {

class Lowering {
 public:
  /// Buffers for the graph's inputs, values of its constants; `options.optimize` 0 or 1.
  Lowering(const ir::Graph& source, const config::MachineConfig& machine, const LoweringOptions& lowering_options,
           const std::string& source_file);

  const ir::Graph& graph;
  const config::MachineConfig& config;
  const LoweringOptions options;
  const std::string& file;
  Program program;

  [[nodiscard]] bool is_optimizing() const { return options.optimize > 0; }
  [[nodiscard]] int64_t lanes() const { return config.datapath.lanes; }
  [[nodiscard]] const ir::Operator& op(ir::OpId id) const { return graph.operators[static_cast<size_t>(id)]; }
  [[nodiscard]] const base::Shape& shape(ir::TensorId id) const { return graph.tensor(id).shape; }
  [[nodiscard]] base::ElementType type(ir::TensorId id) const { return graph.tensor(id).type; }
  [[nodiscard]] bool is_output(ir::TensorId id) const { return is_output_[static_cast<size_t>(id)]; }

  /// The value of a tensor where it is known at compile time, else null.
  [[nodiscard]] const base::Tensor* value(ir::TensorId id) const { return values_[static_cast<size_t>(id)].get(); }
  void set_value(ir::TensorId id, base::Tensor value);
  /// The value if all elements are equal.
  [[nodiscard]] std::optional<int64_t> uniform_value(ir::TensorId id) const;
  /// A constant operand; UserError ("not there yet") when it is computed.
  const base::Tensor& constant_operand(const ir::Operator& op, size_t operand_idx, std::string_view what) const;
  /// The element of a constant operand with one element.
  int64_t scalar_operand(const ir::Operator& op, size_t operand_idx, std::string_view what) const;
  /// "CONV2D 'layer_3'": how messages name an operator.
  [[nodiscard]] std::string describe(const ir::Operator& op) const;

  BufferId add_buffer(Buffer buffer);
  /// A buffer that holds the constant tensor, made once.
  BufferId constant_buffer(ir::TensorId id);
  /// A table in the hardware's format; equal tables share a buffer.
  BufferId table_buffer(ir::TensorId id);
  /// The first tensor seen that holds the same table.
  ir::TensorId canonical_table(ir::TensorId id);

  /// Makes the buffer of a tensor that a step will produce, in that layout.
  const TensorPlace& materialise(ir::TensorId id, const package::Placement& placement);
  /// The tensor can be read where another one lies: no step, no place of its own.
  void set_view(ir::TensorId id, const TensorPlace& place);
  /// Where a tensor can be read: materialised, a view, or a constant (then its buffer is made).
  const TensorPlace& view(ir::TensorId id);

  void add_folded(ir::TensorId id, std::string reason);
  void add_step(Step step);
  /// The whole of a tensor.
  [[nodiscard]] Production whole(ir::TensorId id, int32_t row_dim, int32_t channel_dim = -1) const;

 private:
  std::vector<std::shared_ptr<const base::Tensor>> values_;
  std::vector<std::optional<TensorPlace>> views_;
  std::vector<bool> is_output_;
  std::map<std::string, ir::TensorId> tables_;  // by contents
  std::map<ir::TensorId, BufferId> table_buffers_;
};

}  // namespace vernier::passes
