// SPDX-License-Identifier: Apache-2.0
// What LSTM and GRU share: what the node says, the states that they start with, and their outputs.
#pragma once

#include "compiler/import/quantized/functions/arithmetic.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::import::quantized {

/// Weights of one direction, rows of all gates one after the other.
struct Direction {
  bool is_reverse = false;
  std::vector<double> weights, recurrence;    // [rows, inputs], [rows, hidden]
  std::vector<double> bias, recurrence_bias;  // of each row
};

/// Codes of 8 or 16 bits, [1, steps, batch, inputs]. Sums that no quantizer has met are two of them, added up: their high
/// bits and what these leave.
struct InputCodes {
  Format format;
  int64_t magnitude = 0;  // of code - zero point
  ir::TensorId tensor = -1;
};

/// A tensor of one step is [1, 1, batch, hidden], or as many columns as rows of weights.
struct RecurrentLayer {
  Node node;                         // whose first output has a name, of which those of tensors are made
  std::vector<std::string> outputs;  // the source's, empty where they are left out
  int64_t num_steps = 0, batch = 0, num_inputs = 0, hidden = 0;
  bool is_batch_first = false;
  std::vector<Direction> directions;
  std::vector<InputCodes> x;
};

/// What a node with `num_gates` gates says. Each direction has to have activation functions of these names.
RecurrentLayer layer_of(Lowering& lowering, const Node& node, int64_t num_gates, std::string_view activations);

/// What a state is before the first step: numbers that the file gives, zeros where there are none, or codes.
class StartState {
 public:
  /// `input`: the number of the node's input.
  StartState(Lowering& lowering, const RecurrentLayer& layer, size_t input);

  /// The greatest absolute number that it may hold.
  [[nodiscard]] double reach() const { return reach_; }
  [[nodiscard]] bool is_zero() const { return reach_ == 0; }
  /// [batch, hidden]; none where the state is computed.
  [[nodiscard]] std::optional<std::vector<double>> numbers(size_t direction) const;
  /// int32 in steps of 2^-bits, of one step's shape.
  [[nodiscard]] ir::TensorId tensor(Arithmetic& math, size_t direction, int64_t bits) const;

 private:
  Lowering& lowering_;
  const RecurrentLayer& layer_;
  std::vector<double> numbers_;  // [directions, batch, hidden]
  std::optional<Value> codes_;
  double reach_ = 0;
};

/// Columns of the last dimension.
ir::TensorId columns_of(Lowering& lowering, const RecurrentLayer& layer, ir::TensorId tensor, int64_t first, int64_t count);
/// A row of pixels out of [1, steps, batch, columns].
ir::TensorId step_of(Lowering& lowering, const RecurrentLayer& layer, ir::TensorId tensor, int64_t step);

/// int32 states by direction and step, in steps of 2^-bits, |state| <= magnitude: the output of all of them as the source
/// has it.
struct States {
  std::vector<std::vector<ir::TensorId>> tensors;
  int64_t bits = 0, magnitude = 0;
};
void define_sequence(Lowering& lowering, const RecurrentLayer& layer, const States& states, size_t output);
/// The last state of each direction: that of the first step where it is reverse.
void define_last(Lowering& lowering, const RecurrentLayer& layer, const States& states, size_t output);

/// The greatest absolute number of the input.
double reach_of(const RecurrentLayer& layer);

/// The steps in the order in which a direction takes them.
std::vector<int64_t> steps_of(const RecurrentLayer& layer, const Direction& direction);

}  // namespace vernier::import::quantized
