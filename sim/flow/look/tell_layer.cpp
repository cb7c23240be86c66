// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/tell_layer.hpp"

#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/range.hpp"
#include "sim/explain/savings.hpp"
#include "sim/flow/run/build_report.hpp"
#include "sim/report/layer_names.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace vernier::flow {
namespace {

using emit::Explained;
using package::Package;

report::StoryOperand operand_of(const ir::Graph& graph, ir::TensorId id) {
  const ir::TensorInfo& tensor = graph.tensor(id);
  return {tensor.name, std::string(base::to_string(tensor.type)), tensor.shape, graph.is_constant(id)};
}

/// "made by commands 4 to 7", or why no command makes it.
std::string fate_of(const std::string& tensor, const Package& package) {
  int64_t first = -1, last = -1;
  for (const package::Piece& piece : package.pieces) {
    if (package.tensors[piece.tensor_idx].name != tensor) continue;
    if (first < 0) first = piece.command_idx;
    last = piece.command_idx;
  }
  if (first >= 0)
    return first == last ? fmt::format("made by command {}", first) : fmt::format("made by commands {} to {}", first, last);
  for (const package::FoldedTensor& folded : package.folded) {
    if (folded.name == tensor) return folded.reason;
  }
  return "made by no command";
}

std::vector<report::StoryOperator> operators_of(const ir::Graph& graph, const Explained& explained, int64_t layer_idx) {
  std::vector<report::StoryOperator> operators;
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    if (explained.layer_of_op[i] != layer_idx) continue;
    const ir::Operator& op = graph.operators[i];
    report::StoryOperator told{std::string(ir::to_string(op.kind)), op.location, {}, {}, {}};
    for (const ir::TensorId id : op.inputs) told.inputs.push_back(operand_of(graph, id));
    for (const ir::TensorId id : op.outputs) {
      told.outputs.push_back(operand_of(graph, id));
      told.becomes += (told.becomes.empty() ? "" : "; ") + fate_of(graph.tensor(id).name, explained.package);
    }
    operators.push_back(std::move(told));
  }
  return operators;
}

std::vector<report::StoryChoice> choices_of(const Explained& explained, int64_t layer_idx) {
  std::vector<report::StoryChoice> choices;
  for (const Explained::Choice& choice : explained.choices) {
    if (choice.layer_idx != layer_idx) continue;
    const cost::Alternatives& from = choice.alternatives;
    report::StoryChoice told{choice.step, from.of, from.rule, {}};
    for (const size_t i : cost::in_order(from))
      told.ways.push_back({from.ways[i].what, from.ways[i].cycles, i == from.chosen});
    choices.push_back(std::move(told));
  }
  return choices;
}

/// Finds what lies where a command reads or writes.
class Places {
 public:
  Places(const Package& package, const report::Report& report, const soc::JobResult& job)
      : package_(package), report_(report), job_(job) {}

  void add(const package::Range& range, int64_t command_idx) {
    if (range.storage == package::Storage::External) return add_place(external(range), range);
    if (range.storage != package::Storage::Sram) return;
    for (size_t i = 0; i < package_.sram_blocks.size(); ++i) {
      const package::SramBlock& block = package_.sram_blocks[i];
      if (command_idx < block.first_command || command_idx > block.last_command) continue;
      const package::Range bytes = package::make_range(package::Storage::Sram, false, block.begin_byte, {1, 1, 1, 1, 1, 1},
                                                       {}, block.end_byte - block.begin_byte, "");
      if (package::overlaps(bytes, range)) return add_place(told(report_.sram_blocks.at(i)), range);
    }
    add_place({"", "", true, false, 0, 0, 0, job_.cycles}, range);  // of a package that was put together by hand
  }
  [[nodiscard]] std::vector<report::StoryPlace> take() { return std::move(places_); }

 private:
  [[nodiscard]] static report::StoryPlace told(const report::SramBlock& block) {
    return {block.name, "", true, false, 0, 0, block.first_cycle, block.end_cycle};
  }
  /// Places outside are nobody else's while the job runs.
  [[nodiscard]] report::StoryPlace external(const package::Range& range) const {
    for (size_t i = 0; i < package_.tensors.size(); ++i) {
      const package::TensorEntry& tensor = package_.tensors[i];
      const package::Placement& placement = tensor.placement;
      if (placement.base.space != base::MemorySpace::External || tensor.shape.empty()) continue;
      base::Shape last = tensor.shape;
      for (int64_t& coordinate : last) --coordinate;
      const auto begin = static_cast<int64_t>(placement.base.offset);
      const int64_t end = package::offset_of(placement, last, tensor.type) + base::stored_bytes(tensor.type);
      if (range.base < begin || range.base >= end) continue;
      const auto made = std::find_if(package_.pieces.begin(), package_.pieces.end(), [&](const package::Piece& piece) {
        return piece.tensor_idx == static_cast<int32_t>(i);
      });
      return {tensor.name,
              "",
              false,
              false,
              0,
              0,
              made == package_.pieces.end() ? 0 : job_.commands.at(made->command_idx).start_cycle,
              job_.cycles};
    }
    return {"constants and commands", "", false, false, 0, 0, 0, job_.cycles};
  }
  void add_place(report::StoryPlace place, const package::Range& range) {
    place.role = std::string(range.what);
    place.is_written = range.is_write;
    place.begin_byte = range.base;
    place.end_byte = range.end();
    const auto key = std::tuple(place.is_sram, place.is_written, place.tensor, place.role);
    const auto [entry, is_new] = found_.emplace(key, places_.size());
    if (is_new) return places_.push_back(std::move(place));
    report::StoryPlace& known = places_[entry->second];
    if (known.first_cycle != place.first_cycle || known.end_cycle != place.end_cycle) ++known.num_places;
    known.begin_byte = std::min(known.begin_byte, place.begin_byte);
    known.end_byte = std::max(known.end_byte, place.end_byte);
    known.first_cycle = std::min(known.first_cycle, place.first_cycle);
    known.end_cycle = std::max(known.end_cycle, place.end_cycle);
  }

