// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_ends.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/options_values.hpp"
#include "sim/flow/model/quantized_array.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace vernier::cli {
namespace {

using base::UserError;

constexpr int64_t kMaxDimension = std::numeric_limits<int32_t>::max();
constexpr int64_t kMostBits = 16, kMostAxis = 31;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// NAME and what follows the last separator.
std::pair<std::string, std::string> split_name(const std::string& option, const std::string& text, char separator,
                                               const std::string& form) {
  const size_t at = text.rfind(separator);
  if (at == std::string::npos || at == 0) throw UserError(option, "'{}' is not {}", text, form);
  return {text.substr(0, at), text.substr(at + 1)};
}

/// KEY=VALUE of a list, each key once.
class Fields {
 public:
  Fields(std::string option, const std::string& list, const std::vector<std::string>& keys) : option_(std::move(option)) {
    for (const std::string& entry : split(list, ',')) {
      const size_t at = entry.find('=');
      const std::string key = entry.substr(0, at);
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        throw UserError(option_, "no key '{}'{}; keys are {}", key, base::suggestion(key, keys), fmt::join(keys, ", "));
      if (at == std::string::npos || at + 1 == entry.size()) throw UserError(option_, "{} has no value", key);
      if (!values_.emplace(key, entry.substr(at + 1)).second) throw UserError(option_, "{} is given twice", key);
    }
  }

  [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
  [[nodiscard]] const std::string& text(const std::string& key) const {
    if (!has(key)) throw UserError(option_, "{} is missing", key);
    return values_.at(key);
  }
  [[nodiscard]] std::string choice(const std::string& key, const std::vector<std::string>& allowed) const {
    check_choice(fmt::format("{}: {}", option_, key), text(key), allowed);
    return text(key);
  }
  [[nodiscard]] bool flag(const std::string& key, bool otherwise) const {
    if (!has(key)) return otherwise;
    const std::string value = choice(key, {"0", "1", "false", "true"});
    return value == "1" || value == "true";
  }
  [[nodiscard]] int64_t integer(const std::string& key, int64_t least, int64_t most) const {
    const std::string complaint = complaint_about_number(text(key), least, most);
    if (!complaint.empty()) throw UserError(option_, "{}: {}", key, complaint);
    const int64_t value = std::stoll(text(key));
    if (value < least || value > most)
      throw UserError(option_, "{}: {} is not in {} to {}", key, value, base::with_thousands(least),
                      base::with_thousands(most));
    return value;
  }
  [[nodiscard]] float number(const std::string& key) const {
    const std::optional<float> value = flow::number_of(text(key));
    if (!value) throw UserError(option_, "{}: '{}' is no number", key, text(key));
    return *value;
  }

 private:
  std::string option_;
  std::map<std::string, std::string> values_;
};

void refuse_twice(const std::string& option, const std::string& name, bool is_new) {
  if (!is_new) throw UserError(option, "input '{}' is given twice", name);
}

void take_shape(const std::string& text, flow::MachineOptions& options) {
  const std::string option = "--shape";
  const auto [name, sizes] = split_name(option, text, '=', "NAME=1x3x32x32");
  base::Shape shape;
  for (const std::string& size : split(sizes, 'x')) {
    if (const std::string complaint = complaint_about_number(size, int64_t{1}, kMaxDimension); !complaint.empty())
      throw UserError(option, "'{}': {}", text, complaint);
    shape.push_back(std::stoll(size));
    if (shape.back() < 1 || shape.back() > kMaxDimension)
      throw UserError(option, "'{}': {} is not in 1 to {}", text, size, kMaxDimension);
  }
  refuse_twice(option, name, options.shapes.emplace(name, shape).second);
}

void take_format(const std::string& text, flow::MachineOptions& options) {
  const std::string option = "--input-format";
  const auto [name, list] = split_name(option, text, ':', "NAME:scale=S,zero_point=Z,bits=B,signed=1");
  const Fields fields(option, list, {"scale", "zero_point", "bits", "signed"});
  import::InputFormat format;
  format.scale = fields.number("scale");
  if (!std::isfinite(format.scale) || !(format.scale > 0))
    throw UserError(option, "scale: {} is no scale, allowed are finite numbers above 0", fields.text("scale"));
  format.bits = fields.has("bits") ? static_cast<int32_t>(fields.integer("bits", 1, kMostBits)) : 8;
  format.is_signed = fields.flag("signed", true);
  const int64_t least = format.is_signed ? -(int64_t{1} << (format.bits - 1)) : 0;
  if (fields.has("zero_point"))
    format.zero_point = fields.integer("zero_point", least, least + (int64_t{1} << format.bits) - 1);
  refuse_twice(option, name, options.input_formats.emplace(name, format).second);
}

void take_quantization(const std::string& text, flow::MachineOptions& options) {
  const std::string option = "--quantize";
  const auto [name, list] = split_name(option, text, ':', "NAME:mode=M,type=T,min=A,max=B");
  const Fields fields(option, list,
                      {"mode", "type", "min", "max", "round_mode", "narrow_range", "axis", "ensure_minimum_range"});
  flow::InputQuantization wanted;
  wanted.name = name;
  model::QuantizeAttributes& attributes = wanted.attributes;
  const std::string mode = fields.choice("mode", {"MIN_COMBINED", "MIN_FIRST", "SCALED"});
  if (mode == "MIN_FIRST") attributes.mode = model::QuantizeMode::MinFirst;
  if (mode == "SCALED") attributes.mode = model::QuantizeMode::Scaled;
  const std::string type = fields.choice("type", {"qint8", "quint8", "qint16", "quint16", "qint32"});
  attributes.type = {std::stoi(type.substr(type.find_first_of("0123456789"))), type[1] == 'i'};
  if (fields.has("round_mode") && fields.choice("round_mode", {"HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"}) == "HALF_TO_EVEN")
    attributes.rounding = model::QuantizeRounding::HalfToEven;
  if (attributes.rounding == model::QuantizeRounding::HalfToEven && attributes.mode != model::QuantizeMode::Scaled)
    throw UserError(option, "round_mode HALF_TO_EVEN goes with mode SCALED only, found {}", mode);
  attributes.narrow_range = fields.flag("narrow_range", false);
  if (fields.has("ensure_minimum_range")) attributes.ensure_minimum_range = fields.number("ensure_minimum_range");
  if (!std::isfinite(attributes.ensure_minimum_range))
    throw UserError(option, "ensure_minimum_range: {} is not finite", fields.text("ensure_minimum_range"));
  if (fields.has("axis")) wanted.axis = fields.integer("axis", 0, kMostAxis);
  wanted.min = fields.text("min");
  wanted.max = fields.text("max");
  const auto is_same = [&input = name](const flow::InputQuantization& other) { return other.name == input; };
  refuse_twice(option, name, std::none_of(options.quantizations.begin(), options.quantizations.end(), is_same));
  options.quantizations.push_back(std::move(wanted));
}

}  // namespace

void take_ends(const EndTexts& texts, flow::MachineOptions& options) {
  for (const std::string& text : texts.shapes) take_shape(text, options);
  for (const std::string& text : texts.input_formats) take_format(text, options);
  for (const std::string& text : texts.quantizations) take_quantization(text, options);
}

}  // namespace vernier::cli
