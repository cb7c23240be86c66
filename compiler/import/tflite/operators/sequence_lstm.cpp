// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM of int8 with a cell state of int16: step after step, with all gates in one product. The
// products with the input are there for all steps at once. The kernel's functions of 16 bits are gathered from tables of all
// codes. Not read: layer normalization and diagonal weights.
#include "compiler/import/tflite/operators/fixed_point16.hpp"
#include "compiler/import/tflite/operators/lstm_parameters.hpp"
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/products.hpp"
#include "compiler/import/tflite/operators/states.hpp"

#include <functional>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

class SequenceLstm {
 public:
  SequenceLstm(LiteLowering& lowering, const LiteOperator& op)
      : lowering_(lowering),
        op_(op),
        lstm_(lstm_parameters(lowering, op)),
        rows_(lowering, op, {lstm_.batch, lstm_.cells}) {}

  void run() {
    const Id products = input_products();
    const State output_state = read_state(lowering_, op_, kLstmOutputState),
                cell_state = read_state(lowering_, op_, kLstmCellState);
    logistic_ = table(logistic16_of);
    tanh_ = table([](int64_t code) { return tanh16_of(code, 3); });
    tanh_of_cell_ = table([&](int64_t code) { return tanh16_of(code, 15 + lstm_.cell_bits); });
    state_matrix_ = lowering_.graph.add_constant(ElementType::Int8, {lstm_.columns(), lstm_.outputs}, lstm_.state_weights);
    Id hidden = lowering_.reshape(op_, output_state.value, {lstm_.batch, lstm_.outputs}, "hidden");
    Id cell = widened(lowering_.reshape(op_, cell_state.value, {lstm_.batch, lstm_.cells}, "cell"), "cell_wide");
    std::vector<Id> results;
    for (int64_t step = 0; step < lstm_.steps; ++step) {
      const Id from_input = lowering_.slice(op_, products, {step * lstm_.batch, 0}, {lstm_.batch, lstm_.columns()}, "step");
      const Id gates = gates_of(from_input, hidden);
      cell = next_cell(gates, cell);
      hidden = next_hidden(gate(gates, LstmGate::Output, cell), cell);
      results.push_back(lowering_.reshape(op_, hidden, {1, lstm_.batch, lstm_.outputs}, "result"));
    }
    keep(output_state, hidden);
    keep(cell_state, lowering_.rescale(op_, cell, {ElementType::Int16}, "cell_codes"));
    const Id all = lowering_.joined(op_, results, 0);
    lowering_.finish(op_, lstm_.is_time_major ? all : lowering_.transpose(op_, all, {1, 0, 2}, "by_batch"));
  }

 private:
  Id widened(Id from, const char* what) { return lowering_.rescale(op_, from, {ElementType::Int32}, what); }
  /// Numbers of int32 limited to int16.
  Id limited(Id from) { return widened(lowering_.rescale(op_, from, {ElementType::Int16}, "limited"), "limited_wide"); }
  Id scaled(Id from, const std::vector<LiteMultiplier>& multipliers, ElementType type) {
    return lowering_.rescale(op_, from, {type, 0, 0, multipliers}, "scaled");
  }
  void keep(const State& state, Id value) {
    write_state(lowering_, state, lowering_.reshape(op_, value, lowering_.shape_of(state.value), "kept"));
  }

  /// The result for each code of int16, from the least one on.
  Id table(const std::function<int64_t(int64_t)>& function) {
    std::vector<int64_t> results;
    for (int64_t code = -32768; code < 32768; ++code) results.push_back(function(code));
    return lowering_.graph.add_constant(ElementType::Int16, {1, std::ssize(results), 1}, results);
  }
  Id looked_up(Id codes, Id table) {
    const int64_t count = lstm_.batch * lstm_.cells;
    const Id at = lowering_.reshape(op_, rows_.add(codes, rows_.number(32768), "index"), {1, count}, "indices");
    const Id found = lowering_.add(op_, OpKind::Gather, {}, {table, at}, ElementType::Int16, {1, count, 1}, "found");
    return widened(lowering_.reshape(op_, found, {lstm_.batch, lstm_.cells}, "found_shaped"), "activation");
  }

