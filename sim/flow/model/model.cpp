// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/model.hpp"

#include "compiler/export/export.hpp"
#include "compiler/import/aimet/read_encodings.hpp"
#include "compiler/import/boundary/read_boundary.hpp"
#include "compiler/import/file_format.hpp"
#include "compiler/import/import.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "hw/config/differences.hpp"
#include "hw/package/stream_check.hpp"
#include "hw/spec/registers.hpp"
#include "sim/flow/model/quantized_input.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace vernier::flow {

ir::Level level_of(const std::string& name) { return name == "none" ? ir::kLevelNone : ir::kLevel8k; }

namespace {

/// A package's own list of its inputs or outputs says what its source graph says.
void require_same_tensors(const std::string& file, const package::Package& package, const std::vector<int32_t>& indices,
                          const ir::Graph& graph, const std::vector<ir::TensorId>& ids, std::string_view what) {
  bool is_same = indices.size() == ids.size();
  for (size_t i = 0; is_same && i < ids.size(); ++i) {
    const package::TensorEntry& entry = package.tensors[indices[i]];
    const ir::TensorInfo& tensor = graph.tensor(ids[i]);
    is_same = entry.name == tensor.name && entry.type == tensor.type && entry.shape == tensor.shape;
  }
  if (!is_same) throw base::UserError(file, "damaged package: its {} are not those of its source graph; recompile", what);
}

/// So does its list of variables.
void require_same_variables(const std::string& file, const package::Package& package, const ir::Graph& graph) {
  const auto is_same = [](const package::Variable& mine, const ir::Variable& theirs) {
    return mine.name == theirs.name && mine.value.type() == theirs.type && mine.value.shape() == theirs.shape;
  };
  if (!std::ranges::equal(package.variables, graph.variables, is_same))
    throw base::UserError(file, "damaged package: its variables are not those of its source graph; recompile");
}

/// So do the tensors of which its commands make pieces.
void require_same_inner_tensors(const std::string& file, const package::Package& package, const ir::Graph& graph) {
  std::map<std::string_view, const ir::TensorInfo*> by_name;
  for (const ir::TensorInfo& tensor : graph.tensors) by_name.emplace(tensor.name, &tensor);
  for (const package::Piece& piece : package.pieces) {
    const package::TensorEntry& entry = package.tensors[piece.tensor_idx];
    const auto found = by_name.find(entry.name);
    if (found == by_name.end() || (found->second->type == entry.type && found->second->shape == entry.shape)) continue;
    throw base::UserError(file, "damaged package: tensor '{}' is {} {}, in its source graph {} {}; recompile", entry.name,
                          base::to_string(entry.type), base::to_string(entry.shape), base::to_string(found->second->type),
                          base::to_string(found->second->shape));
  }
}

const ir::TensorInfo& find_input(const ir::Graph& graph, const std::string& name) {
  const auto found =
      std::find_if(graph.inputs.begin(), graph.inputs.end(), [&](ir::TensorId id) { return graph.tensor(id).name == name; });
  VERNIER_CHECK(found != graph.inputs.end(), "'{}' is a graph input", name);
  return graph.tensor(*found);
}

/// What was put in for first dimensions that the network leaves open.
std::string batch_note(const ir::Graph& graph, const std::vector<std::string>& open_inputs) {
  return fmt::format("the network leaves the first dimension of {} '{}' open (-1): taken as {}; --batch N takes another",
                     open_inputs.size() == 1 ? "input" : "inputs", fmt::join(open_inputs, "', '"),
                     find_input(graph, open_inputs.front()).shape.front());
}

/// The graph that a package was compiled from. Dimensions that it leaves open have the sizes of the package's own list.
void add_source_graph(Model& model, const MachineOptions& options) {
  const package::Package& package = *model.package;
  import::Options import_options;
  import_options.level = level_of(options.level);
  import_options.open.batch = options.batch;
  for (const int32_t idx : package.inputs) import_options.open.input_shapes.push_back(package.tensors[idx].shape);
  import::ImportResult imported = import::import_network(model.file, package.source, import_options);
  model.graph = import::take_graph(imported);
  require_same_tensors(model.file, package, package.inputs, *model.graph, model.graph->inputs, "inputs");
  require_same_tensors(model.file, package, package.outputs, *model.graph, model.graph->outputs, "outputs");
  require_same_variables(model.file, package, *model.graph);
  require_same_inner_tensors(model.file, package, *model.graph);
  for (const import::Finding& finding : imported.findings) model.notes.push_back(import::note_of(finding));
  if (imported.open_inputs.empty()) return;
  model.open_inputs = imported.open_inputs;
  model.notes.push_back(batch_note(*model.graph, imported.open_inputs));
  const int64_t batch = find_input(*model.graph, imported.open_inputs.front()).shape.front();
  if (options.batch && *options.batch != batch)
    throw base::UserError(model.file,
                          "is a package compiled for --batch {}, found --batch {}; recompile it from its network", batch,
                          *options.batch);
}

/// The text of --encodings.
std::optional<import::EncodingsFile> encodings_of(const MachineOptions& options) {
  if (!options.encodings) return std::nullopt;
  return import::EncodingsFile{*options.encodings, import::aimet::read_encodings_text(*options.encodings)};
}

}  // namespace

