// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/compile.hpp"

#include "compiler/emit/flow_plan.hpp"
#include "compiler/emit/layers.hpp"
#include "compiler/emit/link_flow.hpp"
#include "compiler/emit/stages.hpp"
#include "hw/base/error.hpp"
#include "hw/package/disassembler.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vernier::emit {
namespace {

/// The package of the one part of a plan without steps, as one of the main graph.
package::Package of_main(package::Package part, const FlowPlan& plan) {
  std::ranges::copy(plan.folded, std::back_inserter(part.folded));
  return part;
}

}  // namespace

package::Package compile(const ir::Graph& graph, const ModelSource& source, const config::MachineConfig& config,
                         const CompileOptions& options) {
  const StageInput input{graph, source.file, config, options};
  if (ir::has_control_flow(graph)) {
    const FlowPlan plan = plan_flow(graph, source.file, options.has_dead_regions);
    return plan.is_plain() ? of_main(compile(plan.parts.front().graph, source, config, options), plan)
                           : link_flow(plan, input, source).package;
  }
  Compiled compiled = run_stages(input);
  return assemble(compiled, make_layer_table(graph, compiled.program), input, source);
}

bool needs_steps(const ir::Graph& graph, const std::string& file) {
  return ir::has_control_flow(graph) && !plan_flow(graph, file, true).is_plain();
}

bool has_bad_regions(const ir::Graph& graph, const std::string& file) {
  if (!ir::has_control_flow(graph)) return false;
  try {
    plan_flow(graph, file, false);
    return false;
  } catch (const base::UserError&) {
    return true;
  }
}

Explained explain(const ir::Graph& graph, const ModelSource& source, const config::MachineConfig& config,
                  const CompileOptions& options) {
  const StageInput input{graph, source.file, config, options, true};
  if (ir::has_control_flow(graph)) {
    const FlowPlan plan = plan_flow(graph, source.file, options.has_dead_regions);
    if (!plan.is_plain()) return link_flow(plan, input, source);
    Explained explained = explain(plan.parts.front().graph, source, config, options);
    explained.package = of_main(std::move(explained.package), plan);
    explained.layer_of_op = layer_of_main_op(graph, explained.package.layers);
    return explained;
  }
  Compiled compiled = run_stages(input);
  LayerTable layers = make_layer_table(graph, compiled.program);
  Explained explained;
  explained.package = assemble(compiled, layers, input, source);
  explained.choices = choices_of(graph, compiled, layers);
  explained.layer_of_op = std::move(layers.layer_of_op);
  return explained;
}

std::vector<package::LayerEntry> layer_entries(const ir::Graph& graph, const std::string& file,
                                               const config::MachineConfig& config, const CompileOptions& options) {
  try {
    if (ir::has_control_flow(graph)) return flow_layer_entries(plan_flow(graph, file, true), {graph, file, config, options});
    return make_layer_table(graph, passes::lower(graph, config, {options.optimize}, file)).entries;
  } catch (const base::UserError&) {  // the machine does not take it
    return source_layers(graph);
  }
}

std::string print_stage(const std::string& stage, const ir::Graph& graph, const ModelSource& source,
                        const config::MachineConfig& config, const CompileOptions& options) {
  if (stage == "stream") return package::disassemble(compile(graph, source, config, options));
  VERNIER_CHECK(stage == "ir" || stage == "schedule", "stage '{}'", stage);
  const std::string before = stage == "ir" ? ir::print_shortened(graph) + "\n" : "";
  const auto print = [&](const ir::Graph& one, const Compiled& compiled) {
    return stage == "ir" ? passes::print(compiled.program, one) : schedule::print(compiled.schedule, one);
  };
  const StageInput input{graph, source.file, config, options, true};
  if (!ir::has_control_flow(graph)) return before + print(graph, run_stages(input));
  std::string text = before;
  int64_t stream = 0;
  const FlowPlan plan = plan_flow(graph, source.file, options.has_dead_regions);
  for_each_part(plan, input, [&](const StageInput& part, Compiled& compiled) {
    text += fmt::format("# stream {}\n{}\n", stream++, print(part.graph, compiled));
  });
  return text;
}

}  // namespace vernier::emit
