// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/layout_costs.hpp"

#include "compiler/cost/mac_choice.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace vernier::emit {
namespace {

constexpr const char* kRule = "planes of N channels, with a pitch that keeps windows off their own banks";

struct Layout {
  passes::InnerLayout layout;
  const char* name;
};
constexpr std::array<Layout, 3> kLayouts{{{passes::InnerLayout::SpacedPlanes, "planes, rows spaced for the banks"},
                                          {passes::InnerLayout::Planes, "planes, rows side by side"},
                                          {passes::InnerLayout::Dense, "dense NHWC"}}};

/// Cycles of the steps that read or write each buffer.
std::map<passes::BufferId, int64_t> cycles_by_buffer(const passes::Program& program, const config::MachineConfig& config) {
  std::map<passes::BufferId, int64_t> cycles;
  for (const passes::Step& step : program.steps) {
    const int64_t of_step = cost::cycles_alone(step.command, config);
    std::vector<passes::BufferId> touched;
    for (const passes::Operand& operand : step.operands) {
      if (std::find(touched.begin(), touched.end(), operand.buffer) != touched.end()) continue;
      touched.push_back(operand.buffer);
      cycles[operand.buffer] += of_step;
    }
  }
  return cycles;
}

}  // namespace

void tell_layouts(passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
                  const passes::LoweringOptions& options, const std::string& file) {
  if (options.optimize == 0) return;
  const cost::Alternatives none_yet("layout of its result, all of its readers counted", kRule);
  std::vector<cost::Alternatives> by_tensor(graph.tensors.size(), none_yet);
  for (const Layout& layout : kLayouts) {
    passes::LoweringOptions other = options;
    other.inner_layout = layout.layout;
    other.may_take_more_room = false;  // parts of a command, each with a drain of its own, would hide what the layout costs
    const bool is_made = layout.layout == options.inner_layout && !program.takes_more_room;
    const passes::Program lowered = is_made ? program : passes::lower(graph, config, other, file);
    const auto cycles = cycles_by_buffer(lowered, config);
    for (size_t id = 0; id < graph.tensors.size(); ++id) {
      const auto& place = lowered.places[id];
      if (!place) continue;
      const auto found = cycles.find(place->buffer);
      if (found != cycles.end()) by_tensor[id].add(layout.name, found->second);
    }
  }
  for (passes::Step& step : program.steps) {
    if (step.productions.empty()) continue;
    const auto id = static_cast<size_t>(step.productions[0].tensor);
    const base::Shape& shape = graph.tensors[id].shape;
    const auto& place = program.places[id];
    const bool is_planes = place && shape.size() == 4 && place->placement.channel_block < shape.back();
    const bool is_first = by_tensor[id].ways.size() == kLayouts.size();
    if (is_planes && is_first) step.choices.push_back(std::exchange(by_tensor[id], cost::Alternatives("")));
  }
}

}  // namespace vernier::emit