Model load_model(const std::string& file, const MachineOptions& options) {
  Model model;
  model.file = file;
  model.bytes = base::read_file(file);
  if (model.bytes.empty())
    throw base::UserError(file, "is empty, expected a network (.tflite, .tosa, .mlir, .onnx) or a package (.vnpu)");
  if (package::is_package(model.bytes)) {
    if (options.encodings) throw base::UserError("--encodings", "goes with a float network, '{}' is a package", file);
    for (const auto& [option, is_given] :
         {std::pair("--shape", !options.shapes.empty()), std::pair("--input-format", !options.input_formats.empty()),
          std::pair("--signature", options.signature.has_value()),
          std::pair("--tflite-rounding", options.tflite_rounding.has_value())}) {
      if (is_given)
        throw base::UserError(option, "{} is a package, whose inputs are fixed; recompile it from its network", file);
    }
    model.package = package::from_bytes(file, model.bytes);
    package::check_streams(file, *model.package);
    model.boundary = model.package->boundary;
    if (!model.package->source.empty()) add_source_graph(model, options);
  } else {
    import::Options import_options;
    import_options.level = level_of(options.level);
    import_options.open.batch = options.batch;
    import_options.open.named = options.shapes;
    import_options.encodings = encodings_of(options);
    import_options.input_formats = options.input_formats;
    import_options.signature = options.signature;
    import_options.tflite_rounding = options.tflite_rounding;
    import::ImportResult imported = import::import_network(file, model.bytes, import_options);
    model.graph = import::take_graph(imported);
    for (const import::Finding& finding : imported.findings) model.notes.push_back(import::note_of(finding));
    model.boundary = std::move(imported.boundary);
    model.rescalings = std::move(imported.rescalings);
    model.source_tensors = std::move(imported.source_tensors);
    model.tflite_rounding = std::move(imported.tflite_rounding);
    model.real_tensors = std::move(imported.real_tensors);
    model.is_whole_tosa = imported.is_whole_tosa;
    const import::FileFormat format = import::format_of(model.bytes);
    if (format != import::FileFormat::Tosa) model.network = exporter::to_tosa(*model.graph, file);
    if (format == import::FileFormat::Tosa || format == import::FileFormat::MlirText) {
      const package::Boundary beside = import::read_boundary_beside(file, model.bytes, *model.graph);
      if (!(beside == package::Boundary{})) model.boundary = beside;  // else what the file itself says
    }
    if (!imported.open_inputs.empty()) model.notes.push_back(batch_note(*model.graph, imported.open_inputs));
    model.open_inputs = std::move(imported.open_inputs);
  }
  for (const InputQuantization& wanted : options.quantizations) quantize_input(model, wanted);
  return model;
}

Model load_network(const std::string& file, const MachineOptions& options) {
  Model model = load_model(file, options);
  if (model.package) throw base::UserError(file, "is a package already, expected a network (.tflite, .tosa, .mlir, .onnx)");
  return model;
}

namespace {

/// A word in each bank.
int64_t row_bytes(const config::MachineConfig& config) {
  return int64_t{spec::kNumSramBanks} * config.datapath.word_bytes();
}

/// The bytes of SRAM that a machine has when `asked` are given; a size that is out of range stays, to be refused as it is.
int64_t taken_sram_bytes(const config::MachineConfig& config, int64_t asked) {
  const bool is_in_range = asked >= spec::kKibi && asked <= spec::kMaxSramBytes;
  return is_in_range ? asked - asked % row_bytes(config) : asked;
}

}  // namespace

config::MachineConfig config_of(const MachineOptions& options) {
  config::MachineConfig config = config::load_config(options.config.value_or("v256"), options.sets);
  if (options.memory) config.memory_mode = config::memory_mode_from_name(*options.memory, "--memory");
  if (options.sram_bytes) {
    config.sram_bytes = taken_sram_bytes(config, *options.sram_bytes);
    config.origins.sram = "--sram-bytes";
    config::validate(config, "--sram-bytes");
  }
  return config;
}

