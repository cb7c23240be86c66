// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/port_signals.hpp"

#include "hw/base/element_type.hpp"
#include "hw/package/names.hpp"
#include "hw/spec/command_ports.hpp"

#include <fmt/format.h>

#include <string>
#include <type_traits>

namespace vernier::cosim {
namespace {

constexpr std::string_view kTop = "TOP.";       // Verilator's scope around the block
constexpr std::string_view kHolder = "_held.";  // ends that of the registers before its inputs (rtl_holder() of hw/gen)

/// A name for each value of so many bits.
template <typename Names>
std::vector<std::string> labels_of(const Names& names, int bits) {
  std::vector<std::string> labels;
  for (const auto& name : names) labels.emplace_back(name);
  labels.resize(size_t{1} << bits, "reserved");
  return labels;
}

/// The names of an enumeration's values; of other types none.
template <typename Field>
std::vector<std::string> labels_of_field(int bits) {
  if constexpr (std::is_same_v<Field, spec::MacMode>) return labels_of(package::kMacModeNames, bits);
  if constexpr (std::is_same_v<Field, spec::WeightOrder>) return labels_of(package::kWeightOrderNames, bits);
  if constexpr (std::is_same_v<Field, spec::Rounding>) return labels_of(package::kRoundingNames, bits);
  if constexpr (std::is_same_v<Field, spec::VectorPhase>) return labels_of(package::kPhaseNames, bits);
  if constexpr (std::is_same_v<Field, spec::VectorOp>) return labels_of(package::kVectorOpNames, bits);
  if constexpr (std::is_same_v<Field, base::ElementType>) {
    std::vector<std::string_view> names;
    for (const auto& type : base::kElementTypes) names.push_back(type.name);
    return labels_of(names, bits);
  }
  return {};
}

/// "step_op" of step 3 is "op" in the scope "cmd_step_3".
template <typename Command>
std::vector<PortSignal> fields_of(std::string_view port) {
  const std::string prefix(port.substr(0, port.rfind("_i")));
  std::vector<PortSignal> fields;
  spec::visit_port(Command{}, spec::PortFields::OfDatapath,
                   [&](const spec::FieldInfo& field, int first_bit, const auto& member) {
                     PortSignal& signal = fields.emplace_back();
                     signal.first_bit = first_bit;
                     signal.bits = signal.variable.bits = field.width_bits;
                     signal.variable.is_signed = field.is_signed;
                     signal.variable.labels = labels_of_field<std::remove_cvref_t<decltype(member)>>(field.width_bits);
                     if (!signal.variable.labels.empty()) signal.variable.kind = waves::VariableKind::State;
                     signal.variable.name = fmt::format("{}_{}", prefix, field.name);
                     if (field.index < 0) return;
                     const size_t word = field.name.find('_');
                     const bool is_in_group = word != std::string_view::npos;
                     if (is_in_group) {
                       signal.variable.scope = fmt::format("{}_{}_{}", prefix, field.name.substr(0, word), field.index);
                       signal.variable.name = field.name.substr(word + 1);
                     } else {
                       signal.variable.name += fmt::format("_{}", field.index);
                     }
                   });
  return fields;
}

/// A scope of the block from its own module on; none of what is around it.
std::string_view scope_of_block(std::string_view scope) {
  if (!scope.starts_with(kTop)) return {};  // the block's ports once more
  scope.remove_prefix(kTop.size());
  const size_t holder = scope.find(kHolder);
  const bool is_held = holder < scope.find('.');
  return is_held ? scope.substr(holder + kHolder.size()) : scope;
}

std::string joined(std::string_view scope, std::string_view name) {
  return scope.empty() || name.empty() ? fmt::format("{}{}", scope, name) : fmt::format("{}.{}", scope, name);
}

}  // namespace

std::vector<PortSignal> signals_of_port(const spec::RtlBlock& block, std::string_view port) {
  if (port == "stall_o") {
    PortSignal state;
    state.bits = state.variable.bits = 3;
    state.variable.name = "stall_state";
    state.variable.kind = waves::VariableKind::State;
    state.variable.labels = labels_of(spec::kArrayStateNames, state.bits);
    return {state};
  }
  if (port == "cmd_i" && block.kind == spec::RtlKind::VectorUnit) return fields_of<spec::VectorCommand>(port);
  if (port == "vec_cmd_i") return fields_of<spec::VectorCommand>(port);
  return port == "cmd_i" ? fields_of<spec::MacCommand>(port) : std::vector<PortSignal>();
}

uint64_t bits_of(const BitsValue& value, int first_bit, int bits) {
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  if (const auto* number = std::get_if<uint64_t>(&value)) return first_bit < 64 ? (*number >> first_bit) & mask : 0;
  const std::string& digits = std::get<std::string>(value);
  uint64_t found = 0;
  for (int bit = first_bit + bits - 1; bit >= first_bit; --bit) {
    const auto place = static_cast<int64_t>(digits.size()) - 1 - bit;
    found = (found << 1) | (place >= 0 && digits[static_cast<size_t>(place)] == '1' ? 1U : 0U);
  }
  return found;
}

BlockSignals::BlockSignals(const spec::RtlBlock& block, const VcdText& text, const std::string& scope,
                           std::vector<waves::Variable>& variables)
    : whole_(text.num_codes()), parts_(text.num_codes()), shown_(text.num_codes()) {
  const auto add = [&](waves::Variable variable) {
    variables.push_back(std::move(variable));
    return variables.size() - 1;
  };
  for (size_t i = 0; i < text.variables().size(); ++i) {
    waves::Variable variable = text.variables()[i];
    const std::string_view of_block = scope_of_block(variable.scope);
    if (of_block.empty()) continue;
    const bool is_port = of_block == block.name;
    const size_t code = text.code_of(i);
    const std::string name = variable.name;
    variable.scope = joined(scope, of_block);
    const std::string in_block = variable.scope;
    whole_[code].push_back(add(std::move(variable)));
    if (!is_port) continue;
    for (PortSignal& signal : signals_of_port(block, name)) {
      signal.variable.scope = joined(in_block, signal.variable.scope);
      parts_[code].push_back({add(std::move(signal.variable)), signal.first_bit, signal.bits, {}});
    }
  }
}

}  // namespace vernier::cosim
