// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/link_flow.hpp"

#include "compiler/emit/refusal.hpp"
#include "compiler/passes/placements.hpp"
#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/spec/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace vernier::emit {
namespace {

/// Places start where a burst of external memory does.
constexpr int64_t kPlaceAlignBytes = schedule::kConstantAlignBytes;

/// Where what is written in external memory lies until all parts are compiled: then it is known how long that is which comes
/// before it.
constexpr int64_t kProvisionalByte = spec::kMaxExternalBytes / 2;

/// Where the values of a plan lie in external memory, one behind the other, until all parts are compiled.
struct ValuePlaces {
  std::vector<int64_t> byte_of;
  int64_t end_byte = kProvisionalByte;
};

package::Placement dense_at(const CarriedValue& value, int64_t byte) {
  package::Placement placement = passes::dense_placement(value.shape, value.type);
  placement.base = {base::MemorySpace::External, static_cast<uint64_t>(byte)};
  return placement;
}

ValuePlaces place_values(const std::vector<CarriedValue>& values) {
  ValuePlaces places;
  for (const CarriedValue& value : values) {
    places.byte_of.push_back(places.end_byte);
    const int64_t bytes = passes::placed_bytes(dense_at(value, 0), value.shape, value.type);
    places.end_byte = base::round_up(places.end_byte + bytes, kPlaceAlignBytes);
  }
  return places;
}

/// The byte behind the constants of a part, where those of the next part may begin: the schedule keeps room for the part's
/// stream there, which is not used.
int64_t end_of_image(const StageInput& part, const schedule::Schedule& schedule) {
  return base::round_up(part.outside.image_byte + schedule.image.stream_offset_bytes, kPlaceAlignBytes);
}

void require_external(const StageInput& whole) {
  if (whole.config.memory_mode == spec::MemoryMode::External) return;
  throw base::UserError(
      whole.file,
      "has control flow, whose streams hand values on in external memory: it needs memory mode 'external', "
      "found '{}'",
      spec::kMemoryModeNames[static_cast<size_t>(whole.config.memory_mode)]);
}

/// A layer belongs to one stream: where operators of one location stand in several streams, they are as many layers.
class LayerNames {
 public:
  std::string of_layer(const std::string& name, int64_t stream) {
    return taken_.insert(name).second ? name : fmt::format("{} (stream {})", name, stream);
  }

 private:
  std::set<std::string> taken_;
};

class Linker {
 public:
  Linker(const FlowPlan& plan, const StageInput& whole, const ModelSource& source)
      : plan_(plan), whole_(whole), source_(source), places_(place_values(plan.values)) {
    for (const ir::TensorInfo& info : whole.graph.tensors) main_tensors_.emplace(info.name, -1);
    linked_.package = begin_package(whole, source);
  }

  Explained run() {
    add_ends();
    for_each_part(plan_, whole_, [&](const StageInput& part, Compiled& compiled) { add_part(part, compiled); });
    std::ranges::copy(plan_.folded, std::back_inserter(package().folded));
    place_streams();
    shift_written();
    check_result();
    linked_.layer_of_op = layer_of_main_op(whole_.graph, package().layers);
    return std::move(linked_);
  }

 private:
  package::Package& package() { return linked_.package; }

  void add_ends() {
    for (const ValueId id : plan_.inputs) package().inputs.push_back(index_of_value(id));
    for (const ValueId id : plan_.outputs) package().outputs.push_back(index_of_value(id));
  }

  /// Its tensor in the package, which all parts that have it agree on.
  int32_t index_of_value(ValueId id) {
    const CarriedValue& value = plan_.values[static_cast<size_t>(id)];
    return index_of({value.name, value.type, value.shape, dense_at(value, places_.byte_of[static_cast<size_t>(id)])});
  }

  /// -1 for a tensor of a region.
  int32_t index_of(const package::TensorEntry& entry) {
    const auto found = main_tensors_.find(entry.name);
    if (found == main_tensors_.end()) return -1;
    if (found->second < 0) {
      found->second = static_cast<int32_t>(package().tensors.size());
      package().tensors.push_back(entry);
    }
    return found->second;
  }

