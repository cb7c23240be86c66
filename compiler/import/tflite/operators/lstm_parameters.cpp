// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operators/lstm_parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace vernier::import::lite {

namespace {

using Options = tflite::UnidirectionalSequenceLSTMOptions;

// Places of the operator's inputs. Of the first four there is one for each gate.
constexpr size_t kInputWeights = 1, kStateWeights = 5, kPeepholes = 9, kBiases = 12, kProjection = 16, kProjectionBias = 17;
constexpr size_t kNorms = 20, kHidden = 4, kNumIntermediates = 5;
/// The gates have 12 bits after the point.
constexpr float kGateScale = 1.0F / 4096;

LiteMultiplier multiplier_of(float ratio) { return lite_multiplier(static_cast<double>(ratio)); }

void check_kind(const LiteLowering& lowering, const LiteOperator& op, const Options& options) {
  const LiteTensor& input = lowering.input_codes(op);
  if (is_16_bits(input) || input.is_unsigned)
    refuse("'{}' is {}, allowed is INT8, as the kernel has it", input.name, type_in_file(input));
  if (input.shape.size() != 3) refuse("the input is {}, expected 3 dimensions", base::to_string(input.shape));
  for (size_t i = kNorms; i < op.inputs.size(); ++i) {
    if (lowering.has_input(op, i)) refuse("it has layer normalization, which is not read");
  }
  if (options.diagonal_recurrent_tensors()) refuse("it has diagonal weights, which are not read");
  if (options.fused_activation_function() != tflite::ActivationFunctionType::TANH)
    refuse("fused activation {}, allowed is TANH",
           tflite::EnumNameActivationFunctionType(options.fused_activation_function()));
  if (op.intermediates.size() != kNumIntermediates)
    refuse("{} intermediate tensors, expected {}", op.intermediates.size(), kNumIntermediates);
  for (const float clip : {options.cell_clip(), options.proj_clip()}) {
    if (!(clip >= 0) || !std::isfinite(clip)) refuse("a clip of {}, allowed are finite numbers from 0 on", clip);
  }
}

/// The elements of weights of INT8 or INT16 with one scale and that shape.
std::vector<int64_t> weights_of_shape(const LiteLowering& lowering, const LiteOperator& op, size_t index,
                                      const base::Shape& shape, tflite::TensorType type = tflite::TensorType::INT8) {
  const LiteTensor& weights = lowering.input(op, index);
  if (weights.type != type || weights.is_unsigned || weights.shape != shape)
    refuse("input {} '{}' is {} of {}, expected {} of {}", index, weights.name, base::to_string(weights.shape),
           type_in_file(weights), base::to_string(shape), to_string(type));
  if (weights.scales.size() != 1 || zero_point_of(weights) != 0)
    refuse("the weights '{}' have {} scales, expected one, and a zero point of 0", weights.name, weights.scales.size());
  return lowering.elements(op, index, "the weights");
}

std::vector<int64_t> bias_of_size(const LiteLowering& lowering, const LiteOperator& op, size_t index, int64_t size) {
  const LiteTensor& bias = lowering.input(op, index);
  if (bias.type != tflite::TensorType::INT32 || bias.shape != base::Shape{size})
    refuse("the bias '{}' is {} of {}, expected {} numbers of INT32", bias.name, base::to_string(bias.shape),
           type_in_file(bias), size);
  return lowering.elements(op, index, "the bias");
}

template <typename Element>
void append(std::vector<Element>& to, const std::vector<Element>& what) {
  to.insert(to.end(), what.begin(), what.end());
}

void read_sizes(LstmParameters& lstm, const LiteLowering& lowering, const LiteOperator& op) {
  const size_t last = static_cast<size_t>(LstmGate::Output);
  const base::Shape &input = lowering.input(op, 0).shape, &weights = lowering.input(op, kInputWeights + last).shape,
                    &recurrent = lowering.input(op, kStateWeights + last).shape;
  lstm.steps = input[lstm.is_time_major ? 0 : 1], lstm.batch = input[lstm.is_time_major ? 1 : 0], lstm.depth = input[2];
  if (weights.size() != 2 || recurrent.size() != 2)
    refuse("the weights of the output gate are {} and {}, expected 2 dimensions", base::to_string(weights),
           base::to_string(recurrent));
  lstm.cells = weights[0], lstm.outputs = recurrent[1];
  constexpr int64_t kMostSteps = 512;
  if (lstm.steps > kMostSteps) refuse("{} steps, allowed are up to {}", lstm.steps, kMostSteps);
}

void read_states(LstmParameters& lstm, const LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &output_state = lowering.codes(lowering.input(op, kLstmOutputState)),
                   &cell_state = lowering.codes(lowering.input(op, kLstmCellState));
  check_same_type(output_state, lowering.output(op));
  if (base::num_elements(output_state.shape) != lstm.batch * lstm.outputs)
    refuse("the state '{}' is {}, expected {} numbers", output_state.name, base::to_string(output_state.shape),
           lstm.batch * lstm.outputs);
  if (!is_16_bits(cell_state) || base::num_elements(cell_state.shape) != lstm.batch * lstm.cells)
    refuse("the state '{}' is {} of {}, expected {} numbers of INT16", cell_state.name, base::to_string(cell_state.shape),
           type_in_file(cell_state), lstm.batch * lstm.cells);
  const double power = std::log2(scale_of(cell_state));
  lstm.cell_bits = static_cast<int>(std::round(power));
  if (std::abs(power - lstm.cell_bits) > 1e-3 || lstm.cell_bits < -15 || lstm.cell_bits > -9)
    refuse("the state '{}' has a scale of {:g}, allowed are the powers of two from 2^-15 to 2^-9", cell_state.name,
           scale_of(cell_state));
  lstm.state_zero_point = zero_point_of(output_state);
}

void read_gate(LstmParameters& lstm, const LiteLowering& lowering, const LiteOperator& op, LstmGate gate) {
  const auto place = static_cast<size_t>(gate);
  append(lstm.input_weights, weights_of_shape(lowering, op, kInputWeights + place, {lstm.cells, lstm.depth}));
  append(lstm.state_weights, weights_of_shape(lowering, op, kStateWeights + place, {lstm.cells, lstm.outputs}));
  append(lstm.bias, bias_of_size(lowering, op, kBiases + place, lstm.cells));
  const auto of_channel = [&](size_t from, size_t weights) {
    const float ratio =
        lowering.input(op, weights + place).scales.front() * lowering.input(op, from).scales.front() / kGateScale;
    return std::vector<LiteMultiplier>(static_cast<size_t>(lstm.cells), multiplier_of(ratio));
  };
  append(lstm.input_multipliers, of_channel(0, kInputWeights));
  append(lstm.state_multipliers, of_channel(kLstmOutputState, kStateWeights));
}

/// The cell's own weights, of all gates but Cell.
void read_peepholes(LstmParameters& lstm, const LiteLowering& lowering, const LiteOperator& op) {
  constexpr std::array kOrder{LstmGate::Input, LstmGate::Forget, LstmGate::Output};
  for (size_t i = 0; i < kOrder.size(); ++i) {
    if (!lowering.has_input(op, kPeepholes + i)) continue;
    if (std::find(lstm.gates.begin(), lstm.gates.end(), kOrder.at(i)) == lstm.gates.end())
      refuse("the cell's weights of the input gate, which it has not");
    if (lstm.outputs != lstm.cells)
      refuse("the cell's own weights with a projection from {} to {}, allowed is the same number", lstm.cells, lstm.outputs);
    LstmPeephole peephole;
    peephole.weights = weights_of_shape(lowering, op, kPeepholes + i, {lstm.cells}, tflite::TensorType::INT16);
    const double ratio =
        std::ldexp(scale_of(lowering.input(op, kPeepholes + i)), lstm.cell_bits) / static_cast<double>(kGateScale);
    peephole.multiplier = multiplier_of(static_cast<float>(ratio));
    lstm.peepholes[kOrder.at(i)] = std::move(peephole);
  }
  if (!lstm.peepholes.empty() && lstm.peepholes.size() + 1 != lstm.gates.size())
    refuse("the cell's own weights of {} gates, expected {}", lstm.peepholes.size(), lstm.gates.size() - 1);
}

/// The cells' results, and the projection that makes outputs of them. The kernel takes their zero point with the other sign
/// where there is one.
void read_hidden(LstmParameters& lstm, const LiteLowering& lowering, const LiteOperator& op, const Options& options) {
  const LiteTensor& hidden = lowering.network.tensors[static_cast<size_t>(op.intermediates[kHidden])];
  if (hidden.scales.size() != 1) refuse("the intermediate tensor '{}' has no scale", hidden.name);
  const int64_t zero_point = zero_point_of(hidden);
  lstm.hidden_multiplier = multiplier_of(static_cast<float>(std::ldexp(1.0, -15) / scale_of(hidden) * std::ldexp(1.0, -15)));
  if (!lowering.has_input(op, kProjection)) {
    lstm.hidden_zero_point = zero_point;
    if (lstm.cells != lstm.outputs) refuse("{} cells and {} outputs without a projection", lstm.cells, lstm.outputs);
    return;
  }
  lstm.hidden_zero_point = -zero_point;
  LstmProjection& projection = lstm.projection;
  projection.weights = weights_of_shape(lowering, op, kProjection, {lstm.outputs, lstm.cells});
  projection.bias.assign(static_cast<size_t>(lstm.outputs), 0);
  if (lowering.has_input(op, kProjectionBias)) projection.bias = bias_of_size(lowering, op, kProjectionBias, lstm.outputs);
  for (size_t i = 0; i < projection.weights.size(); ++i)
    projection.bias[i / static_cast<size_t>(lstm.cells)] += zero_point * projection.weights[i];
  const float of_state = lowering.input(op, kLstmOutputState).scales.front();
  projection.multiplier = multiplier_of(lowering.input(op, kProjection).scales.front() * hidden.scales.front() / of_state);
  const float clip = options.proj_clip() / lowering.output_codes(op).scales.front();
  projection.clip = static_cast<int64_t>(std::min(clip, 127.0F));
}

}  // namespace

LstmParameters lstm_parameters(const LiteLowering& lowering, const LiteOperator& op) {
  const Options& options = options_of(op, &tflite::Operator::builtin_options_as_UnidirectionalSequenceLSTMOptions);
  check_kind(lowering, op, options);
  LstmParameters lstm;
  lstm.is_time_major = options.time_major();
  read_sizes(lstm, lowering, op);
  read_states(lstm, lowering, op);
  for (const LstmGate gate : {LstmGate::Input, LstmGate::Forget, LstmGate::Cell, LstmGate::Output}) {
    if (gate == LstmGate::Input && !lowering.has_input(op, kInputWeights)) continue;
    lstm.gates.push_back(gate);
    read_gate(lstm, lowering, op, gate);
  }
  read_peepholes(lstm, lowering, op);
  read_hidden(lstm, lowering, op, options);
  const float clip = options.cell_clip() / lowering.input(op, kLstmCellState).scales.front();
  lstm.cell_clip = static_cast<int64_t>(std::min(clip, 32767.0F));
  return lstm;
}

}  // namespace vernier::import::lite
