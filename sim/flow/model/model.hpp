// SPDX-License-Identifier: Apache-2.0
// MODEL on the command line: a network file or a package, and what is needed to run it.
#pragma once

#include "compiler/emit/compile.hpp"
#include "compiler/import/import_result.hpp"
#include "compiler/ir/graph.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/package.hpp"
#include "sim/flow/model/machine_options.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::flow {

struct Model {
  std::string file;
  std::vector<std::byte> bytes;                      // of the file
  std::optional<package::Package> package;           // when the file is one
  std::optional<ir::Graph> graph;                    // absent in a package without source graph
  std::vector<std::byte> network;                    // the graph as TOSA 1.0, of a file of another format; else empty
  package::Boundary boundary;                        // of the graph, or of the package
  std::vector<import::Rescaling> rescalings;         // of a quantized float network
  std::vector<import::SourceTensor> source_tensors;  // of a quantized float network; a package does not have them
  std::vector<import::RealTensor> real_tensors;      // of a network whose file says what integers stand for
  std::optional<import::TfliteRoundingUse> tflite_rounding;  // of a .tflite
  bool is_whole_tosa = false;                                // a .tosa of 1.0 that says all that the graph says
  std::vector<std::string> open_inputs;                      // whose first dimension the network leaves open, for --batch
  std::vector<std::string> notes;                            // what was taken for granted, for the report
};

ir::Level level_of(const std::string& name);
/// Reads and verifies, with the level and the batch of the options; UserError on anything wrong.
Model load_model(const std::string& file, const MachineOptions& options);
/// The same for commands that take no package.
Model load_network(const std::string& file, const MachineOptions& options);

/// The configuration that the options ask for. Of --sram-bytes as many are taken as fill the banks evenly: the size that was
/// asked for, or the next smaller one.
config::MachineConfig config_of(const MachineOptions& options);
/// Whether values decide what of the model runs: its package has several streams, which the firmware chooses from.
bool has_control_flow(const Model& model);
/// The configuration for that model: with memory mode external where it has control flow, unless an option names the mode.
config::MachineConfig config_of(const Model& model, const MachineOptions& options);
/// Whether an option says in which memory mode the machine runs; else a network takes another where it needs it.
bool names_memory_mode(const MachineOptions& options);
/// compile(configuration) for config_of(model, options). Where the network finds no room in the SRAM then, for the first
/// mode in which it does, unless an option names the mode.
template <typename Compile>
auto compile_where_it_fits(const Model& model, const MachineOptions& options, const Compile& compile) {
  config::MachineConfig config = config_of(model, options);
  try {
    return compile(std::as_const(config));
  } catch (const emit::DoesNotFit& refusal) {
    if (names_memory_mode(options) || !refusal.mode_with_room()) throw;
    config.memory_mode = *refusal.mode_with_room();
  }
  return compile(std::as_const(config));
}
/// What a reader of the machine's figures has to know: values that were given and that its memory mode does not use, and an
/// SRAM that is not exactly as large as the options ask for.
std::vector<std::string> notes_of(const config::MachineConfig& config, const MachineOptions& options);
/// The same with what the model makes of the options; `package` is compiled from it.
std::vector<std::string> notes_of(const Model& model, const package::Package& package, const MachineOptions& options);
/// UserError when the options ask for another machine than the package was compiled for.
void require_same_machine(const Model& model, const MachineOptions& options);
/// What the compiler takes of a model that is no package. It refers to the model.
emit::ModelSource source_of(const Model& model);
/// The package of a model: as loaded, or compiled now. With `has_dead_regions` its regions with mistakes do not run.
package::Package package_of(const Model& model, const MachineOptions& options, bool has_dead_regions = false);

}  // namespace vernier::flow
