// SPDX-License-Identifier: Apache-2.0
// A graph through all stages of the compiler, to a schedule; and that as a package. Internal to compiler/emit.
#pragma once

#include "compiler/emit/compile.hpp"
#include "compiler/emit/layers.hpp"
#include "compiler/passes/program.hpp"
#include "compiler/schedule/schedule.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace vernier::emit {

struct Compiled {
  passes::Program program;
  schedule::Schedule schedule;
};

/// Where things of a part of a network lie in external memory: its image, its maps, and by tensor of its graph the inputs
/// and outputs, which have their places already. Memory mode external. The whole of a network has no such places.
struct OutsidePlaces {
  int64_t image_byte = 0;
  std::optional<int64_t> maps_byte{};
  std::map<ir::TensorId, int64_t> byte_of{};
};

struct StageInput {
  const ir::Graph& graph;
  const std::string& file;
  const config::MachineConfig& config;
  const CompileOptions& options;
  bool explain = false;  // keep the alternatives of each choice
  OutsidePlaces outside{};
};

/// UserError when the graph does not fit the machine.
Compiled run_stages(const StageInput& input);
/// The same for a part of a network: TooLittleSram when the SRAM is too small, so that the need of all parts can be told.
Compiled run_stages_of_part(const StageInput& input);

/// A package with what is known of it before anything is compiled.
package::Package begin_package(const StageInput& input, const ModelSource& source);
/// Takes the bytes of the image out of `compiled`.
package::Package assemble(Compiled& compiled, const LayerTable& layers, const StageInput& input, const ModelSource& source);

}  // namespace vernier::emit
