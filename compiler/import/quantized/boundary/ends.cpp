// SPDX-License-Identifier: Apache-2.0
// The ends of the network: graph inputs and outputs, and the boundary that says what their codes stand for.
#include "compiler/import/quantized/boundary/host.hpp"
#include "compiler/import/quantized/lowering.hpp"
#include "compiler/import/quantized/nodes/quantizer.hpp"
#include "hw/package/host_program.hpp"

#include <algorithm>
#include <optional>

namespace vernier::import::quantized {

namespace {

/// The end in the source's own codes.
package::BoundaryEnd boundary_end(const std::string& name, const Format& format, bool is_float) {
  const int64_t offset = source_offset(format);
  package::BoundaryEnd end;
  end.tensor = name;
  end.is_float = is_float;
  end.is_signed = !format.is_unsigned;
  if (!format.is_per_axis()) {
    end.scale = static_cast<float>(scale_of(format));
    end.zero_point = zero_point_of(format) + offset;
    return end;
  }
  for (size_t i = 0; i < format.scales.size(); ++i)
    end.channels.push_back({static_cast<float>(format.scales[i]), format.zero_points[i] + offset});
  end.axis = format.axis;
  return end;
}

package::BoundaryEnd boundary_end(const std::string& name, const Quantizer& quantizer, bool is_float) {
  package::BoundaryEnd end = boundary_end(name, quantizer.format, is_float);
  const int64_t offset = source_offset(quantizer.format);
  if (quantizer.adds_zero_point_first || quantizer.rounding == base::Rounding::TiesUp)
    end.rule = {quantizer.rounding, quantizer.least + offset, quantizer.greatest + offset};
  return end;
}

/// Whether the steps compute the same, whatever nodes they come from.
bool are_same(std::vector<package::HostStep> a, std::vector<package::HostStep> b) {
  for (auto* steps : {&a, &b}) {
    for (package::HostStep& step : *steps) step.name.clear();
  }
  return a == b;
}

}  // namespace

Value Lowering::quantized_input(const Value& input, const Quantizer& quantizer) {
  const Format& format = quantizer.format;
  const End& end = network.inputs[input.input];
  std::vector<QuantizedInput>& known = inputs_[input.input];
  const std::vector<package::HostStep> steps =
      input.host ? host.program_of(*input.host).steps : std::vector<package::HostStep>();
  for (const QuantizedInput& one : known) {
    const Format& other = one.quantizer.format;
    // Codes that the input holds stand for other numbers where another DequantizeLinear reads them.
    const bool is_same_type = !end.type.is_float && other.bits == format.bits && other.is_unsigned == format.is_unsigned;
    if (is_same_type || (one.quantizer == quantizer && are_same(one.steps, steps))) return one.codes;
  }
  if (!known.empty() && !end.type.is_float) refuse("input '{}' is quantized in two ways, expected one", end.name);
  Value value;
  value.kind = Value::Kind::Integers;
  value.shape = input.shape;
  value.is_real = false;
  value.format = format;
  value.order = source_order(input.shape.size());
  value.magnitude = magnitude_of(format);
  value.layer = end.name;
  value.tensor = graph.add_tensor(element_type(format.bits), input.shape, end.name);
  if (known.empty()) graph.rename(value.tensor, end.name);
  package::BoundaryEnd codes = boundary_end(graph.tensor(value.tensor).name, quantizer, end.type.is_float);
  codes.steps = steps;
  if (!codes.steps.empty()) codes.source_shape = end.shape;
  if (const std::string problem = package::shapes_of(codes.steps, {end.shape}).problem; !problem.empty())
    refuse("input '{}': {}", end.name, problem);
  if (!known.empty()) codes.reads = {end.name};
  boundary.inputs.push_back(std::move(codes));
  known.push_back({quantizer, steps, value});
  return value;
}

Value Lowering::integer_input(const Value& input) {
  const End& end = network.inputs[input.input];
  if (end.type.bits > 16) return index_input(input);
  Format format{end.type.bits <= 8 ? 8 : 16, {1}, {0}, 0, !end.type.is_signed};
  format.zero_points[0] = -source_offset(format);
  // What the codes stand for says the DequantizeLinear that they are moved to.
  if (const auto found = format_downstream(*this, end.name, end.type)) format = *found;
  return quantized_input(input, format);
}

Value Lowering::index_input(const Value& input) {
  const End& end = network.inputs[input.input];
  std::vector<QuantizedInput>& known = inputs_[input.input];
  if (!known.empty()) return known.front().codes;
  if (!end.type.is_signed)
    refuse("input '{}' holds {}, allowed are int8 to int64, uint8 and uint16", end.name, to_string(end.type));
  Value value;
  value.kind = Value::Kind::Integers;
  value.shape = input.shape;
  value.is_real = false;
  value.format = {32, {1}, {0}, 0, false};
  value.order = source_order(input.shape.size());
  value.magnitude = int64_t{1} << 31;
  value.layer = end.name;
  value.tensor = graph.add_tensor(base::ElementType::Int32, input.shape, end.name);
  graph.rename(value.tensor, end.name);
  known.push_back({value.format, {}, value});
  return value;
}

std::string Lowering::finish_output(const End& end) {
  const Value& value = this->value(end.name);
  if (value.kind == Value::Kind::Constant) return fmt::format("output '{}' is a constant", end.name);
  if (value.kind == Value::Kind::Input)
    return fmt::format("output '{}' is computed of an input without any quantizer", end.name);
  if (value.kind == Value::Kind::Host) return finish_host(end, *value.host);
  if (value.format.bits == kBoolBits) return finish_tensor(end, value, std::nullopt);
  const bool is_int48 = value.is_wide() && graph.tensor(value.tensor).type != base::ElementType::Int32;
  if (!is_int48 && !value.has_function()) return finish_codes(end, value);
  try {  // a function that a quantizer follows elsewhere is the host's here
    return finish_host(end, host_value_of_output(*this, end.name));
  } catch (const NodeMistake&) {
    return fmt::format("output '{}' is not quantized, expected QuantizeLinear after the last operator", end.name);
  }
}

std::string Lowering::finish_host(const End& end, size_t result) {
  HostProgram program = host.program_of(result);
  if (program.sources.empty()) return fmt::format("output '{}' is a constant", end.name);
  for (const size_t source : program.sources) {
    if (host.codes(source) == nullptr)
      return fmt::format("output '{}' is computed of an input without any quantizer", end.name);
  }
  const Value& own = *host.codes(program.sources.front());
  package::BoundaryEnd codes = boundary_end(end.name, own.format, true);
  codes.steps = std::move(program.steps);
  if (!codes.steps.empty()) codes.source_shape = program.shape;
  if (program.sources.size() > 1) {
    readers_.push_back({end.name, {program.sources.begin() + 1, program.sources.end()}});
    return finish_tensor(end, own, std::move(codes));
  }
  const std::string problem = package::problem_of(codes, graph.tensor(own.tensor).type, own.shape, package::Side::Output);
  if (!problem.empty()) return fmt::format("output '{}': {}", end.name, problem);
  return finish_tensor(end, own, std::move(codes));
}

std::string Lowering::name_of_read(size_t source) {
  const Value& value = *host.codes(source);
  ir::TensorId tensor = in_source_order(value);
  package::BoundaryEnd codes = boundary_end("", value.format, false);
  const auto [begin, end] = host_outputs_.equal_range(tensor);
  for (auto known = begin; known != end; ++known) {
    const package::BoundaryEnd& other = *package::find_end(boundary.outputs, known->second);
    const bool is_same = other.scale == codes.scale && other.zero_point == codes.zero_point &&
                         other.channels == codes.channels && other.axis == codes.axis && other.is_signed == codes.is_signed;
    if (is_same) return known->second;
  }
  const std::string name = graph.unique_name(graph.tensor(tensor).name + "_read");
  static_cast<void>(finish_tensor({name, {}, {}}, value, boundary_end(name, value.format, false)));
  return name;
}

std::vector<std::string> Lowering::finish_readers() {
  std::vector<std::string> mistakes;
  for (const Reader& reader : readers_) {
    std::vector<std::string> reads;
    for (const size_t source : reader.sources) reads.push_back(name_of_read(source));
    const std::vector<ir::TensorId>& outputs = graph.graph().outputs;
    const auto tensor_of = [&](const std::string& name) -> const ir::TensorInfo& {
      return graph.tensor(
          *std::find_if(outputs.begin(), outputs.end(), [&](ir::TensorId id) { return graph.tensor(id).name == name; }));
    };
    const auto end = std::find_if(boundary.outputs.begin(), boundary.outputs.end(),
                                  [&](const package::BoundaryEnd& one) { return one.tensor == reader.output; });
    end->reads = std::move(reads);
    const ir::TensorInfo& tensor = tensor_of(reader.output);
    const std::string problem =
        package::problem_of(*end, tensor.type, tensor.shape, package::Side::Output,
                            [&](const std::string& name) { return std::optional(tensor_of(name).shape); });
    if (!problem.empty()) mistakes.push_back(fmt::format("output '{}': {}", reader.output, problem));
  }
  return mistakes;
}

std::string Lowering::finish_codes(const End& end, const Value& value) {
  package::BoundaryEnd codes = boundary_end(end.name, value.format, value.is_real);
  const std::string problem =
      package::problem_of(codes, graph.tensor(value.tensor).type, value.shape, package::Side::Output);
  if (!problem.empty()) return fmt::format("output '{}': {}", end.name, problem);
  // Codes of 32 bits are integers and nothing else.
  const bool is_plain = value.is_wide() && !value.is_real;
  return finish_tensor(end, value, is_plain ? std::nullopt : std::optional(std::move(codes)));
}

std::string Lowering::finish_tensor(const End& end, const Value& value, std::optional<package::BoundaryEnd> codes) {
  ir::Graph& built = graph.graph();
  ir::TensorId tensor = in_source_order(value);
  const auto is_end = [&](const std::vector<ir::TensorId>& ends) {
    return std::find(ends.begin(), ends.end(), tensor) != ends.end();
  };
  const auto is_input = std::any_of(inputs_.begin(), inputs_.end(), [&](const std::vector<QuantizedInput>& input) {
    return std::any_of(input.begin(), input.end(), [&](const QuantizedInput& one) { return one.codes.tensor == tensor; });
  });
  if (codes) host_outputs_.emplace(tensor, end.name);
  if (is_input || is_end(built.outputs)) {  // a tensor has one name
    const ir::TensorInfo& info = graph.tensor(tensor);
    tensor = graph.add(ir::OpKind::Identity, {}, {tensor}, {info.type, info.shape, end.name}, value.layer);
  }
  graph.rename(tensor, end.name);
  built.outputs.push_back(tensor);
  if (codes) boundary.outputs.push_back(*std::move(codes));
  return "";
}

void Lowering::add_sum_function(const std::string& layer, double error) {
  ++num_sum_functions_;
  if (error <= worst_error_) return;
  worst_error_ = error;
  worst_sum_function_ = layer;
}

void Lowering::add_warnings() {
  for (const auto& [sums, rest] : rests_) {
    if (!rest.line.empty()) warnings.push_back(rest.line);
  }
  const auto listed = [](const std::set<std::string>& names) {
    return fmt::format("'{}'{}", *names.begin(), names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1));
  };
  if (!fine_biases_.empty())
    warnings.push_back(
        fmt::format("a bias is no whole number of steps (input scale * weight scale) in {}: what is beyond whole steps is "
                    "added to the sums "
                    "in 32 bits, two operations more for each number; biases of int32 in these steps save them",
                    listed(fine_biases_)));
  if (num_sum_functions_ > 0)
    warnings.push_back(fmt::format(
        "functions of unquantized sums are computed from 16 bits of the sums: {}, whose numbers are off by up to "
        "{:.2g} of a step before they become codes, most of all in '{}', besides the error of their tables",
        num_sum_functions_, worst_error_, worst_sum_function_));
  if (!open_values_.empty())
    warnings.push_back(
        fmt::format("a value is read without a quantizer, as 16 bits on the whole range that it can have: {}; it is off by "
                    "up to {:.2g} of a "
                    "step of the next quantizer, before what is computed of it",
                    listed(open_values_), worst_open_));
}

