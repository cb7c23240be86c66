// SPDX-License-Identifier: Apache-2.0
// LSTM. With the gates i, o, f and g of a step's input and state h: the cell c becomes f c + i g, the state o tanh(c).
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/recurrent/gate_sums.hpp"
#include "compiler/import/quantized/recurrent/gates.hpp"
#include "compiler/import/quantized/recurrent/layer.hpp"
#include "compiler/import/quantized/recurrent/recurrent.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vernier::import::quantized {

namespace {

using Id = ir::TensorId;

constexpr size_t kStartState = 5, kStartCell = 6, kPeepholes = 7;  // inputs of a node
constexpr int64_t kStateBits = 15, kCellBits = 28, kFinestCell = 26;

void check_lstm(const Lowering& lowering, const Node& node) {
  if (lowering.has_input(node, kPeepholes))
    refuse("gates that read the cell (input P, '{}'), allowed are gates of the input and the state",
           node.inputs[kPeepholes]);
  if (const int64_t forget = int_of(node, "input_forget", 0); forget != 0)
    refuse("attribute input_forget is {}, allowed is 0", forget);
}

/// What all directions of a node share.
struct Lstm {
  Lowering& lowering;
  const RecurrentLayer& layer;
  const StartState &state, &cell;
  Arithmetic math;
  int64_t cell_bits;
};

/// States and cells of a direction, by step.
std::pair<std::vector<Id>, std::vector<Id>> run_lstm(Lstm& lstm, size_t direction) {
  const RecurrentLayer& layer = lstm.layer;
  Arithmetic& math = lstm.math;
  const Direction& own = layer.directions[direction];
  const std::vector<double> factors{0.5, 0.5, 0.5, 1};  // Sigmoid of a number is tanh of its half
  std::vector<double> bias = own.bias;
  for (size_t i = 0; i < bias.size(); ++i) bias[i] += own.recurrence_bias[i];
  const GateRows of_input = gate_rows(own.weights, std::vector<double>(bias.size()), factors);
  const GateRows of_state = gate_rows(own.recurrence, bias, factors);
  const int64_t whole = whole_bits(lstm.state.reach());
  const Format codes{16, {std::ldexp(1.0, static_cast<int>(whole - kStateBits))}, {0}, 0, false};
  const int64_t unit = unit_bits_of(of_input, reach_of(layer), of_state, std::ldexp(1.0, static_cast<int>(whole)));
  const GateSums state_sums(lstm.lowering, layer.node, of_state, codes, unit);
  const Id input_sums = input_sums_of(lstm.lowering, math, layer, of_input, unit);
  const auto gate = [&](Id gates, int64_t i) {
    return columns_of(lstm.lowering, layer, gates, i * layer.hidden, layer.hidden);
  };
  std::vector<Id> states(static_cast<size_t>(layer.num_steps)), cells = states;
  Id state = -1, cell = -1;  // codes of 16 bits; in steps of the cell
  if (!lstm.state.numbers(direction))
    state = math.codes16(lstm.state.tensor(math, direction, kGateBits - whole), kGateBits - kStateBits);
  if (!lstm.cell.is_zero()) cell = lstm.cell.tensor(math, direction, lstm.cell_bits);
  for (const int64_t step : steps_of(layer, own)) {
    const Id from_state =
        state < 0 ? known_sums(lstm.lowering, of_state, *lstm.state.numbers(direction), unit) : state_sums.of(math, state);
    const Id gates = one_plus_tanh(math, math.add(step_of(lstm.lowering, layer, input_sums, step), from_state), unit);
    const Id added = math.mul(gate(gates, 0), less_one(math, gate(gates, 3)), 2 * kGateBits + 1 - lstm.cell_bits);
    cell = cell < 0 ? added : math.add(math.mul(gate(gates, 2), cell, kGateBits + 1), added);
    const Id result = math.mul(gate(gates, 1), tanh_of(math, cell, lstm.cell_bits), kGateBits + 1);
    state = math.codes16(result, kGateBits - kStateBits + whole);
    states[static_cast<size_t>(step)] = result;
    cells[static_cast<size_t>(step)] = cell;
  }
  return {states, cells};
}

}  // namespace

void lower_lstm(Lowering& lowering, const Node& node) {
  check_lstm(lowering, node);
  const RecurrentLayer layer = layer_of(lowering, node, 4, "Sigmoid Tanh Tanh");
  const StartState state(lowering, layer, kStartState), cell(lowering, layer, kStartCell);
  const double reach = cell.reach() + static_cast<double>(layer.num_steps);
  const double most = std::ldexp(1.0, kMostWholeBits);
  if (!(std::max(reach, state.reach()) <= most))
    refuse("states may be up to {:g}, allowed are {:g}", std::max(reach, state.reach()), most);
  const GraphBuilder::SharedConstants shared(lowering.graph);
  Lstm lstm{
      lowering, layer, state, cell, Arithmetic(lowering, layer.node), std::min(kCellBits - whole_bits(reach), kFinestCell)};
  States states{{}, kGateBits, int64_t{1} << kGateBits}, cells{{}, lstm.cell_bits, int64_t{1} << kCellBits};
  for (size_t direction = 0; direction < layer.directions.size(); ++direction) {
    auto [own_states, own_cells] = run_lstm(lstm, direction);
    states.tensors.push_back(std::move(own_states));
    cells.tensors.push_back(std::move(own_cells));
  }
  define_sequence(lowering, layer, states, 0);
  define_last(lowering, layer, states, 1);
  define_last(lowering, layer, cells, 2);
}

}  // namespace vernier::import::quantized
