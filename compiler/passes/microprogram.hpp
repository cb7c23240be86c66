// SPDX-License-Identifier: Apache-2.0
// Builds the steps of one vector command from values: a value is written once, and has a register of its own until the
// command is scheduled (hw/spec/vector_schedule.hpp).
//
//   phase   Init                       Body                       Final
//   value   accumulators, constants,   loads, arithmetic, stores  what follows from accumulators
//           what rows have in common
//
// A step runs in the latest phase of its operands; without rows everything is Body. Equal steps on equal values are made
// once.
#pragma once

#include "compiler/passes/lowering.hpp"
#include "hw/base/indexed_vector.hpp"
#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace vernier::passes {

/// Index of a value in its program.
using Value = int32_t;

/// What a stream moves: a tensor of the graph, whose last dimension is that of the iterations.
struct StreamUse {
  ir::TensorId tensor = -1;
  bool is_unsigned = false;
  bool is_store = false;
  base::Shape shape{};  // as which it is read, where that is not its own
  bool operator==(const StreamUse&) const = default;
};

class Microprogram {
 public:
  /// `has_rows`: there is an Init phase for what the elements of a row (of a reduction) have in common.
  explicit Microprogram(bool has_rows = false) : has_rows_(has_rows) {}

  /// Elements of a tensor, less `subtract`, times 2^shift; one for the row (has_rows) or for each element.
  Value load(const StreamUse& stream, int64_t subtract = 0, int64_t shift = 0, bool is_for_row = false);
  Value constant(int64_t value);
  /// A step on values; `c` is the third operand of Select, or the shift of Rescale (then c_is_shift is set).
  Value step(spec::VectorStep step, Value a, Value b = -1, Value c = -1);
  void store(Value value, ir::TensorId tensor, spec::VectorPhase phase);
  /// Starts from `identity` and takes in `value` with `combine` at every iteration; the result is a value of Final. `across`
  /// is ReduceAdd, ReduceMax or ReduceMin: when lanes are reduced, each accumulates by itself and they meet at the end.
  Value reduce(Value value, spec::VectorOp combine, spec::VectorOp across, int64_t identity);
  /// Index of a table among those that the program uses.
  int64_t table(TableId table);

  [[nodiscard]] const std::vector<StreamUse>& streams() const { return streams_; }
  [[nodiscard]] const std::vector<TableId>& tables() const { return tables_; }

  /// The steps, to be scheduled; nothing when the machine has too few steps, streams or table slots.
  /// `lanes_reduced`: whether a reduction goes across the lanes.
  [[nodiscard]] std::optional<std::vector<spec::VectorStep>> assemble(bool lanes_reduced) const;

 private:
  struct Node {
    spec::VectorStep step;
    std::array<Value, 3> operands{-1, -1, -1};
    Value accumulator = -1;  // the value that this one replaces, in its register
    bool is_across = false;  // needed only when lanes are reduced; else it is its operand
  };
  Value add(const Node& node);
  Value add_once(const Node& node);
  [[nodiscard]] Value resolved(Value value, bool lanes_reduced) const;
  [[nodiscard]] const Node& node(Value value) const { return nodes_[static_cast<size_t>(value)]; }
  int64_t stream(const StreamUse& use);
  [[nodiscard]] base::IndexedVector<Value, Value> accumulated_loads() const;
  [[nodiscard]] std::vector<Value> in_phase_order() const;

  bool has_rows_;
  std::vector<Node> nodes_;
  std::vector<StreamUse> streams_;
  std::vector<TableId> tables_;
};

}  // namespace vernier::passes