std::vector<std::string> Lowering::finish() {
  std::vector<std::string> mistakes;
  for (const End& end : network.outputs) {
    if (!values_.contains(end.name)) continue;  // its node has failed
    if (std::string mistake = finish_output(end); !mistake.empty()) mistakes.push_back(std::move(mistake));
  }
  if (mistakes.empty()) mistakes = finish_readers();
  std::vector<package::BoundaryEnd> in_network_order;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const std::string& name = network.inputs[i].name;
    if (inputs_[i].empty()) {
      mistakes.push_back(fmt::format("input '{}' is read by no quantizer, expected one", name));
      continue;
    }
    graph.graph().inputs.push_back(inputs_[i].front().codes.tensor);
    const package::BoundaryEnd* codes = package::find_end(boundary.inputs, name);
    if (codes != nullptr) in_network_order.push_back(*codes);  // integers of 32 bits are integers and nothing else
  }
  for (const std::vector<QuantizedInput>& input : inputs_) {  // those that are given the same array come after all others
    for (size_t i = 1; i < input.size(); ++i) {
      graph.graph().inputs.push_back(input[i].codes.tensor);
      in_network_order.push_back(*package::find_end(boundary.inputs, graph.tensor(input[i].codes.tensor).name));
    }
  }
  boundary.inputs = std::move(in_network_order);
  add_warnings();
  return mistakes;
}

std::vector<SourceTensor> Lowering::source_tensors() const {
  std::vector<SourceTensor> result;
  for (const auto& [name, value] : values_) {
    if (value.kind != Value::Kind::Integers) continue;
    SourceTensor found{graph.tensor(value.tensor).name, name, value.shape, value.order,
                       !value.format.is_unsigned || value.is_wide()};
    for (const auto& [key, reordered] : reordered_) {
      if (key.tensor != value.tensor) continue;
      SourceTensor other = found;
      other.tensor = graph.tensor(reordered).name;
      other.order.clear();
      for (const int64_t position : key.positions) {
        const bool is_its_own = position >= 0 && position < std::ssize(value.order);
        other.order.push_back(is_its_own ? value.order[static_cast<size_t>(position)] : -1);
      }
      if (shape_in_order(value.shape, other.order) != key.shape) continue;
      result.push_back(std::move(other));
    }
    result.push_back(std::move(found));
  }
  return result;
}

}  // namespace vernier::import::quantized
