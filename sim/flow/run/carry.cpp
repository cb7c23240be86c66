// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/carry.hpp"

#include "hw/base/element_type.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace vernier::flow {
namespace {

std::vector<std::string> end_names(const std::vector<End>& ends) {
  std::vector<std::string> names;
  for (const End& end : ends) names.push_back(end.name);
  return names;
}

std::optional<size_t> place_in(const std::vector<End>& ends, const std::string& name) {
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].name == name) return i;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_name(const std::string& what, const std::string& name, const std::vector<End>& ends) {
  const std::vector<std::string> names = end_names(ends);
  throw base::UserError("--carry", "no {} is named '{}', the {}s are '{}'{}", what, name, what, fmt::join(names, "', '"),
                        base::suggestion(name, names));
}

/// A name may hold '=' itself: the first place that divides an output from an input.
Carry parse_carry(const std::string& spec, const Ends& ends) {
  const size_t first = spec.find('=');
  if (first == std::string::npos || first == 0 || first + 1 == spec.size())
    throw base::UserError("--carry", "'{}' is not OUTPUT=INPUT", spec);
  for (size_t at = first; at != std::string::npos; at = spec.find('=', at + 1)) {
    const std::optional<size_t> output = place_in(ends.outputs, spec.substr(0, at));
    const std::optional<size_t> input = place_in(ends.inputs, spec.substr(at + 1));
    if (output && input) return {*output, *input};
  }
  if (!place_in(ends.outputs, spec.substr(0, first))) refuse_name("output", spec.substr(0, first), ends.outputs);
  refuse_name("input", spec.substr(first + 1), ends.inputs);
}

/// What the codes of an end stand for; plain integers stand for themselves.
std::string scale_words(const End& end) {
  if (!end.source) return "plain integers";
  if (!end.source->channels.empty()) return fmt::format("codes of {} scales", end.source->channels.size());
  return fmt::format("{} codes of scale {} and zero point {}", end.source->is_signed ? "signed" : "unsigned",
                     end.source->scale, end.source->zero_point);
}

bool has_same_codes(const End& a, const End& b) {
  if (!a.source || !b.source) return !a.source && !b.source;
  return a.source->is_signed == b.source->is_signed && a.source->keeps_bits == b.source->keeps_bits &&
         a.source->scale == b.source->scale && a.source->zero_point == b.source->zero_point &&
         a.source->channels == b.source->channels && a.source->axis == b.source->axis;
}

void require_same_elements(const Carry& one, const Ends& ends) {
  const End &output = ends.outputs[one.output], &input = ends.inputs[one.input];
  if (output.type != input.type || output.shape != input.shape) {
    throw base::UserError("--carry", "output '{}' is {} {}, input '{}' is {} {}: expected the same", output.name,
                          base::to_string(output.type), base::to_string(output.shape), input.name,
                          base::to_string(input.type), base::to_string(input.shape));
  }
  if (has_same_codes(output, input)) return;
  throw base::UserError("--carry", "output '{}' has {}, input '{}' {}: expected the same", output.name, scale_words(output),
                        input.name, scale_words(input));
}

}  // namespace

std::vector<Carry> carries_of(const std::vector<std::string>& specs, const Ends& ends) {
  std::vector<Carry> carries;
  for (const std::string& spec : specs) {
    const Carry one = parse_carry(spec, ends);
    require_same_elements(one, ends);
    const bool is_taken =
        std::any_of(carries.begin(), carries.end(), [&](const Carry& other) { return other.input == one.input; });
    if (is_taken) throw base::UserError("--carry", "input '{}' is given twice", ends.inputs[one.input].name);
    carries.push_back(one);
  }
  return carries;
}

void carry(const std::vector<Carry>& carries, const std::vector<base::Tensor>& outputs, std::vector<base::Tensor>& inputs) {
  for (const Carry& one : carries) inputs[one.input] = outputs[one.output];
}

std::string note_of(const Carry& one, const Ends& ends) {
  return fmt::format("input '{}' of each iteration after the first is output '{}' of the one before",
                     ends.inputs[one.input].name, ends.outputs[one.output].name);
}

}  // namespace vernier::flow
