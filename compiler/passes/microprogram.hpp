// SPDX-License-Identifier: Apache-2.0
// Builds the steps of one vector command from values: a value is written once, and gets a register when the program is
// assembled.
//
//   phase   Init          Body                       Final
//   value   accumulators  loads, arithmetic, stores  stores of accumulators
#pragma once

#include "compiler/ir/graph.hpp"
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
  bool operator==(const StreamUse&) const = default;
};

class Microprogram {
 public:
  /// Elements of a tensor, less `subtract`, times 2^shift. The same load is made once.
  Value load(const StreamUse& stream, int64_t subtract = 0, int64_t shift = 0);
  Value constant(int64_t value);
  /// A step on values; `c` is the third operand of Select, or the shift of Rescale (then c_is_shift is set).
  Value step(spec::VectorStep step, Value a, Value b = -1, Value c = -1);
  void store(Value value, ir::TensorId tensor, spec::VectorPhase phase);
  /// Starts from `identity` and takes in `value` with `combine` at every iteration; the result is for stores in Final.
  /// `across` is ReduceAdd, ReduceMax or ReduceMin: it goes in front when lanes are reduced.
  Value reduce(Value value, spec::VectorOp combine, spec::VectorOp across, int64_t identity);
  /// Index of a table (by its constant) among those that the program uses.
  int64_t table(ir::TensorId table);

  [[nodiscard]] const std::vector<StreamUse>& streams() const { return streams_; }
  [[nodiscard]] const std::vector<ir::TensorId>& tables() const { return tables_; }

  /// The steps in registers; nothing when the machine has too few steps, registers, streams or table slots.
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
  int64_t stream(const StreamUse& use);
  [[nodiscard]] std::vector<Value> in_phase_order() const;

  std::vector<Node> nodes_;
  std::vector<StreamUse> streams_;
  std::vector<ir::TensorId> tables_;
};

}  // namespace vernier::passes
