// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/stages.hpp"

#include "compiler/emit/layout_costs.hpp"
#include "compiler/emit/refusal.hpp"
#include "compiler/passes/merge_groups.hpp"
#include "compiler/schedule/candidates.hpp"
#include "compiler/schedule/too_much_outside.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/spec/registers.hpp"

#include <optional>
#include <utility>

namespace vernier::emit {
namespace {

/// No run of vectors, and no feature map, has more elements than the machine has addresses.
void require_addressable(const ir::Graph& graph, const std::string& file) {
  for (const ir::TensorInfo& tensor : graph.tensors) {
    const int64_t num_elements = base::num_elements(tensor.shape);
    if (num_elements <= spec::kMaxExternalBytes) continue;
    throw base::UserError(file, "tensor '{}' {} has {} elements, the NPU takes up to {}", tensor.name,
                          base::to_string(tensor.shape), base::with_thousands(num_elements),
                          base::with_thousands(spec::kMaxExternalBytes));
  }
}

/// A run reads each window whole: the windows of a map may have more elements than the map.
void require_short_runs(const passes::Program& program, const ir::Graph& graph, const std::string& file) {
  for (const passes::Step& step : program.steps) {
    const auto* run = std::get_if<spec::VectorCommand>(&step.command.body);
    if (run == nullptr) continue;
    base::Wide num_elements = run->lanes;
    for (const int64_t count : run->counts) num_elements *= count;
    if (num_elements <= spec::kMaxCommandElements) continue;
    const std::string layer = step.ops.empty() ? "" : graph.tensor(graph.operators[step.ops.front()].outputs.front()).name;
    throw base::UserError(file, "the layer of '{}' reads {} elements in one command, the NPU takes up to {}", layer,
                          base::with_thousands(static_cast<int64_t>(num_elements)),
                          base::with_thousands(spec::kMaxCommandElements));
  }
}

/// Whether the search took up what it finds on machines with less SRAM. These compare both forms, so this one has to.
bool is_searched_by_size(const schedule::Schedule& found, const config::MachineConfig& config) {
  return config.memory_mode != spec::MemoryMode::Sram && std::ssize(found.commands) <= schedule::kFewPlanCommands;
}

/// Gives the inputs and outputs of a part of a network the places that they have.
void set_places(passes::Program& program, const OutsidePlaces& outside) {
  program.outside_image_byte = outside.image_byte;
  program.outside_maps_byte = outside.maps_byte;
  for (const auto& [tensor, byte] : outside.byte_of) {
    passes::Buffer& buffer = program.buffers[program.places[tensor]->buffer];
    VERNIER_CHECK(!buffer.outside_byte || *buffer.outside_byte == byte, "'{}' has two places", buffer.name);
    buffer.outside_byte = byte;
  }
}

Compiled lower_and_schedule(const StageInput& input, passes::LoweringOptions lowering) {
  const ir::Graph& graph = input.graph;
  const std::string& file = input.file;
  const config::MachineConfig& config = input.config;
  const schedule::Options options{input.options.optimize, input.explain};
  Compiled compiled;
  const auto lower = [&] {
    compiled.program = passes::lower(graph, config, lowering, file);
    set_places(compiled.program, input.outside);
    if (static_cast<int64_t>(compiled.program.steps.size()) > schedule::kMostCommands)  // each step is a command or more
      throw schedule::TooLittleSram({}, true);
    require_short_runs(compiled.program, graph, file);
    passes::verify(compiled.program, graph, config);
    schedule::require_room_outside(compiled.program, config);
    if (input.explain) tell_layouts(compiled.program, graph, config, lowering, file);
  };
  lower();
  std::optional<schedule::Schedule> found;
  if (compiled.program.takes_more_room) {
    found = schedule::try_schedule(compiled.program, graph, config, options);
    lowering.may_take_more_room = false;  // where they leave no room
    if (!found) {
      lower();
    } else if (options.optimize > 0 &&
               (config.sram_bytes < 2 * found->needed_bytes || is_searched_by_size(*found, config))) {
      // What they save may be less than what they take from the others.
      passes::Program roomy = std::move(compiled.program);
      lower();
      std::optional<schedule::Schedule> lean = schedule::try_schedule(compiled.program, graph, config, options);
      if (lean && lean->cycles < found->cycles) {
        found = std::move(lean);
      } else {
        compiled.program = std::move(roomy);
      }
    }
  }
  if (!found) found = schedule::make_schedule(compiled.program, graph, config, options);
  compiled.schedule = std::move(*found);
  schedule::verify(compiled.schedule, config);
  return compiled;
}

/// The groups of convolutions as they stand, or merged where that takes fewer cycles: until the lanes are full, or all.
Compiled with_best_groups(const StageInput& input) {
  passes::LoweringOptions lowering{input.options.optimize};
  Compiled best = lower_and_schedule(input, lowering);
  if (input.options.optimize == 0) return best;
  size_t num_operators = input.graph.operators.size();
  for (const int64_t channels : {int64_t{input.config.datapath.lanes}, passes::kAllChannels}) {
    const std::optional<passes::MergedGraph> form = passes::merge_groups(input.graph, channels);
    if (!form || form->graph.operators.size() == num_operators) continue;  // there already
    num_operators = form->graph.operators.size();
    lowering.merged = &*form;
    try {
      Compiled merged = lower_and_schedule(input, lowering);
      if (merged.schedule.cycles < best.schedule.cycles) best = std::move(merged);
    } catch (const schedule::TooLittleSram&) {  // the groups as they stand fit
      continue;
    }
  }
  return best;
}

}  // namespace

Compiled run_stages(const StageInput& input) {
  try {
    return run_stages_of_part(input);
  } catch (const schedule::TooLittleSram& error) {
    throw refusal(error, input.graph, input.file, input.config, input.options.optimize, false);
  }
}

Compiled run_stages_of_part(const StageInput& input) {
  require_addressable(input.graph, input.file);
  try {
    return with_best_groups(input);
  } catch (const schedule::TooMuchOutside& error) {
    throw refusal(error, input.file, input.config);
  }
}

}  // namespace vernier::emit
