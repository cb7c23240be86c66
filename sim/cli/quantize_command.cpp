// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/quantize_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/places.hpp"
#include "sim/flow/quantized_array.hpp"

#include <fmt/format.h>

namespace vernier::cli {

namespace {

model::QuantizeMode mode_of(const std::string& text) {
  if (text == "MIN_FIRST") return model::QuantizeMode::MinFirst;
  return text == "SCALED" ? model::QuantizeMode::Scaled : model::QuantizeMode::MinCombined;
}

model::QuantizedType type_of(const std::string& text) {
  const bool is_signed = text[1] == 'i';  // quint8, qint8
  return {std::stoi(text.substr(is_signed ? 4 : 5)), is_signed};
}

model::QuantizeAttributes attributes_of(const QuantizeCommand& command) {
  model::QuantizeAttributes attributes;
  attributes.type = type_of(command.type);
  attributes.mode = mode_of(command.mode);
  if (command.round_mode == "HALF_TO_EVEN") attributes.rounding = model::QuantizeRounding::HalfToEven;
  attributes.narrow_range = command.narrow_range;
  if (command.ensure_minimum_range) {
    const std::optional<float> number = flow::number_of(*command.ensure_minimum_range);
    if (!number)
      throw base::UserError("--ensure-minimum-range", "'{}' is no number, allowed are such as 0.01 and 0",
                            *command.ensure_minimum_range);
    attributes.ensure_minimum_range = *number;
  }
  if (attributes.rounding == model::QuantizeRounding::HalfToEven && attributes.mode != model::QuantizeMode::Scaled)
    throw base::UserError("--round-mode", "HALF_TO_EVEN goes with --mode SCALED only, found --mode {}", command.mode);
  return attributes;
}

/// Options that TensorFlow accepts and does not look at.
std::vector<std::string> ignored_options(const QuantizeCommand& command) {
  std::vector<std::string> lines;
  if (command.narrow_range && command.mode != "SCALED")
    lines.emplace_back("--narrow-range has an effect in --mode SCALED only");
  if (command.is_dequantize && command.round_mode) lines.emplace_back("--round-mode has no effect on dequantize");
  if (command.is_dequantize && command.ensure_minimum_range)
    lines.emplace_back("--ensure-minimum-range has no effect on dequantize: give the range that quantize printed");
  return lines;
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings)
    print_text(stderr, fmt::format("vernier: warning: {}\n", base::printable(warning)));
}

/// "output_min -1 -2": the shortest digits that give the same float32 again.
std::string range_line(std::string_view name, const std::vector<float>& values) {
  std::string line(name);
  for (const float value : values) line += fmt::format(" {}", value);
  return line + "\n";
}

int convert(const QuantizeCommand& command) {
  const model::QuantizeAttributes attributes = attributes_of(command);
  std::vector<Place> read{{"IN", command.input}};
  for (const auto& [option, text] : {std::pair("--min", command.min), std::pair("--max", command.max)}) {
    if (!flow::number_of(text)) read.push_back({option, text});
  }
  refuse_overwriting(read, {{"-o", command.output}});
  const flow::RangeEnd min = flow::range_end("--min", command.min), max = flow::range_end("--max", command.max);
  const std::string dtype = command.is_dequantize ? flow::numpy_name(attributes.type) : "float32";
  const base::NpyArray input = base::read_npy_array(command.input, dtype);
  std::vector<std::string> warnings = ignored_options(command);
  if (command.is_dequantize) {
    const flow::DequantizedArray result = flow::dequantize_array(attributes, command.axis, input, min, max);
    base::write_text_file(command.output, base::to_npy(result.values));
    warnings.insert(warnings.end(), result.warnings.begin(), result.warnings.end());
    print_warnings(warnings);
    return kExitSuccess;
  }
  const flow::QuantizedArray result = flow::quantize_array(attributes, command.axis, input, min, max);
  base::write_text_file(command.output, base::to_npy(result.codes));
  warnings.insert(warnings.end(), result.warnings.begin(), result.warnings.end());
  print_warnings(warnings);
  print_text(stdout, range_line("output_min", result.min) + range_line("output_max", result.max));
  return kExitSuccess;
}

}  // namespace

int quantize(const QuantizeCommand& command) {
  set_activity(command.is_dequantize ? "dequantizing" : "quantizing");
  return with_memory_errors(command.input, [&] { return convert(command); });
}

}  // namespace vernier::cli
