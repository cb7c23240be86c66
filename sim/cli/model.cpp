// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/model.hpp"

#include "compiler/emit/compile.hpp"
#include "compiler/import/import.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

namespace vernier::cli {

ir::Level level_of(const std::string& name) { return name == "none" ? ir::kLevelNone : ir::kLevel8k; }

namespace {

/// A package's own list of its inputs or outputs says what its source graph says.
void require_same_tensors(const std::string& file, const package::Package& package, const std::vector<int32_t>& indices,
                          const ir::Graph& graph, const std::vector<ir::TensorId>& ids, std::string_view what) {
  bool is_same = indices.size() == ids.size();
  for (size_t i = 0; is_same && i < ids.size(); ++i) {
    const package::TensorEntry& entry = package.tensors[static_cast<size_t>(indices[i])];
    const ir::TensorInfo& tensor = graph.tensor(ids[i]);
    is_same = entry.name == tensor.name && entry.type == tensor.type && entry.shape == tensor.shape;
  }
  if (!is_same) throw base::UserError(file, "damaged package: its {} are not those of its source graph; recompile", what);
}

}  // namespace

Model load_model(const std::string& file, const std::string& level) {
  Model model;
  model.file = file;
  model.bytes = base::read_file(file);
  if (model.bytes.empty()) throw base::UserError(file, "is empty, expected a TOSA flatbuffer (.tosa) or a package (.vnpu)");
  if (package::is_package(model.bytes)) {
    model.package = package::from_bytes(file, model.bytes);
    const package::Package& package = *model.package;
    if (!package.source.empty()) {
      model.graph = import::import_tosa(file, package.source, level_of(level));
      require_same_tensors(file, package, package.inputs, *model.graph, model.graph->inputs, "inputs");
      require_same_tensors(file, package, package.outputs, *model.graph, model.graph->outputs, "outputs");
    }
  } else {
    model.graph = import::import_tosa(file, model.bytes, level_of(level));
  }
  return model;
}

config::MachineConfig config_of(const MachineOptions& options) {
  config::MachineConfig config = config::load_config(options.config.value_or("v256"));
  if (options.memory) config.memory_mode = config::memory_mode_from_name(*options.memory, "--memory");
  if (options.sram_bytes) {
    config.sram_bytes = *options.sram_bytes;
    config::validate(config, "--sram-bytes");
  }
  return config;
}

void require_same_machine(const Model& model, const MachineOptions& options) {
  if (!model.package) return;
  const config::MachineConfig& compiled = model.package->config;
  const auto refuse = [&](std::string_view option, const std::string& asked, const std::string& has) {
    throw base::UserError(model.file, "is a package compiled for {} {}, found {} {}; recompile it from its network", option,
                          has, option, asked);
  };
  if (options.config) {
    config::MachineConfig asked = config::load_config(*options.config);
    if (!options.memory) asked.memory_mode = compiled.memory_mode;
    if (!options.sram_bytes) asked.sram_bytes = compiled.sram_bytes;
    if (asked.name != compiled.name) refuse("--config", *options.config, compiled.name);
    if (options.memory) asked.memory_mode = compiled.memory_mode;
    if (options.sram_bytes) asked.sram_bytes = compiled.sram_bytes;
    if (!(asked == compiled)) refuse("--config", *options.config, compiled.name + " with other values");
  }
  const std::string memory(spec::kMemoryModeNames[static_cast<size_t>(compiled.memory_mode)]);
  if (options.memory && *options.memory != memory) refuse("--memory", *options.memory, memory);
  if (options.sram_bytes && *options.sram_bytes != compiled.sram_bytes) {
    refuse("--sram-bytes", std::to_string(*options.sram_bytes), std::to_string(compiled.sram_bytes));
  }
  if (options.optimize && *options.optimize != model.package->optimize) {
    refuse("--optimize", std::to_string(*options.optimize), std::to_string(model.package->optimize));
  }
}

package::Package package_of(const Model& model, const MachineOptions& options) {
  if (model.package) {
    require_same_machine(model, options);
    return *model.package;
  }
  return emit::compile(*model.graph, {model.file, model.bytes}, config_of(options), {options.optimize.value_or(1)});
}

}  // namespace vernier::cli
