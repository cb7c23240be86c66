// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/compile.hpp"

#include "compiler/emit/flow_plan.hpp"
#include "compiler/emit/layers.hpp"
#include "compiler/emit/link_flow.hpp"
#include "compiler/emit/stages.hpp"
#include "compiler/passes/variables.hpp"
#include "hw/base/error.hpp"
#include "hw/package/disassembler.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace vernier::emit {
namespace {

/// The package of the one part of a plan without steps, as one of the main graph.
package::Package of_main(package::Package part, const FlowPlan& plan) {
  std::ranges::copy(plan.folded, std::back_inserter(part.folded));
  return part;
}

/// A graph as the stages take it: without variables.
class PlainGraph {
 public:
  explicit PlainGraph(const ir::Graph& graph) : source_(graph) {
    if (!graph.variables.empty()) flow_.emplace(passes::to_data_flow(graph));
  }

  [[nodiscard]] bool is_source() const { return !flow_; }
  [[nodiscard]] const ir::Graph& graph() const { return flow_ ? flow_->graph : source_; }

  /// Takes the ends of variables out of the inputs and outputs of a package of graph(), which is not the source.
  void name_variables(package::Package& package) const {
    for (size_t i = 0; i < source_.variables.size(); ++i) {
      const ir::Variable& from = source_.variables[i];
      package::Variable variable{from.name, from.initial != nullptr, base::Tensor(from.type, from.shape)};
      if (from.initial) variable.value = *from.initial;
      const passes::VariableEnds& ends = flow_->variables[i];
      if (ends.input >= 0) variable.before_idx = package.inputs.at(static_cast<size_t>(ends.input));
      if (ends.output >= 0) variable.after_idx = package.outputs.at(static_cast<size_t>(ends.output));
      package.variables.push_back(std::move(variable));
    }
    package.inputs.resize(source_.inputs.size());
    package.outputs.resize(source_.outputs.size());
  }

 private:
  const ir::Graph& source_;
  std::optional<passes::DataFlow> flow_;
};

}  // namespace

package::Package compile(const ir::Graph& graph, const ModelSource& source, const config::MachineConfig& config,
                         const CompileOptions& options) {
  if (const PlainGraph plain(graph); !plain.is_source()) {
    package::Package package = compile(plain.graph(), source, config, options);
    plain.name_variables(package);
    return package;
  }
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
  return ir::has_control_flow(graph) && !plan_flow(PlainGraph(graph).graph(), file, true).is_plain();
}

bool has_bad_regions(const ir::Graph& graph, const std::string& file) {
  if (!ir::has_control_flow(graph)) return false;
  try {
    plan_flow(PlainGraph(graph).graph(), file, false);
    return false;
  } catch (const base::UserError&) {
    return true;
  }
}

Explained explain(const ir::Graph& graph, const ModelSource& source, const config::MachineConfig& config,
                  const CompileOptions& options) {
  if (const PlainGraph plain(graph); !plain.is_source()) {
    Explained explained = explain(plain.graph(), source, config, options);
    plain.name_variables(explained.package);
    return explained;
  }
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

std::vector<package::LayerEntry> layer_entries(const ir::Graph& source, const std::string& file,
                                               const config::MachineConfig& config, const CompileOptions& options) {
  try {
    const PlainGraph plain(source);
    const ir::Graph& graph = plain.graph();
    if (ir::has_control_flow(graph)) return flow_layer_entries(plan_flow(graph, file, true), {graph, file, config, options});
    return make_layer_table(graph, passes::lower(graph, config, {options.optimize}, file)).entries;
  } catch (const base::UserError&) {  // the machine does not take it
    return source_layers(source);
  }
}

std::string print_stage(const std::string& stage, const ir::Graph& source_graph, const ModelSource& source,
                        const config::MachineConfig& config, const CompileOptions& options) {
  if (stage == "stream") return package::disassemble(compile(source_graph, source, config, options));
  VERNIER_CHECK(stage == "ir" || stage == "schedule", "stage '{}'", stage);
  const std::string before = stage == "ir" ? ir::print_shortened(source_graph) + "\n" : "";
  const PlainGraph plain(source_graph);
  const ir::Graph& graph = plain.graph();
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