  void add_part(const StageInput& part, Compiled& compiled) {
    const LayerTable layers = make_layer_table(part.graph, compiled.program);
    image_end_byte_ = end_of_image(part, compiled.schedule);
    package::Package one = assemble(compiled, layers, part, {source_.file, {}});
    package::Package& all = package();
    const auto first_command = static_cast<int32_t>(all.command_layers.size());
    all.flow.streams.push_back(
        {static_cast<int64_t>(all.stream.size()), static_cast<int64_t>(one.stream.size()), first_command});
    std::ranges::copy(one.stream, std::back_inserter(all.stream));
    std::ranges::move(one.image, std::back_inserter(all.image));
    const std::vector<int32_t> layer_of = add_layers(one);
    for (const int32_t layer : one.command_layers) all.command_layers.push_back(layer_of[static_cast<size_t>(layer)]);
    add_pieces(one, first_command);
    for (package::FoldedTensor& folded : one.folded) {
      if (main_tensors_.contains(folded.name)) all.folded.push_back(std::move(folded));
    }
    for (package::SramBlock& block : one.sram_blocks) {
      block.first_command = first_command + std::max<int64_t>(block.first_command, 0);
      block.last_command += first_command;
      all.sram_blocks.push_back(std::move(block));
    }
    if (one.sram_peak_bytes > all.sram_peak_bytes) all.sram_peak = one.sram_peak;
    all.sram_peak_bytes = std::max(all.sram_peak_bytes, one.sram_peak_bytes);
    all.planned_sram_bytes = std::max(all.planned_sram_bytes, one.planned_sram_bytes);
    all.weight_bytes += one.weight_bytes;
    end_byte_ = std::max(end_byte_, one.external_bytes);
    for (Explained::Choice& choice : choices_of(part.graph, compiled, layers)) {
      choice.layer_idx = layer_of[static_cast<size_t>(choice.layer_idx)];
      linked_.choices.push_back(std::move(choice));
    }
  }

  /// The number of each in the whole package.
  std::vector<int32_t> add_layers(const package::Package& part) {
    std::vector<int32_t> numbers;
    for (const package::LayerEntry& layer : part.layers) {
      numbers.push_back(static_cast<int32_t>(package().layers.size()));
      package().layers.push_back(layer);
      package().layers.back().name = names_.of_layer(layer.name, std::ssize(package().flow.streams) - 1);
    }
    return numbers;
  }

  void add_pieces(const package::Package& part, int32_t first_command) {
    std::vector<int32_t> tensor_of;
    for (const package::TensorEntry& entry : part.tensors) tensor_of.push_back(index_of(entry));
    for (const package::Piece& piece : part.pieces) {
      package::Piece moved = piece;
      moved.command_idx += first_command;
      moved.tensor_idx = tensor_of[static_cast<size_t>(piece.tensor_idx)];
      if (moved.tensor_idx >= 0) package().pieces.push_back(std::move(moved));
    }
  }

  void place_streams() {
    package::Package& all = package();
    all.stream_address = external(image_end_byte_);
    const int64_t table_byte = base::round_up(image_end_byte_ + std::ssize(all.stream), kPlaceAlignBytes);
    for (const FlowStep& step : plan_.steps) {
      package::Step placed{step.kind, std::max(step.part, 0), {}, -1};
      if (step.condition >= 0) {
        placed.condition = external(places_.byte_of[static_cast<size_t>(step.condition)]);
        placed.tensor_idx = index_of_value(step.condition);
      }
      all.flow.steps.push_back(placed);
    }
    all.flow.table = external(table_byte);
    const auto is_loop = [](const package::Step& step) { return step.kind == package::StepKind::Loop; };
    all.flow.most_commands = std::ranges::any_of(all.flow.steps, is_loop) ? kMostFlowCommands : 0;
    read_only_bytes_ = base::round_up(table_byte + package::flow_table_bytes(all.flow), kPlaceAlignBytes);
  }

  static base::Address external(int64_t byte) { return {base::MemorySpace::External, static_cast<uint64_t>(byte)}; }

  /// What is written follows directly what is not.
  void shift(base::Address& address) const {
    if (address.space != base::MemorySpace::External || address.offset < uint64_t{kProvisionalByte}) return;
    address.offset -= static_cast<uint64_t>(kProvisionalByte - read_only_bytes_);
  }

  void shift_written() {
    package::Package& all = package();
    for (package::TensorEntry& entry : all.tensors) shift(entry.placement.base);
    for (package::Piece& piece : all.pieces) shift(piece.placement.base);
    for (package::Step& step : all.flow.steps) shift(step.condition);
    std::vector<std::byte> stream;
    for (size_t at = 0; at < all.stream.size();) {
      package::Decoded decoded = package::decode(std::span(all.stream).subspan(at));
      if (auto* dma = std::get_if<spec::DmaCommand>(&decoded.command.body)) {
        shift(dma->src.base);
        shift(dma->dst.base);
      }
      package::encode(decoded.command, stream);
      at += static_cast<size_t>(decoded.length_bytes);
      VERNIER_CHECK(stream.size() == at, "a command that moves takes {} B, before {} B", stream.size(), at);
    }
    all.stream = std::move(stream);
    all.external_bytes = std::max(end_byte_, places_.end_byte) - (kProvisionalByte - read_only_bytes_);
  }

