// SPDX-License-Identifier: Apache-2.0
// Private to compiler/passes: what the lowerings share. The source graph stays as it is, so that its TensorIds name things
// throughout; what is known beside it (constant values, places, views) is kept here, by TensorId.
#pragma once

#include "compiler/passes/program.hpp"
#include "hw/base/error.hpp"
#include "hw/base/indexed_vector.hpp"

#include <map>
#include <memory>

namespace vernier::passes {

/// Index of a table among those of a lowering.
using TableId = int32_t;

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
  [[nodiscard]] const ir::Operator& op(ir::OpId id) const { return graph.operators[id]; }
  [[nodiscard]] const base::Shape& shape(ir::TensorId id) const { return graph.tensor(id).shape; }
  [[nodiscard]] base::ElementType type(ir::TensorId id) const { return graph.tensor(id).type; }
  /// The operator that computes a tensor, -1 for inputs and for what is known at compile time.
  [[nodiscard]] ir::OpId producer(ir::TensorId id) const { return value(id) == nullptr ? producers_[id] : -1; }
  [[nodiscard]] bool is_output(ir::TensorId id) const { return is_output_[id]; }

  /// The value of a tensor where it is known at compile time, else null.
  [[nodiscard]] const base::Tensor* value(ir::TensorId id) const { return values_[id].get(); }
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
  /// A table in the hardware's format; equal ones are one, under the first one's name.
  TableId add_table(const std::string& name, std::vector<std::byte> contents);
  TableId add_table(ir::TensorId table);
  /// Where a table lies. One that is computed is copied by steps for `ops`, unless it is a buffer by itself.
  BufferId table_buffer(TableId id, const std::vector<ir::OpId>& ops);

  /// Makes the buffer of a tensor that a step will produce, in that layout; a part of another one lies in that.
  const TensorPlace& materialise(ir::TensorId id, const package::Placement& placement);
  [[nodiscard]] bool has_place(ir::TensorId id) const { return program.places[id].has_value(); }
  /// What makes `id` later writes it into `whole`, which is materialised, from `begin` on: it has no place of its own.
  void set_part(ir::TensorId id, ir::TensorId whole, const base::Shape& begin) { parts_[id] = {whole, begin}; }
  [[nodiscard]] bool is_part(ir::TensorId id) const { return parts_.contains(id); }
  /// The tensor can be read where another one lies: no step, no place of its own.
  void set_view(ir::TensorId id, const TensorPlace& place);
  /// The tensor is `inner` with `before` rows and columns of its readers' zero point in front: they read that instead.
  struct Padding {
    ir::TensorId inner = -1;
    int64_t rows_before = 0, columns_before = 0;
  };
  void set_padding(ir::TensorId id, const Padding& padding) { paddings_[id] = padding; }
  /// `inner` is the tensor itself where none was set.
  [[nodiscard]] Padding padding(ir::TensorId id) const {
    const auto found = paddings_.find(id);
    return found != paddings_.end() ? found->second : Padding{id};
  }
  /// Where a tensor can be read: materialised, a view, or a constant (then its buffer is made).
  const TensorPlace& view(ir::TensorId id);
  /// How it lies there; of a constant that has no buffer yet, how it will.
  [[nodiscard]] package::Placement placement(ir::TensorId id) const;

  /// The first reason counts.
  void add_folded(ir::TensorId id, std::string reason);
  /// Productions of parts become productions of the whole.
  void add_step(Step step);
  /// The whole of a tensor.
  [[nodiscard]] Production whole(ir::TensorId id, int32_t row_dim, int32_t channel_dim = -1) const;

 private:
  base::IndexedVector<ir::TensorId, std::shared_ptr<const base::Tensor>> values_;
  base::IndexedVector<ir::TensorId, std::optional<TensorPlace>> views_;
  base::IndexedVector<ir::TensorId, bool> is_output_, is_folded_;
  base::IndexedVector<ir::TensorId, ir::OpId> producers_;
  std::map<ir::TensorId, Padding> paddings_;
  struct Part {
    ir::TensorId whole = -1;
    base::Shape begin;
  };
  std::map<ir::TensorId, Part> parts_;
  struct Table {
    std::string name;
    std::vector<std::byte> contents;
    ir::TensorId computed = -1;  // the tensor that holds it, where its contents are not known
    BufferId buffer = -1;
  };
  BufferId computed_table(ir::TensorId table, const std::vector<ir::OpId>& ops);
  base::IndexedVector<TableId, Table> tables_;
  std::map<std::string, TableId> table_ids_;  // by contents
};

}  // namespace vernier::passes
