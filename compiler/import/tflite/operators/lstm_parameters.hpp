// SPDX-License-Identifier: Apache-2.0
// What an LSTM of int8 is, checked: its sizes, weights, and the ratios of scales that its kernel multiplies with.
#pragma once

#include "compiler/import/tflite/operators/fixed_rows.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace vernier::import::lite {

enum class LstmGate : uint8_t { Input, Forget, Cell, Output };

// Places of the operator's inputs.
inline constexpr size_t kLstmOutputState = 18, kLstmCellState = 19;

struct LstmPeephole {
  std::vector<int64_t> weights;  // one for each cell
  LiteMultiplier multiplier;
};

/// From cells to outputs; without weights there is none.
struct LstmProjection {
  std::vector<int64_t> weights, bias;  // the bias has the zero point of the cells in it
  LiteMultiplier multiplier;
  int64_t clip = 0;  // in codes; 0: none
};

struct LstmParameters {
  bool is_time_major = false;
  int64_t steps = 0, batch = 0, depth = 0, cells = 0, outputs = 0;
  std::vector<LstmGate> gates;  // in the order of the columns; without Input, that gate is one less Forget
  // Of all gates, one after the other: columns x depth, columns x outputs, columns.
  std::vector<int64_t> input_weights, state_weights, bias;
  std::vector<LiteMultiplier> input_multipliers, state_multipliers;
  std::map<LstmGate, LstmPeephole> peepholes;
  LstmProjection projection;
  LiteMultiplier hidden_multiplier;
  int64_t hidden_zero_point = 0, state_zero_point = 0;
  int64_t cell_clip = 0;  // in codes; 0: none
  int cell_bits = 0;      // log2 of the cell state's scale

  [[nodiscard]] int64_t columns() const { return std::ssize(gates) * cells; }
  [[nodiscard]] bool has_input_gate() const { return gates.front() == LstmGate::Input; }
  [[nodiscard]] int64_t column_of(LstmGate gate) const {
    return cells * (std::find(gates.begin(), gates.end(), gate) - gates.begin());
  }
};

/// LiteMistake for what the kernel does not take, and for layer normalization and diagonal weights.
LstmParameters lstm_parameters(const LiteLowering& lowering, const LiteOperator& op);

}  // namespace vernier::import::lite