  /// What the input adds to the gates of all steps: steps * batch rows of int16.
  Id input_products() {
    Id input = lowering_.value(op_, 0);
    if (!lstm_.is_time_major) input = lowering_.transpose(op_, input, {1, 0, 2}, "by_step");
    input = lowering_.reshape(op_, input, {lstm_.steps * lstm_.batch, lstm_.depth}, "inputs");
    const Id matrix = lowering_.graph.add_constant(ElementType::Int8, {lstm_.columns(), lstm_.depth}, lstm_.input_weights);
    const Id bias = lowering_.graph.add_constant(ElementType::Int32, {lstm_.columns()}, lstm_.bias);
    const Id sums = matrix_sums(lowering_, op_, input, zero_point_of(lowering_.input_codes(op_)), matrix, bias);
    return scaled(sums, lstm_.input_multipliers, ElementType::Int16);
  }

  Id gates_of(Id from_input, Id hidden) {
    const Id none = lowering_.graph.add_constant(ElementType::Int32, {1}, {0});
    const Id sums = matrix_sums(lowering_, op_, hidden, lstm_.state_zero_point, state_matrix_, none);
    const Id from_state = scaled(sums, lstm_.state_multipliers, ElementType::Int32);
    return limited(rows_.add(from_state, widened(from_input, "step_wide"), "gates"));
  }

  /// A gate after its function: batch x cells of int32, with 15 bits after the point.
  Id gate(Id gates, LstmGate which, Id cell) {
    Id codes = lowering_.slice(op_, gates, {0, lstm_.column_of(which)}, {lstm_.batch, lstm_.cells}, "gate");
    if (const auto peephole = lstm_.peepholes.find(which); peephole != lstm_.peepholes.end()) {
      const Id weights = lowering_.graph.add_constant(ElementType::Int32, {1, lstm_.cells}, peephole->second.weights);
      const Id product = lowering_.product(op_, cell, weights, {lstm_.batch, lstm_.cells}, "peephole");
      codes = limited(rows_.add(scaled(product, {peephole->second.multiplier}, ElementType::Int32), codes, "gate_sum"));
    }
    return looked_up(codes, which == LstmGate::Cell ? tanh_ : logistic_);
  }

  Id next_cell(Id gates, Id cell) {
    const auto product = [&](Id a, Id b, int64_t bits) {
      return rows_.over_power(lowering_.product(op_, a, b, {lstm_.batch, lstm_.cells}, "product"), rows_.number(bits));
    };
    const Id forget = gate(gates, LstmGate::Forget, cell);
    const Id input =
        lstm_.has_input_gate() ? gate(gates, LstmGate::Input, cell) : rows_.sub(rows_.number(32767), forget, "input_gate");
    const Id added = product(input, gate(gates, LstmGate::Cell, cell), 30 + lstm_.cell_bits);
    const Id next = limited(rows_.add(product(forget, cell, 15), added, "next_cell"));
    if (lstm_.cell_clip == 0) return next;
    return rows_.greatest(rows_.least(next, rows_.number(lstm_.cell_clip)), rows_.number(-lstm_.cell_clip));
  }

  Id next_hidden(Id output_gate, Id cell) {
    const Id product =
        lowering_.product(op_, output_gate, looked_up(cell, tanh_of_cell_), {lstm_.batch, lstm_.cells}, "hidden");
    const Id wide = rows_.add(scaled(product, {lstm_.hidden_multiplier}, ElementType::Int32),
                              rows_.number(lstm_.hidden_zero_point), "hidden_sum");
    const Id hidden = lowering_.rescale(op_, wide, {ElementType::Int8}, "hidden_codes");
    return lstm_.projection.weights.empty() ? hidden : projected(hidden);
  }

  Id projected(Id hidden) {
    const LstmProjection& projection = lstm_.projection;
    const Id matrix = lowering_.graph.add_constant(ElementType::Int8, {lstm_.outputs, lstm_.cells}, projection.weights);
    const Id bias = lowering_.graph.add_constant(ElementType::Int32, {lstm_.outputs}, projection.bias);
    const Id sums = matrix_sums(lowering_, op_, hidden, 0, matrix, bias);
    const Id codes =
        lowering_.rescale(op_, sums, {ElementType::Int8, 0, lstm_.state_zero_point, {projection.multiplier}}, "projected");
    if (projection.clip == 0) return codes;
    return lowering_.add(op_, OpKind::Clamp, ir::ClampAttributes{-projection.clip, projection.clip}, {codes},
                         ElementType::Int8, lowering_.shape_of(codes), "clipped");
  }

  LiteLowering& lowering_;
  const LiteOperator& op_;
  LstmParameters lstm_;
  FixedRows rows_;
  Id logistic_{}, tanh_{}, tanh_of_cell_{}, state_matrix_{};
};

}  // namespace

void lower_sequence_lstm(LiteLowering& lowering, const LiteOperator& op) { SequenceLstm(lowering, op).run(); }

}  // namespace vernier::import::lite