std::vector<std::string> notes_of(const config::MachineConfig& config, const MachineOptions& options) {
  std::vector<std::string> notes;
  if (options.sram_bytes && *options.sram_bytes != config.sram_bytes) {
    notes.push_back(
        fmt::format("--sram-bytes: {} B asked for, {} B taken: the SRAM is a whole number of rows of {} B, a word in each "
                    "of the {} banks",
                    base::with_thousands(*options.sram_bytes), base::with_thousands(config.sram_bytes), row_bytes(config),
                    spec::kNumSramBanks));
  }
  const std::vector<std::string>& keys = config.origins.external_keys;
  if (config.memory_mode == spec::MemoryMode::Sram && !keys.empty()) {
    notes.push_back(fmt::format(
        "memory mode 'sram' uses external memory before the first inference alone: {} of configuration '{}' {} nothing in "
        "the "
        "following ones; --memory external or weights-external uses {} in each",
        fmt::join(keys, ", "), config.name, keys.size() == 1 ? "changes" : "change", keys.size() == 1 ? "it" : "them"));
  }
  return notes;
}

void require_same_machine(const Model& model, const MachineOptions& options) {
  if (!model.package) return;
  const config::MachineConfig& compiled = model.package->config;
  const auto refuse = [&](std::string_view option, const std::string& asked, const std::string& has) {
    throw base::UserError(model.file, "is a package compiled for {} {}, found {} {}; recompile it from its network", option,
                          has, option, asked);
  };
  if (!options.sets.empty())
    throw base::UserError("--set", "{} is a package, whose machine is fixed; recompile it from its network", model.file);
  if (options.config) {
    config::MachineConfig asked = config::load_config(*options.config);
    asked.memory_mode = compiled.memory_mode;  // options of their own
    asked.sram_bytes = compiled.sram_bytes;
    if (!(asked == compiled)) {
      // What follows from others says nothing of its own.
      constexpr std::array<std::string_view, 3> kMayDiffer{"name", "base", "sram_parity_bits"};
      const std::string differences = config::differences_of(compiled, asked, kMayDiffer);
      refuse("--config", *options.config + (differences.empty() ? "" : ": " + differences), compiled.name);
    }
  }
  const std::string memory(spec::kMemoryModeNames[static_cast<size_t>(compiled.memory_mode)]);
  if (options.memory && *options.memory != memory) refuse("--memory", *options.memory, memory);
  if (options.sram_bytes && taken_sram_bytes(compiled, *options.sram_bytes) != compiled.sram_bytes) {
    refuse("--sram-bytes", std::to_string(*options.sram_bytes), std::to_string(compiled.sram_bytes));
  }
  if (options.optimize && *options.optimize != model.package->optimize) {
    refuse("--optimize", std::to_string(*options.optimize), std::to_string(model.package->optimize));
  }
}

package::Package package_of(const Model& model, const MachineOptions& options, bool has_dead_regions) {
  if (model.package) {
    require_same_machine(model, options);
    return *model.package;
  }
  return compile_where_it_fits(model, options, [&](const config::MachineConfig& config) {
    return emit::compile(*model.graph, source_of(model), config, {options.optimize.value_or(1), has_dead_regions});
  });
}

bool has_control_flow(const Model& model) {
  return model.package ? !model.package->flow.steps.empty() : emit::needs_steps(*model.graph, model.file);
}

bool names_memory_mode(const MachineOptions& options) { return options.memory || options.sets.contains("memory_mode"); }

config::MachineConfig config_of(const Model& model, const MachineOptions& options) {
  config::MachineConfig config = config_of(options);
  if (!names_memory_mode(options) && has_control_flow(model)) config.memory_mode = spec::MemoryMode::External;
  return config;
}

std::vector<std::string> notes_of(const Model& model, const package::Package& package, const MachineOptions& options) {
  std::vector<std::string> notes = notes_of(package.config, options);
  if (model.package) return notes;
  const config::MachineConfig asked = config_of(options);
  if (asked.memory_mode == package.config.memory_mode) return notes;
  if (!package.flow.steps.empty()) {
    notes.push_back(fmt::format(
        "values decide what of the network runs: memory mode 'external' is taken, in which its {} hand values on, and the "
        "control CPU starts them",
        base::counted(std::ssize(package.flow.streams), "stream")));
  } else {
    const auto name_of = [](spec::MemoryMode mode) { return spec::kMemoryModeNames[static_cast<size_t>(mode)]; };
    notes.push_back(fmt::format(
        "the network finds no room in {} of SRAM in memory mode '{}': '{}' is taken; --memory {} says what it needs",
        base::bytes_text(asked.sram_bytes), name_of(asked.memory_mode), name_of(package.config.memory_mode),
        name_of(asked.memory_mode)));
  }
  return notes;
}

emit::ModelSource source_of(const Model& model) { return {model.file, model.bytes, model.network, model.boundary}; }

}  // namespace vernier::flow
