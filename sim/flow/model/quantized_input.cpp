// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/quantized_input.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/quantized_array.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::flow {

namespace {

using base::UserError;
using package::RangeRule;

constexpr const char* kOption = "--quantize";

std::string type_name(model::QuantizedType type) { return fmt::format("q{}", numpy_name(type)); }

model::QuantizedType type_of(const package::BoundaryEnd& end, base::ElementType type) {
  return {base::info(type).bits, end.is_signed};
}

model::QuantizeAttributes attributes_of(const RangeRule& rule, model::QuantizedType type) {
  return {type, static_cast<model::QuantizeMode>(rule.mode),
          rule.is_half_to_even ? model::QuantizeRounding::HalfToEven : model::QuantizeRounding::HalfAwayFromZero,
          rule.is_narrow, rule.ensure_minimum_range};
}

RangeRule rule_of(const InputQuantization& wanted) {
  RangeRule rule;
  rule.mode = static_cast<RangeRule::Mode>(wanted.attributes.mode);
  rule.is_half_to_even = wanted.attributes.rounding == model::QuantizeRounding::HalfToEven;
  rule.is_narrow = wanted.attributes.narrow_range;
  rule.ensure_minimum_range = wanted.attributes.ensure_minimum_range;
  rule.axis = wanted.axis;
  return rule;
}

const End& find_input(const std::vector<End>& inputs, const std::string& name) {
  std::vector<std::string> names;
  for (const End& input : inputs) {
    if (input.name == name) return input;
    names.push_back(input.name);
  }
  throw UserError(kOption, "no input is named '{}', the inputs are '{}'{}", name, fmt::join(names, "', '"),
                  base::suggestion(name, names));
}

/// Puts the end where the others are, in the order of the inputs.
void put_end(std::vector<package::BoundaryEnd>& ends, const std::vector<End>& inputs, const package::BoundaryEnd& added) {
  std::vector<package::BoundaryEnd> sorted;
  for (const End& input : inputs) {
    if (input.name == added.tensor) {
      sorted.push_back(added);
    } else if (input.source) {
      sorted.push_back(*input.source);
    }
  }
  ends = std::move(sorted);
}

void add_ranges(RangeRule& rule, const model::QuantizeAttributes& attributes, const base::Shape& shape, RangeEnd min,
                RangeEnd max) {
  min.axis_option = max.axis_option = "--quantize: axis";
  check_range_shape(attributes.mode, rule.axis, shape, min, max);
  for (size_t i = 0; i < min.values.size(); ++i) {
    const float least = min.values[i], most = max.values[i];
    const std::string slice = min.values.size() > 1 ? fmt::format(" of slice {}", i) : "";
    if (!model::is_range_legal(least, most))
      throw UserError(kOption, "min {}{} is above max {}, allowed is at most max", least, slice, most);
    const std::string why = why_useless(model::make_quantizer(attributes, least, most), least, most);
    if (!why.empty()) throw UserError(kOption, "the range {} to {}{} {}", least, most, slice, why);
    rule.ranges.push_back({least, most});
  }
}

}  // namespace

void quantize_input(Model& model, const InputQuantization& wanted) {
  const std::vector<End> inputs = ends_of(model).inputs;
  const End& input = find_input(inputs, wanted.name);
  if (input.source && input.source->is_float)
    throw UserError(kOption, "input '{}' has floats in {} already, allowed are inputs of integers", wanted.name, model.file);
  const bool is_code = input.type == base::ElementType::Int8 || input.type == base::ElementType::Int16 ||
                       input.type == base::ElementType::Int32;
  if (!is_code)
    throw UserError(kOption, "input '{}' is {}, allowed are int8, uint8, int16, uint16 and int32", wanted.name,
                    base::to_string(input.type));
  package::BoundaryEnd end = input.source.value_or(package::BoundaryEnd{});
  end.tensor = wanted.name;
  end.is_float = true;
  const model::QuantizedType type = type_of(end, input.type);
  if (wanted.attributes.type != type)
    throw UserError(kOption, "type {} is not that of input '{}', which is {}: type={}", type_name(wanted.attributes.type),
                    wanted.name, numpy_name(type), type_name(type));
  RangeRule rule = rule_of(wanted);
  add_ranges(rule, wanted.attributes, input.shape, range_end(kOption, wanted.min), range_end(kOption, wanted.max));
  end.range = std::move(rule);
  put_end(model.boundary.inputs, inputs, end);
  if (model.package) model.package->boundary = model.boundary;
}

base::Tensor ranged_codes(const std::string& file, const std::vector<float>& reals, const package::BoundaryEnd& end,
                          base::ElementType type, const base::Shape& shape) {
  const RangeRule& rule = *end.range;
  const model::QuantizeAttributes attributes = attributes_of(rule, type_of(end, type));
  const Slices slices = slices_of(shape, rule.axis);
  base::Tensor tensor(type, shape);
  for (int64_t slice = 0; slice < slices.count; ++slice) {
    const auto [min, max] = rule.ranges[static_cast<size_t>(slice)];
    const model::Quantizer quantizer = model::make_quantizer(attributes, min, max);
    for_each_element(slices, slice, [&](size_t i) {
      const auto at = static_cast<int64_t>(i);
      if (!model::quantize_is_defined(quantizer, reals[i]))
        throw UserError(file, "holds {} at {}, which does not fit {} after scaling: TensorFlow leaves its code undefined",
                        reals[i], base::to_string(base::coordinates_of(shape, at)), type_name(attributes.type));
      tensor.set(at, package::stored_code(model::quantize(quantizer, reals[i]), end, type));
    });
  }
  return tensor;
}

}  // namespace vernier::flow
