// SPDX-License-Identifier: Apache-2.0
// The compiler's front door: a graph to a package, and the printed form of each stage.
#pragma once

#include "compiler/cost/alternatives.hpp"
#include "compiler/emit/does_not_fit.hpp"
#include "compiler/ir/graph.hpp"
#include "hw/base/indexed_vector.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/package.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace vernier::emit {

struct CompileOptions {
  int64_t optimize = 1;  // 0 or 1
  /// Who compiles knows that regions with a mistake do not run: they give zeros. Else the network is refused.
  bool has_dead_regions = false;
};

/// Names of the model for messages and for the package.
struct ModelSource {
  std::string file;
  std::span<const std::byte> bytes;      // of the file, for its checksum
  std::span<const std::byte> network{};  // the TOSA flatbuffer that the package embeds; empty: the file is it
  package::Boundary boundary{};
};

/// DoesNotFit when the network finds no room in the SRAM (what is needed is in the message), UserError when it holds what
/// the machine does not run.
package::Package compile(const ir::Graph& graph, const ModelSource& source, const config::MachineConfig& config,
                         const CompileOptions& options);

/// Whether values decide what of the graph runs: COND_IF whose condition is no constant, or WHILE_LOOP. The package has
/// several streams then, and needs memory mode external. UserError as of compile(), where regions cannot be taken apart.
bool needs_steps(const ir::Graph& graph, const std::string& file);
/// Whether compile() refuses the graph for what one of its regions holds, which is an error only where the region runs.
bool has_bad_regions(const ir::Graph& graph, const std::string& file);

/// The package with what there is to say of it.
struct Explained {
  package::Package package;
  base::IndexedVector<ir::OpId, int32_t> layer_of_op;
  struct Choice {
    std::string step;  // operator and its result
    int32_t layer_idx = 0;
    cost::Alternatives alternatives;
  };
  std::vector<Choice> choices;
};
/// compile(), with the choices that were made, as print_stage("schedule") prints them.
Explained explain(const ir::Graph& graph, const ModelSource& source, const config::MachineConfig& config,
                  const CompileOptions& options);

/// The layers that own a command, as a package lists them, without placing anything: what a back end without cycles reports.
/// Of a network that the machine does not take: the layers of the source.
std::vector<package::LayerEntry> layer_entries(const ir::Graph& graph, const std::string& file,
                                               const config::MachineConfig& config, const CompileOptions& options);

/// The printed form of the stages: "ir" (the graph and the lowered program), "schedule", "stream".
std::string print_stage(const std::string& stage, const ir::Graph& graph, const ModelSource& source,
                        const config::MachineConfig& config, const CompileOptions& options);

}  // namespace vernier::emit