  void check_result() {
    const package::Package& all = package();
    if (all.external_bytes > spec::kMaxExternalBytes)
      throw base::UserError(whole_.file, "takes {} B of external memory, there are {}", all.external_bytes,
                            spec::kMaxExternalBytes);
    if (const std::string problem = package::problem_of_steps(all.flow); !problem.empty())
      throw base::UserError(whole_.file, "its control flow is none that the firmware takes: {}", problem);
  }

  const FlowPlan& plan_;
  const StageInput& whole_;
  const ModelSource& source_;
  ValuePlaces places_;
  Explained linked_;
  std::map<std::string, int32_t> main_tensors_;  // index in the package; -1: not there yet
  LayerNames names_;
  int64_t image_end_byte_ = 0;   // of the constants of all parts so far
  int64_t end_byte_ = 0;         // of the maps of parts so far
  int64_t read_only_bytes_ = 0;  // of external memory: constants, streams, the table of steps
};

}  // namespace

void for_each_part(const FlowPlan& plan, const StageInput& whole,
                   const std::function<void(const StageInput& part, Compiled& compiled)>& take) {
  if (!plan.is_plain()) require_external(whole);
  const ValuePlaces places = place_values(plan.values);
  int64_t image_byte = 0;
  std::optional<schedule::TooLittleSram> most;  // of parts that do not fit
  for (const FlowPart& part : plan.parts) {
    StageInput input{part.graph, whole.file, whole.config, whole.options, whole.explain, {}};
    if (!plan.is_plain()) {
      input.outside = {image_byte, places.end_byte, {}};
      for (size_t i = 0; i < part.inputs.size(); ++i)
        input.outside.byte_of[part.graph.inputs[i]] = places.byte_of[static_cast<size_t>(part.inputs[i])];
      for (size_t i = 0; i < part.outputs.size(); ++i)
        input.outside.byte_of[part.graph.outputs[i]] = places.byte_of[static_cast<size_t>(part.outputs[i])];
    }
    try {
      Compiled compiled = run_stages_of_part(input);
      image_byte = end_of_image(input, compiled.schedule);
      if (!most) take(input, compiled);
    } catch (const schedule::TooLittleSram& error) {
      if (!most || most->need().bytes < error.need().bytes || error.need().bytes == 0) most = error;
    }
  }
  // The size that is named is enough for all parts.
  if (most) throw refusal(*most, whole.graph, whole.file, whole.config, whole.options.optimize, true);
}

Explained link_flow(const FlowPlan& plan, const StageInput& whole, const ModelSource& source) {
  return Linker(plan, whole, source).run();
}

std::vector<package::LayerEntry> flow_layer_entries(const FlowPlan& plan, const StageInput& whole) {
  std::vector<package::LayerEntry> all;
  LayerNames names;
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    const ir::Graph& graph = plan.parts[i].graph;
    const passes::Program program = passes::lower(graph, whole.config, {whole.options.optimize}, whole.file);
    for (package::LayerEntry& layer : make_layer_table(graph, program).entries) {
      layer.name = names.of_layer(layer.name, static_cast<int64_t>(i));
      all.push_back(std::move(layer));
    }
  }
  return all;
}

base::IndexedVector<ir::OpId, int32_t> layer_of_main_op(const ir::Graph& main,
                                                        const base::IndexedVector<int32_t, package::LayerEntry>& layers) {
  base::IndexedVector<ir::OpId, int32_t> layer_of(main.operators.size(), 0);
  for (size_t i = 0; i < main.operators.size(); ++i) {
    const ir::Operator& op = main.operators[i];
    const std::string& result = main.tensor(op.outputs.front()).name;
    const std::string& name = op.location.empty() ? result : op.location;
    const auto is_its = [&](const package::LayerEntry& layer) {
      return layer.name == name || (ir::is_control_flow(op.kind) && layer.name.starts_with(result + "/"));
    };
    const auto found = std::ranges::find_if(layers, is_its);
    if (found != layers.end()) layer_of[i] = static_cast<int32_t>(found - layers.begin());
  }
  return layer_of;
}

std::vector<Explained::Choice> choices_of(const ir::Graph& graph, const Compiled& compiled, const LayerTable& layers) {
  std::vector<Explained::Choice> choices;
  for (const schedule::StepChoices& step : compiled.schedule.choices) {
    const ir::Operator& op = graph.operators[step.op];
    const std::string name = fmt::format("{} {}", ir::to_string(op.kind), graph.tensor(op.outputs.front()).name);
    for (const cost::Alternatives& choice : step.choices) choices.push_back({name, layers.layer_of_op[step.op], choice});
  }
  return choices;
}

}  // namespace vernier::emit
