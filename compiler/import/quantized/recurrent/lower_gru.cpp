// SPDX-License-Identifier: Apache-2.0
// GRU. With the gates z and r of a step's input and state h, and n of the input and of r h (or of r times the sums of h,
// where linear_before_reset is 1): the state becomes n + z (h - n).
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "compiler/import/quantized/recurrent/gate_sums.hpp"
#include "compiler/import/quantized/recurrent/gates.hpp"
#include "compiler/import/quantized/recurrent/layer.hpp"
#include "compiler/import/quantized/recurrent/recurrent.hpp"

#include <cmath>

namespace vernier::import::quantized {

namespace {

using Id = ir::TensorId;

constexpr size_t kGruStart = 5;
constexpr int64_t kCodeBits = 15;

/// One direction of a node.
class GruDirection {
 public:
  GruDirection(Lowering& lowering, const RecurrentLayer& layer, const StartState& start, size_t direction, bool is_linear)
      : lowering_(lowering),
        layer_(layer),
        start_(start),
        direction_(direction),
        is_linear_(is_linear),
        whole_(whole_bits(start.reach())),
        math_(lowering, layer.node) {}

  /// States by step, in steps of 2^-(29 - whole bits of the start).
  std::vector<Id> states() {
    const Direction& own = layer_.directions[direction_];
    const int64_t hidden = layer_.hidden;
    const std::vector<double> factors{0.5, 0.5, 1};  // Sigmoid of a number is tanh of its half
    // What is added to n outside of r times the sums of h comes with the input, all other biases with the state.
    std::vector<double> with_input(own.bias.size()), with_state = own.recurrence_bias;
    for (size_t i = 0; i < own.bias.size(); ++i)
      (is_linear_ && i >= static_cast<size_t>(2 * hidden) ? with_input : with_state)[i] += own.bias[i];
    const GateRows of_input = gate_rows(own.weights, with_input, factors);
    const GateRows of_state = gate_rows(own.recurrence, with_state, factors);
    of_gates_ = is_linear_ ? of_state : rows_from(of_state, 0, 2 * hidden);
    of_new_ = rows_from(of_state, 2 * hidden, hidden);
    unit_ = unit_bits_of(of_input, reach_of(layer_), of_state, std::ldexp(1.0, static_cast<int>(whole_)));
    const Format codes{16, {std::ldexp(1.0, static_cast<int>(whole_ - kCodeBits))}, {0}, 0, false};
    gate_sums_.emplace(lowering_, layer_.node, of_gates_, codes, unit_);
    if (!is_linear_) new_sums_.emplace(lowering_, layer_.node, of_new_, codes, unit_);
    const Id input_sums = input_sums_of(lowering_, math_, layer_, of_input, unit_);
    std::vector<Id> states(static_cast<size_t>(layer_.num_steps));
    Id state = start_.tensor(math_, direction_, kGateBits - whole_);
    known_ = start_.numbers(direction_);
    for (const int64_t step : steps_of(layer_, own)) {
      state = next(step_of(lowering_, layer_, input_sums, step), state);
      states[static_cast<size_t>(step)] = state;
      known_.reset();
    }
    return states;
  }

 private:
  [[nodiscard]] Id columns(Id tensor, int64_t gate, int64_t count) const {
    return columns_of(lowering_, layer_, tensor, gate * layer_.hidden, count * layer_.hidden);
  }

  Id next(Id from_input, Id state) {
    const int64_t to_codes = kGateBits - kCodeBits;
    const GateRows zr = rows_from(of_gates_, 0, 2 * layer_.hidden);
    const Id sums = known_ ? -1 : gate_sums_->of(math_, math_.codes16(state, to_codes));
    const Id of_zr = known_ ? known_sums(lowering_, zr, *known_, unit_) : columns(sums, 0, 2);
    const Id gates = one_plus_tanh(math_, math_.add(columns(from_input, 0, 2), of_zr), unit_);
    const Id z = columns(gates, 0, 1), r = columns(gates, 1, 1);
    Id of_n = -1;
    if (is_linear_) {
      const Id all = known_ ? known_sums(lowering_, of_new_, *known_, unit_) : columns(sums, 2, 1);
      of_n = math_.mul(r, all, kGateBits + 1);
    } else if (known_ && start_.is_zero()) {
      of_n = known_sums(lowering_, of_new_, *known_, unit_);
    } else {
      of_n = new_sums_->of(math_, math_.codes16(math_.mul(r, state, kGateBits + 1), to_codes));
    }
    Id n = tanh_of(math_, math_.add(columns(from_input, 2, 1), of_n), unit_);
    if (whole_ > 0) n = math_.shift_right(n, math_.number(4, whole_), true);
    return math_.add(n, math_.mul(z, math_.sub(state, n), kGateBits + 1));
  }

  Lowering& lowering_;
  const RecurrentLayer& layer_;
  const StartState& start_;
  size_t direction_;
  bool is_linear_;
  int64_t whole_, unit_ = 0;
  Arithmetic math_;
  GateRows of_gates_, of_new_;
  std::optional<GateSums> gate_sums_, new_sums_;
  std::optional<std::vector<double>> known_;  // the state before the step, where the file gives it
};

}  // namespace

void lower_gru(Lowering& lowering, const Node& node) {
  const int64_t linear = int_of(node, "linear_before_reset", 0);
  const RecurrentLayer layer = layer_of(lowering, node, 3, "Sigmoid Tanh");
  const StartState start(lowering, layer, kGruStart);
  const double most = std::ldexp(1.0, kMostWholeBits);
  if (!(start.reach() <= most)) refuse("states may be up to {:g}, allowed are {:g}", start.reach(), most);
  const GraphBuilder::SharedConstants shared(lowering.graph);
  States states{{}, kGateBits - whole_bits(start.reach()), int64_t{1} << kGateBits};
  for (size_t direction = 0; direction < layer.directions.size(); ++direction)
    states.tensors.push_back(GruDirection(lowering, layer, start, direction, linear != 0).states());
  define_sequence(lowering, layer, states, 0);
  define_last(lowering, layer, states, 1);
}

}  // namespace vernier::import::quantized
