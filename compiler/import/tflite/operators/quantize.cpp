// SPDX-License-Identifier: Apache-2.0
// QUANTIZE from codes to codes of another scale, and CAST.
#include "compiler/import/tflite/float32.hpp"
#include "compiler/import/tflite/operators/operators.hpp"

#include <algorithm>

namespace vernier::import::lite {

namespace {

/// XNNPACK's QUANTIZE of codes of int8: a multiplier of at most 2^15 after a shift by 7. False where XNNPACK leaves it to
/// the reference kernel.
bool lower_by_fixed8(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &from = lowering.input_codes(op), &to = lowering.output_codes(op);
  if (to.is_unsigned) refuse("from INT8 to UINT8 is not read with --tflite-rounding xnnpack, allowed is litert-ref");
  const std::optional<int64_t> ratio = fixed8_of(from.scales.front() / to.scales.front());
  if (is_16_bits(to) || !ratio) return false;
  const LiteLowering::Rescale rescale{
      type_of(to), zero_point_of(from), zero_point_of(to), {{*ratio << 12, 20}}, spec::Rounding::Single};
  lowering.finish(op, lowering.rescale(op, lowering.value(op, 0), rescale, "codes"));
  return true;
}

Id cast_to(LiteLowering& lowering, const LiteOperator& op, Id from, base::ElementType type, const std::string& what) {
  const ir::TensorInfo info = lowering.graph.tensor(from);
  return info.type == type ? from : lowering.add(op, ir::OpKind::Cast, {}, {from}, type, info.shape, what);
}

}  // namespace

void lower_quantize(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& input = lowering.input(op, 0);
  const LiteTensor& to = lowering.output_codes(op);
  if (input.type == tflite::TensorType::FLOAT32)
    refuse("'{}' is FLOAT32, allowed are codes of INT8, INT16 and INT32: floats stand at the ends of a network alone",
           input.name);
  if (lowering.rule(op) == Rule::Fixed8 && lower_by_fixed8(lowering, op)) return;
  const bool is_wide = input.type == tflite::TensorType::INT32;
  if (is_wide && input.scales.size() != 1) refuse("'{}' has {} scales, expected one", input.name, input.scales.size());
  const LiteTensor& from = is_wide ? input : lowering.codes(input);
  if (is_wide && zero_point_of(from) != 0)
    refuse("'{}' is INT32 with a zero point of {}, allowed is 0", from.name, zero_point_of(from));
  const LiteLowering::Rescale rescale{
      type_of(to), is_wide ? 0 : zero_point_of(from), zero_point_of(to), {lite_multiplier(scale_of(from) / scale_of(to))}};
  lowering.finish(op, lowering.rescale(op, lowering.value(op, 0), rescale, "codes"));
}

void lower_dequantize(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& output = lowering.output(op);
  static_cast<void>(lowering.input_codes(op));  // whose scale the host needs
  const auto is_it = [&](int32_t index) { return index == op.outputs[0]; };
  const std::vector<int32_t>& outputs = lowering.network.outputs;
  for (const LiteOperator& other : lowering.network.operators) {
    if (std::any_of(other.inputs.begin(), other.inputs.end(), is_it))
      refuse("{} reads '{}', which is FLOAT32: floats stand at the ends of a network alone", other.kind, output.name);
  }
  if (std::none_of(outputs.begin(), outputs.end(), is_it)) return;  // nobody wants it
  if (output.type != tflite::TensorType::FLOAT32)
    refuse("'{}' is {}, allowed is FLOAT32", output.name, type_in_file(output));
  lowering.finish_floats(op, lowering.value(op, 0));
  lowering.dequantized[op.outputs[0]] = op.inputs[0];
}

void lower_cast(LiteLowering& lowering, const LiteOperator& op) {
  constexpr int64_t kHalf = 128;  // UINT8 is less that in the graph
  const LiteTensor &input = lowering.input(op, 0), &output = lowering.output(op);
  const auto type = element_type_of(output.type);
  if (!type) refuse("to {}, allowed are BOOL, INT8, UINT8, INT16 and INT32", type_in_file(output));
  Id from = lowering.value(op, 0);
  if (input.is_unsigned != output.is_unsigned) {
    from = cast_to(lowering, op, from, base::ElementType::Int32, "wide");
    const base::Shape shape = lowering.shape_of(from);
    from = lowering.add(op, ir::OpKind::Add, {}, {from, lowering.scalar(shape.size(), input.is_unsigned ? kHalf : -kHalf)},
                        base::ElementType::Int32, shape, "number");
  }
  lowering.finish(op, cast_to(lowering, op, from, *type, "cast"));
}

}  // namespace vernier::import::lite
