// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/files/quantize.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/model/choices.hpp"
#include "sim/flow/model/quantized_array.hpp"

#include <utility>

namespace vernier::flow {
namespace {

model::QuantizeMode mode_of(const std::string& text) {
  if (text == "MIN_FIRST") return model::QuantizeMode::MinFirst;
  return text == "SCALED" ? model::QuantizeMode::Scaled : model::QuantizeMode::MinCombined;
}

model::QuantizedType type_of(const std::string& text) {
  const bool is_signed = text[1] == 'i';  // quint8, qint8
  return {std::stoi(text.substr(is_signed ? 4 : 5)), is_signed};
}

model::QuantizeAttributes attributes_of(const QuantizeRequest& request) {
  model::QuantizeAttributes attributes;
  attributes.type = type_of(request.type);
  attributes.mode = mode_of(request.mode);
  if (request.round_mode == "HALF_TO_EVEN") attributes.rounding = model::QuantizeRounding::HalfToEven;
  attributes.narrow_range = request.narrow_range;
  if (request.ensure_minimum_range) {
    const std::optional<float> number = number_of(*request.ensure_minimum_range);
    if (!number)
      throw base::UserError("--ensure-minimum-range", "'{}' is no number, allowed are such as 0.01 and 0",
                            *request.ensure_minimum_range);
    attributes.ensure_minimum_range = *number;
  }
  if (attributes.rounding == model::QuantizeRounding::HalfToEven && attributes.mode != model::QuantizeMode::Scaled)
    throw base::UserError("--round-mode", "HALF_TO_EVEN goes with --mode SCALED only, found --mode {}", request.mode);
  return attributes;
}

/// Options that TensorFlow accepts and does not look at.
std::vector<std::string> ignored_options(const QuantizeRequest& request) {
  std::vector<std::string> lines;
  if (request.narrow_range && request.mode != "SCALED")
    lines.emplace_back("--narrow-range has an effect in --mode SCALED only");
  if (request.is_dequantize && request.round_mode) lines.emplace_back("--round-mode has no effect on dequantize");
  if (request.is_dequantize && request.ensure_minimum_range)
    lines.emplace_back("--ensure-minimum-range has no effect on dequantize: give the range that quantize printed");
  return lines;
}

}  // namespace

void check_quantize_choices(const QuantizeRequest& request) {
  check_choice("--mode", request.mode, {"MIN_COMBINED", "MIN_FIRST", "SCALED"});
  check_choice("--type", request.type, {"qint8", "quint8", "qint16", "quint16", "qint32"});
  if (request.round_mode) check_choice("--round-mode", *request.round_mode, {"HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"});
}

QuantizeResult quantize(const QuantizeRequest& request) {
  check_quantize_choices(request);
  const model::QuantizeAttributes attributes = attributes_of(request);
  std::vector<Place> read{{"IN", request.input}};
  for (const auto& [option, text] : {std::pair("--min", request.min), std::pair("--max", request.max)}) {
    if (!number_of(text)) read.push_back({option, text});
  }
  refuse_overwriting(read, {{"-o", request.output}});
  const RangeEnd min = range_end("--min", request.min), max = range_end("--max", request.max);
  const std::string dtype = request.is_dequantize ? numpy_name(attributes.type) : "float32";
  const base::NpyArray input = base::read_npy_array(request.input, dtype);
  QuantizeResult result{.warnings = ignored_options(request)};
  const auto add_warnings = [&](const std::vector<std::string>& more) {
    result.warnings.insert(result.warnings.end(), more.begin(), more.end());
  };
  if (request.is_dequantize) {
    DequantizedArray made = dequantize_array(attributes, request.axis, input, min, max);
    result.values = std::move(made.values);
    add_warnings(made.warnings);
  } else {
    QuantizedArray made = quantize_array(attributes, request.axis, input, min, max);
    result.values = std::move(made.codes);
    result.min = std::move(made.min);
    result.max = std::move(made.max);
    add_warnings(made.warnings);
  }
  base::write_text_file(request.output, base::to_npy(result.values));
  return result;
}

}  // namespace vernier::flow
