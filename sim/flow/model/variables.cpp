// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/variables.hpp"

#include "hw/base/error.hpp"
#include "hw/base/npy.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace vernier::flow {
namespace {

constexpr const char* kVariableOption = "--variable";
constexpr std::string_view kNetworkSource = "the network", kZeros = "zeros";

/// As the network has them.
std::vector<StartingVariable> declared_variables(const Model& model) {
  std::vector<StartingVariable> variables;
  if (model.package) {
    for (const package::Variable& variable : model.package->variables)
      variables.push_back({variable.name, std::string(variable.is_initialised ? kNetworkSource : kZeros), variable.value});
    return variables;
  }
  for (const ir::Variable& variable : model.graph->variables) {
    variables.push_back({variable.name, std::string(variable.initial ? kNetworkSource : kZeros),
                         variable.initial ? *variable.initial : base::Tensor(variable.type, variable.shape)});
  }
  return variables;
}

struct NamedFile {
  size_t variable = 0;
  std::string file;
};

[[noreturn]] void refuse_name(const std::string& name, const std::vector<StartingVariable>& variables) {
  std::vector<std::string> names;
  for (const StartingVariable& variable : variables) names.push_back(variable.name);
  throw base::UserError(kVariableOption, "no variable is named '{}', the variables are '{}'{}", name,
                        fmt::join(names, "', '"), base::suggestion(name, names));
}

/// A name may hold '=' itself.
NamedFile split_variable(const std::vector<StartingVariable>& variables, const std::string& spec) {
  for (size_t i = 0; i < variables.size(); ++i) {
    const std::string prefix = variables[i].name + "=";
    if (spec.starts_with(prefix) && spec.size() > prefix.size()) return {i, spec.substr(prefix.size())};
  }
  const size_t equals = spec.find('=');
  if (equals != std::string::npos && equals != 0 && equals + 1 != spec.size())
    refuse_name(spec.substr(0, equals), variables);
  std::vector<std::string> names;
  for (const StartingVariable& variable : variables) names.push_back(variable.name);
  throw base::UserError(kVariableOption, "'{}' is not NAME=FILE.npy, the variables are '{}'", spec,
                        fmt::join(names, "', '"));
}

[[noreturn]] void refuse_variables(const std::string& given, const Model& model) {
  throw base::UserError(kVariableOption, "'{}' is for a network with variables, {} has none", given, model.file);
}

[[noreturn]] void refuse_second(const std::string& name) {
  throw base::UserError(kVariableOption, "'{}' is given twice", name);
}

std::vector<NamedFile> named_files(const Model& model, const std::vector<StartingVariable>& variables,
                                   const std::vector<std::string>& specs) {
  if (!specs.empty() && variables.empty()) refuse_variables(specs.front(), model);
  std::vector<NamedFile> files;
  for (const std::string& spec : specs) {
    files.push_back(split_variable(variables, spec));
    const size_t variable = files.back().variable;
    if (std::ranges::count(files, variable, &NamedFile::variable) > 1) refuse_second(variables[variable].name);
  }
  return files;
}

}  // namespace

std::vector<StartingVariable> starting_variables(const Model& model, const std::vector<std::string>& specs,
                                                 const InputArrays& arrays) {
  std::vector<StartingVariable> variables = declared_variables(model);
  if (!arrays.empty() && variables.empty()) refuse_variables(arrays.begin()->first, model);
  const std::vector<NamedFile> files = named_files(model, variables, specs);
  for (const auto& [name, array] : arrays) {
    const auto variable = std::ranges::find(variables, name, &StartingVariable::name);
    if (variable == variables.end()) refuse_name(name, variables);
    if (std::ranges::count(files, static_cast<size_t>(variable - variables.begin()), &NamedFile::variable) > 0)
      refuse_second(name);
    base::check_array(name, array);
    variable->value = base::to_tensor(name, array, variable->value.type(), variable->value.shape());
    variable->source = "an array";
  }
  for (const NamedFile& named : files) {
    StartingVariable& variable = variables[named.variable];
    variable.value = base::read_npy(named.file, variable.value.type(), variable.value.shape());
    variable.source = named.file;
  }
  return variables;
}

std::vector<std::string> variable_files(const Model& model, const std::vector<std::string>& specs) {
  std::vector<std::string> files;
  for (const NamedFile& named : named_files(model, declared_variables(model), specs)) files.push_back(named.file);
  return files;
}

void refuse_carried(const std::vector<std::string>& carries, const std::vector<StartingVariable>& variables) {
  for (const std::string& spec : carries) {
    for (const StartingVariable& variable : variables) {
      if (spec.ends_with("=" + variable.name))
        throw base::UserError("--carry", "'{}' is a variable, which leaves its value to the next iteration by itself",
                              variable.name);
    }
  }
}

std::vector<base::Tensor> values_of(const std::vector<StartingVariable>& variables) {
  std::vector<base::Tensor> values;
  for (const StartingVariable& variable : variables) values.push_back(variable.value);
  return values;
}

std::vector<report::Variable> reported(const std::vector<StartingVariable>& variables) {
  std::vector<report::Variable> list;
  for (const StartingVariable& variable : variables) {
    list.push_back({variable.name, std::string(base::info(variable.value.type()).npy_name), variable.value.shape(),
                    variable.value.size_bytes(), variable.source});
  }
  return list;
}

std::vector<std::string> notes_of(const std::vector<StartingVariable>& variables) {
  std::vector<std::string> zeros, others, notes;
  for (const StartingVariable& variable : variables) {
    if (variable.source == kZeros) zeros.push_back(variable.name);
    if (variable.value.type() != base::ElementType::Int8)
      others.push_back(fmt::format("'{}' {}", variable.name, base::to_string(variable.value.type())));
  }
  if (!zeros.empty())
    notes.push_back(fmt::format("{} '{}' {} with zeros: the network says no first value; --variable NAME=FILE.npy gives one",
                                zeros.size() == 1 ? "variable" : "variables", fmt::join(zeros, "', '"),
                                zeros.size() == 1 ? "begins" : "begin"));
  if (!others.empty())
    notes.push_back(fmt::format("TOSA's EXT-VARIABLE has variables of int8 alone among the integers, here {} also {}",
                                others.size() == 1 ? "is" : "are", fmt::join(others, ", ")));
  return notes;
}

}  // namespace vernier::flow
