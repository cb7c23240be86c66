// SPDX-License-Identifier: Apache-2.0
// MLIR text, its syntax, the flatbuffer that it stands for, and the graph of that.
#include "compiler/import/mlir/block_writer.hpp"
#include "compiler/import/mlir/mlir.hpp"
#include "compiler/import/mlir/parser.hpp"
#include "compiler/import/tosa/tosa.hpp"
#include "hw/base/text.hpp"

#include <algorithm>

namespace vernier::import {

namespace mlir {

namespace {

/// The function that is the network.
const Operation& main_function(const Source& source, const Module& module) {
  const Operation* found = nullptr;
  std::string names;
  size_t count = 0;
  for (const Operation& operation : module.operations) {
    if (operation.name != "func.func" || operation.regions.empty()) continue;
    const Attribute* name = find(operation.attributes, "sym_name");
    const std::string_view text = name == nullptr ? "" : std::string_view(name->text);
    if (text == "main") return operation;
    names += fmt::format("{}@{}", names.empty() ? "" : ", ", text);
    if (found == nullptr) found = &operation;
    ++count;
  }
  if (found == nullptr) throw base::UserError(source.file(), "the file has no function with a body, needed is one");
  if (count > 1)
    throw base::UserError(source.file(), "the file has functions {}, allowed is one, or one that is called @main", names);
  return *found;
}

/// Names of the ends: of tosa.tensor_name, of the comma-separated list in tf.entry_function, or the serialiser's.
std::vector<std::string> end_names(const Operation& function, std::string_view list, std::string_view prefix,
                                   const std::vector<const Dictionary*>& ends) {
  std::vector<std::string> names;
  std::string_view entries;
  if (const Attribute* entry = find(function.attributes, "tf.entry_function")) {
    if (const Attribute* given = find(entry->entries, list)) entries = given->text;
  }
  for (size_t i = 0; i < ends.size(); ++i) {
    const size_t comma = std::min(entries.find(','), entries.size());
    const Attribute* own = ends[i] == nullptr ? nullptr : find(*ends[i], "tosa.tensor_name");
    std::string name = own != nullptr ? own->text : std::string(entries.substr(0, comma));
    entries.remove_prefix(std::min(comma + 1, entries.size()));
    names.push_back(name.empty() ? fmt::format("{}_{}", prefix, i) : std::move(name));
  }
  return names;
}

/// In the generic form the attributes of arguments and results are lists of dictionaries.
std::vector<const Dictionary*> listed(const Operation& function, std::string_view name, size_t count) {
  std::vector<const Dictionary*> dictionaries(count, nullptr);
  const Attribute* list = find(function.attributes, name);
  for (size_t i = 0; list != nullptr && i < std::min(count, list->items.size()); ++i)
    dictionaries[i] = &list->items[i].entries;
  return dictionaries;
}

std::vector<std::string> argument_names(const Operation& function) {
  const std::vector<Argument>& arguments = function.regions[0].arguments;
  std::vector<const Dictionary*> ends = listed(function, "arg_attrs", arguments.size());
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] == nullptr) ends[i] = &arguments[i].attributes;
  }
  return end_names(function, "inputs", "TosaInput", ends);
}

std::vector<std::string> result_names(const Operation& function) {
  const std::vector<Operation>& operations = function.regions[0].operations;
  const size_t count = operations.empty() ? 0 : operations.back().operands.size();
  std::vector<const Dictionary*> ends = listed(function, "res_attrs", count);
  for (size_t i = 0; i < std::min(count, function.result_attributes.size()); ++i) ends[i] = &function.result_attributes[i];
  return end_names(function, "outputs", "TosaOutput", ends);
}

/// 1.0 where the file names no target.
tosa::VersionT version_of(const Source& source, const Module& module) {
  tosa::VersionT version;
  version._major = 1;
  version._minor = version._patch = 0;
  version._draft = false;
  const Attribute* target = find(module.attributes, "tosa.target_env");
  const Attribute* named = target == nullptr ? nullptr : find(target->entries, "specification_version");
  if (named == nullptr || named->text == "1.0") return version;
  if (!named->text.starts_with("1.1"))
    source.fail(named->position, "specification_version is '{}', allowed are 1.0 and 1.1", named->text);
  version._minor = 1;
  version._draft = named->text.ends_with("draft");
  return version;
}

void check_end(const Source& source, const Operation& function) {
  const std::vector<Operation>& operations = function.regions[0].operations;
  if (operations.empty() || operations.back().name != "func.return")
    source.fail(function.position, "the function does not end with a return");
}

std::vector<std::byte> to_flatbuffer(Source& source) {
  const Module module = Parser(source).parse();
  if (!source.mistakes().empty()) return {};
  File file{source, module, ConstantReader(source, module.resources)};
  for (const auto& [name, position] : module.location_aliases) file.location_aliases[name] = source.text().substr(position);
  const Operation& function = main_function(source, module);
  check_end(source, function);
  const auto add_variables = [&](const std::vector<Operation>& operations) {
    for (const Operation& operation : operations) {
      if (operation.name != "tosa.variable") continue;
      const Attribute* name = find(operation.attributes, "sym_name");
      if (name == nullptr) source.fail(operation.position, "tosa.variable has no name");
      if (!file.variables.emplace(name->text, &operation).second)
        source.fail(operation.position, "two variables are called '{}', names are unique", name->text);
    }
  };
  add_variables(module.operations);
  add_variables(function.regions[0].operations);
  BlockWriter main(file, nullptr);
  main.declare_variables();
  main.write(function.regions[0], argument_names(function), result_names(function));
  tosa::TosaGraphT graph;
  graph.version = std::make_unique<tosa::VersionT>(version_of(source, module));
  graph.regions.push_back(main.release("main"));
  for (auto& region : file.regions) graph.regions.push_back(std::move(region));
  flatbuffers::FlatBufferBuilder builder(source.text().size() / 2 + 1024);
  tosa::FinishTosaGraphBuffer(builder, tosa::TosaGraph::Pack(builder, &graph));
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {data, data + builder.GetSize()};
}

}  // namespace

}  // namespace mlir

ImportResult import_mlir(const std::string& file, std::span<const std::byte> bytes, const Options& options) {
  mlir::Source source(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  std::vector<std::byte> flatbuffer;
  std::vector<std::string> errors;
  try {
    flatbuffer = mlir::to_flatbuffer(source);
  } catch (const base::UserError& error) {
    errors.emplace_back(error.what());
  }
  errors.insert(errors.begin(), source.mistakes().begin(), source.mistakes().end());
  if (errors.empty()) {
    ImportResult result = import_tosa(file, flatbuffer, options);
    result.is_whole_tosa = false;
    return result;
  }
  ImportResult result;
  for (std::string& error : errors) result.findings.push_back({Finding::Severity::Error, std::move(error)});
  return result;
}

}  // namespace vernier::import
