// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/boundary/input_formats.hpp"

#include "compiler/import/quantized/boundary/host.hpp"
#include "compiler/import/quantized/nodes/int_quantizer.hpp"
#include "hw/base/error.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

namespace vernier::import::quantized {

namespace {

constexpr int32_t kMostBits = 16;

/// A whole number from 1 to 16 at the front of the text, which it loses.
std::optional<int32_t> take_bits(std::string_view& text) {
  int32_t bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  if (error != std::errc() || bits < 1 || bits > kMostBits) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return bits;
}

/// FINN's data types (qonnx/core/datatype.py): INT<n>, UINT<n>, BINARY, BIPOLAR, TERNARY, FIXED<w,i>.
std::optional<InputFormat> format_of(std::string_view name) {
  InputFormat format;
  if (name == "BINARY") return InputFormat{1, 0, 1, false, false};
  if (name == "BIPOLAR") return InputFormat{1, 0, 1, true, false};
  if (name == "TERNARY") return InputFormat{1, 0, 2, true, true};
  format.is_signed = !name.starts_with("UINT");
  const bool is_fixed = name.starts_with("FIXED<");
  if (!is_fixed && !name.starts_with("INT") && !name.starts_with("UINT")) return std::nullopt;
  name.remove_prefix(is_fixed ? 6 : format.is_signed ? 3 : 4);
  const std::optional<int32_t> bits = take_bits(name);
  if (!bits) return std::nullopt;
  format.bits = *bits;
  if (!is_fixed) return name.empty() ? std::optional(format) : std::nullopt;
  if (!name.starts_with(',')) return std::nullopt;
  name.remove_prefix(1);
  const std::optional<int32_t> whole = take_bits(name);
  if (!whole || *whole > *bits || name != ">") return std::nullopt;
  format.scale = std::ldexp(1.0F, *whole - *bits);
  return format;
}

void add_annotation(End& input, std::vector<std::string>& warnings) {
  input.format = format_of(input.annotation);
  if (!input.format)
    warnings.push_back(fmt::format("input '{}' is annotated as {}, which does not say its codes: --input-format does",
                                   input.name, input.annotation));
}

}  // namespace

std::vector<std::string> add_annotated_formats(Network& network, const std::map<std::string, InputFormat>& given,
                                               std::vector<std::string>& warnings) {
  std::vector<std::string> mistakes;
  const auto add = [&](const std::string& text) {
    mistakes.emplace_back(base::UserError("--input-format", std::string_view(text)).what());
  };
  for (End& input : network.inputs) {
    const auto found = given.find(input.name);
    const bool is_annotated = !input.annotation.empty() && !input.annotation.starts_with("FLOAT");
    if (found == given.end() && (!is_annotated || !input.type.is_float)) continue;
    const bool is_quantized = meets_quantizer(network, input.name);
    if (found == given.end()) {
      if (!is_quantized) add_annotation(input, warnings);
    } else if (!input.type.is_float) {
      add(fmt::format("input '{}' holds {}, allowed are inputs of float32", input.name, to_string(input.type)));
    } else if (is_quantized) {
      add(fmt::format("input '{}' is quantized by the network itself, allowed are inputs without a quantizer", input.name));
    } else {
      input.format = found->second;
      try {
        static_cast<void>(quantizer_of(found->second));
      } catch (const NodeMistake& mistake) {
        add(fmt::format("input '{}': {}", input.name, mistake.what()));
      }
    }
  }
  return mistakes;
}

Quantizer quantizer_of(const InputFormat& format) {
  const Scales scales{{format.scale}, {format.zero_point}, 0};
  const Quantizer quantizer =
      int_quantizer(scales, {format.bits, format.is_signed, format.is_narrow}, base::Rounding::HalfEven);
  return format.bits == 1 && format.is_signed ? bipolar_quantizer(scales) : quantizer;
}

}  // namespace vernier::import::quantized