  const Package& package_;
  const report::Report& report_;
  const soc::JobResult& job_;
  std::vector<report::StoryPlace> places_;
  std::map<std::tuple<bool, bool, std::string, std::string>, size_t> found_;
};

std::vector<report::StoryPlace> places_of(const Package& package, const report::Report& report, const soc::JobResult& job,
                                          int64_t layer_idx) {
  Places places(package, report, job);
  size_t offset = 0;
  for (size_t i = 0; i < job.commands.size() && offset < package.stream.size(); ++i) {
    const package::Decoded decoded = package::decode(std::span(package.stream).subspan(offset));
    offset += static_cast<size_t>(decoded.length_bytes);
    if (job.commands[i].work == units::Work::None || package::layer_of(package, static_cast<int64_t>(i)) != layer_idx)
      continue;
    for (const package::Range& range : package::ranges_of(decoded.command, package.config.datapath))
      places.add(range, static_cast<int64_t>(i));
  }
  return places.take();
}

using Counts = std::vector<std::pair<std::string, int64_t>>;

/// Those of `command` too.
void add_counts(Counts& sums, const std::vector<std::pair<std::string_view, int64_t>>& counts) {
  for (const auto& count : counts) {
    const auto found = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == count.first; });
    if (found == sums.end()) {
      sums.emplace_back(count);
    } else {
      found->second += count.second;
    }
  }
}

std::vector<report::StoryUnit> units_of(const report::Report& report, int64_t layer_idx) {
  std::vector<report::StoryUnit> units;
  for (const char* name : {"mac_array", "vector_unit", "dma"}) {
    report::StoryUnit unit{name, 0, 0, {}, {}};
    for (const report::Command& command : report.command_list) {
      if (command.layer_idx != layer_idx || command.unit != name) continue;
      ++unit.commands;
      unit.busy_cycles += command.busy_cycles;
      add_counts(unit.stall_cycles, command.stall_cycles);
      add_counts(unit.wait_cycles, command.wait_cycles);
    }
    for (Counts* counts : {&unit.stall_cycles, &unit.wait_cycles})
      std::stable_sort(counts->begin(), counts->end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    if (unit.commands > 0) units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace

ExplainedModel explain_model(const Model& model, const MachineOptions& options) {
  if (!model.package) {
    const auto explained = [&](const config::MachineConfig& config) {
      return emit::explain(*model.graph, source_of(model), config, {options.optimize.value_or(1)});
    };
    return {compile_where_it_fits(model, options, explained), ""};
  }
  require_same_machine(model, options);
  const Package& package = *model.package;
  if (!model.graph) throw base::UserError(model.file, "holds no source graph to explain its layers by");
  ExplainedModel result{
      emit::explain(*model.graph, {model.file, package.source, {}, package.boundary}, package.config, {package.optimize}),
      ""};
  if (result.explained.package.layers != package.layers)
    throw base::UserError(model.file, "was compiled by another version, with other layers; recompile it from its network");
  if (result.explained.package.stream != package.stream) {
    result.explained.choices.clear();
    result.choices_note = "not known: the package was compiled by another version of the compiler";
  }
  result.explained.package = package;
  return result;
}

namespace {
/// Commands of a layer run at the same time as each other and as other layers': added up, they may save more than it has.
std::optional<int64_t> at_most(std::optional<int64_t> cycles, int64_t limit) {
  return cycles ? std::optional(std::min(*cycles, limit)) : std::nullopt;
}
}  // namespace

report::LayerStory tell_layer(const Model& model, const ExplainedModel& explained, const soc::JobResult& job,
                              int64_t layer_idx) {
  const Package& package = explained.explained.package;
  report::LayerStory story;
  story.report = base_report(package, model.file, "sim");
  add_simulation(story.report, package, job);
  story.layer_idx = layer_idx;
  std::vector<std::string> names;
  for (const package::LayerEntry& layer : package.layers) names.push_back(layer.name);
  story.short_name = report::shorten_layer_names(names).names[static_cast<size_t>(layer_idx)];
  story.operators = operators_of(*model.graph, explained.explained, layer_idx);
  story.choices = choices_of(explained.explained, layer_idx);
  story.choices_note = explained.choices_note;
  story.places = places_of(package, story.report, job, layer_idx);
  story.units = units_of(story.report, layer_idx);
  const std::vector<explain::LayerWork> work = explain::work_of_layers(package, job);
  const auto idx = static_cast<int32_t>(layer_idx);
  for (explain::Saving& saving : explain::savings_of(idx, job, work[static_cast<size_t>(layer_idx)], package.config))
    story.savings.push_back({std::move(saving.words), at_most(saving.most_cycles, story.layer().attributed_cycles)});
  return story;
}

}  // namespace vernier::flow
