// SPDX-License-Identifier: Apache-2.0
#include "sim/explain/bound_detail.hpp"

#include "hw/base/division.hpp"
#include "hw/base/text.hpp"
#include "hw/spec/packed_weights.hpp"
#include "hw/timing/mac_shape.hpp"
#include "sim/explain/bound.hpp"
#include "sim/explain/vector_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace vernier::explain {
namespace {

using base::counted;
using base::with_thousands;
using units::Cause;

/// What wastes less of the array than this is not worth a word.
constexpr int64_t kLeastWastePercent = 5;
constexpr size_t kMostWastes = 2;  // are named

std::string reduction_words(const spec::MacCommand& command, const timing::MacShape& shape) {
  const int64_t elements = command.reduction_end - command.reduction_begin;
  if (command.mode == spec::MacMode::Depthwise) {
    return shape.steps == 1 ? fmt::format("{} of {} taps", elements, shape.lanes)
                            : fmt::format("{} taps in {} windows of {}", elements, shape.steps, shape.lanes);
  }
  return shape.steps == 1 ? fmt::format("a reduction of {} in a step of {}", elements, shape.lanes)
                          : fmt::format("a reduction of {} in {} steps of {}", elements, shape.steps, shape.lanes);
}

std::string channel_words(const spec::MacCommand& command, const timing::MacShape& shape) {
  const bool is_one = command.out_channels == 1;
  return fmt::format("{} {} {}", counted(command.out_channels, "output channel"), is_one ? "fills" : "fill",
                     shape.channel_tiles == 1 ? fmt::format("a block of {}", shape.tile_channels)
                                              : fmt::format("{} blocks of {}", shape.channel_tiles, shape.tile_channels));
}

std::string pass_words(const timing::MacShape& shape) {
  if (shape.weight_tiles == 1) return fmt::format("16-bit activations take {} passes", shape.passes);
  if (shape.passes == 1) return fmt::format("16-bit weights take {} passes", shape.weight_tiles);
  return fmt::format("16-bit operands take {} passes", shape.passes * shape.weight_tiles);
}

std::string operand_words(const spec::MacCommand& command, const timing::MacShape& shape, double cycles_of_row) {
  const int64_t stride = std::max(command.stride_rows, command.stride_columns);
  if (command.mode == spec::MacMode::Depthwise) {
    return fmt::format("a window{} takes {:.1f} cycles", stride > 1 ? fmt::format(" at stride {}", stride) : "",
                       cycles_of_row);
  }
  const int64_t element_bytes = base::stored_bytes(command.input.type);
  const bool is_dense =
      command.dilation_columns == 1 && command.input.pixel_pitch_bytes == command.in_channels * element_bytes;
  const int64_t run = (is_dense ? command.kernel_columns : 1) * command.in_channels;
  return fmt::format("operands in runs of {} B take {:.1f} cycles a row",
                     std::min(run, shape.lanes * shape.pixels) * element_bytes, cycles_of_row);
}

/// Of the layer's own loads and stores, one after the other.
int64_t latency_cycles(const LayerWork& work, const spec::ExternalMemory& external) {
  return (work.loads.num_commands + work.stores.num_commands) * external.latency_cycles;
}
int64_t transfer_cycles(const LayerWork& work, const spec::ExternalMemory& external) {
  const int64_t bytes = work.loads.traffic.external_read_bytes + work.stores.traffic.external_write_bytes;
  return base::ceil_div(bytes, external.bytes_per_cycle);
}

}  // namespace

bool is_bound_by_latency(const LayerWork& work, const spec::ExternalMemory& external) {
  return latency_cycles(work, external) > transfer_cycles(work, external);
}

bool waits_for_other_loads(const units::LayerCount& layer, const LayerWork& work, const spec::ExternalMemory& external) {
  const int64_t own = latency_cycles(work, external) + transfer_cycles(work, external);
  return layer.attributed_by[static_cast<size_t>(Cause::WaitsForLoad)] > 2 * own;
}

std::string waste_words(Waste waste, const ArrayWork& work, const spec::Datapath& datapath) {
  const ArrayWork::Wasted& wasted = work.wasted[static_cast<size_t>(waste)];
  const timing::MacShape shape(wasted.command, datapath);
  switch (waste) {
    case Waste::Reduction: return reduction_words(wasted.command, shape);
    case Waste::Channels: return channel_words(wasted.command, shape);
    case Waste::Pixels:
      return fmt::format("rows of {} fill {} of {}", counted(wasted.command.out_columns, "pixel"),
                         counted(shape.groups, "group"), shape.pixels);
    case Waste::Passes: return pass_words(shape);
    case Waste::Operands: break;
  }
  const int64_t row_macs =
      shape.rows * shape.channel_tiles * shape.steps * shape.passes * shape.weight_tiles * datapath.macs_per_cycle();
  const double more = static_cast<double>(wasted.most) / static_cast<double>(row_macs);
  return operand_words(wasted.command, shape, static_cast<double>(shape.passes) * (1.0 + more));
}

namespace {

std::string array_words(const ArrayWork& work, const spec::Datapath& datapath) {
  std::array<size_t, kNumWastes> order{0, 1, 2, 3, 4};
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return work.wasted[a].macs > work.wasted[b].macs; });
  std::string text;
  for (size_t i = 0; i < kMostWastes; ++i) {
    const auto waste = static_cast<Waste>(order[i]);
    if (100 * work.wasted[order[i]].macs < kLeastWastePercent * work.array_macs) break;
    if (!text.empty()) text += ", ";
    text += waste_words(waste, work, datapath);
  }
  if (!text.empty()) return text;
  const double percent = 100.0 * static_cast<double>(work.macs) / static_cast<double>(std::max<int64_t>(work.array_macs, 1));
  return fmt::format("rows fill {:.0f} % of the array", percent);
}

std::string weight_words(const spec::MacCommand& command, const spec::Datapath& datapath) {
  const timing::MacShape shape(command, datapath);
  const int64_t rows = shape.channels_of(0), read_words = datapath.sram_read_words;
  const int64_t words = command.weight_type == base::ElementType::Int4 ? base::ceil_div(rows, spec::kInt4sPerByte) : rows;
  const int64_t load = std::max(base::ceil_div(words, std::min<int64_t>(spec::kWeightLoadWords, read_words)),
                                base::ceil_div(rows, int64_t{spec::kWeightLoadRows}));
  return fmt::format("a weight tile takes {} to load and serves {}", counted(load, "cycle"),
                     counted(shape.rows_of(0) * (shape.keeps_weights() ? shape.row_tiles : 1), "row"));
}

std::string port_words(const units::LayerCount& layer, const spec::Datapath& datapath) {
  const double cycles = static_cast<double>(std::max<int64_t>(layer.working_cycles, 1));
  const double read = static_cast<double>(layer.traffic.sram_read_bytes) / cycles;
  const double written = static_cast<double>(layer.traffic.sram_write_bytes) / cycles;
  return fmt::format("SRAM ports: {:.0f} of {} B per cycle read, {:.0f} of {} written", read,
                     datapath.sram_read_words * datapath.word_bytes(), written,
                     datapath.sram_write_words * datapath.word_bytes());
}

std::string conflict_words(const LayerWork& work) {
  if (work.mac.longest_cycles < work.vector.longest_cycles) return "vectors whose words lie in the same bank";
  const spec::MacCommand& command = *work.mac.longest;
  const int64_t stride = std::max(command.stride_rows, command.stride_columns);
  return fmt::format("operands of one cycle in the same bank{}: rows {} B apart",
                     stride > 1 ? fmt::format(" at stride {}", stride) : "", command.input.row_pitch_bytes);
}

std::string lanes_words(const LayerWork& work, const spec::Datapath& datapath) {
  if (work.mac.longest_cycles < work.vector.longest_cycles) return "its lanes serve the array's epilogue first";
  const timing::MacShape shape(*work.mac.longest, datapath);
  const int64_t rescales = (work.mac.longest->rescale ? 1 : 0) + (work.mac.longest->residual ? 3 : 0);
  const int64_t leaves = std::max({int64_t{1}, rescales, int64_t{work.mac.longest->table}});
  return fmt::format("a row leaves in {} of the rescale unit, and is computed in {}", counted(leaves, "cycle"),
                     counted(shape.steps * shape.passes * shape.weight_tiles, "cycle"));
}

std::string copy_words(const Several<spec::DmaCommand>& copies, const spec::Datapath& datapath) {
  const spec::DmaCommand& command = *copies.longest;
  int64_t runs = 1;
  for (const int64_t count : command.counts) runs *= count;
  switch (command.kind) {
    case spec::DmaKind::TableFill:
      return fmt::format("a table of {} B, a word per cycle", with_thousands(command.run_bytes));
    case spec::DmaKind::Transpose:
      return fmt::format("{} of {} B through the corner turner", counted(runs, "element"), command.run_bytes);
    default: break;
  }
  const std::string_view what = command.kind == spec::DmaKind::Fill ? "filled" : "copied";
  if (runs > 1 && command.run_bytes < datapath.dma_bytes()) {
    return fmt::format("{} of {} B {}, one per cycle", counted(runs, "run"), command.run_bytes, what);
  }
  return fmt::format("{} B {} at {} B per cycle", with_thousands(runs * command.run_bytes), what, datapath.dma_bytes());
}

/// Of loads and stores: bytes against bandwidth, or how often the latency is paid.
std::string outside_words(const units::LayerCount& layer, const LayerWork& work, const spec::ExternalMemory& external) {
  const int64_t loaded = work.loads.traffic.external_read_bytes, stored = work.stores.traffic.external_write_bytes;
  const int64_t transfers = work.loads.num_commands + work.stores.num_commands;
  if (transfers == 0) return "waits for a load of another layer";
  if (waits_for_other_loads(layer, work, external)) {
    return fmt::format("waits for loads of other layers at {} B per cycle{}", base::to_string(external.bytes_per_cycle),
                       loaded > 0 ? fmt::format(", its own are {} B", with_thousands(loaded)) : "");
  }
  std::string what = loaded > 0 ? fmt::format("loads {} B", with_thousands(loaded)) : "";
  if (stored > 0) what += fmt::format("{}stores {} B", what.empty() ? "" : ", ", with_thousands(stored));
  return is_bound_by_latency(work, external)
             ? fmt::format("{} in {}, each with a latency of {}", what, counted(transfers, "transfer"),
                           counted(external.latency_cycles, "cycle"))
             : fmt::format("{} at {} B per cycle", what, base::to_string(external.bytes_per_cycle));
}

std::string wait_words(const Several<spec::DmaCommand>& copies, const spec::Datapath& datapath) {
  return copies.longest ? "waits for " + copy_words(copies, datapath)
                        : "waits for a copy of another layer, or for a table that is filled";
}

std::string pipeline_words(const units::LayerCount& layer, const LayerWork& work) {
  constexpr size_t kFill = units::kFirstStallCause + static_cast<size_t>(timing::Stall::PipelineFill);
  const int64_t num_commands = work.mac.num_commands + work.vector.num_commands + work.copies.num_commands +
                               work.loads.num_commands + work.stores.num_commands;
  return fmt::format("pipelines fill for {} of {} in {}", with_thousands(layer.attributed_by[kFill]),
                     counted(layer.attributed_cycles, "cycle"), counted(num_commands, "command"));
}

/// The cause with most cycles among those of the bound.
Cause largest_cause(const units::LayerCount& layer, const std::string& bound_by) {
  size_t largest = static_cast<size_t>(Cause::NothingAtWork);
  int64_t most = -1;
  for (size_t i = 0; i < units::kNumCauses; ++i) {
    if (bound_of(static_cast<Cause>(i)) != bound_by || layer.attributed_by[i] <= most) continue;
    most = layer.attributed_by[i];
    largest = i;
  }
  return static_cast<Cause>(largest);
}

std::string stall_words(timing::Stall stall, const units::LayerCount& layer, const LayerWork& work,
                        const config::MachineConfig& config) {
  const bool has_mac = work.mac.longest.has_value();
  switch (stall) {
    case timing::Stall::WeightLoad: return has_mac ? weight_words(*work.mac.longest, config.datapath) : "weight loads";
    case timing::Stall::BankConflict: return conflict_words(work);
    case timing::Stall::PortContention: return port_words(layer, config.datapath);
    case timing::Stall::RescaleContention: return lanes_words(work, config.datapath);
    case timing::Stall::ExternalMemory: return outside_words(layer, work, config.external);
    case timing::Stall::PipelineFill: return pipeline_words(layer, work);
    default: return std::string(timing::kStallNames[static_cast<size_t>(stall)]);
  }
}

}  // namespace

std::string cause_words(Cause cause, const units::LayerCount& layer, const LayerWork& work,
                        const config::MachineConfig& config) {
  switch (cause) {
    case Cause::Array: return array_words(work.array, config.datapath);
    case Cause::Epilogue:
      return fmt::format("the last rows of {} leave the array", counted(work.mac.num_commands, "command"));
    case Cause::VectorUnit: return work.vector.longest ? vector_words(*work.vector.longest, config.datapath) : "";
    case Cause::DmaInSram: return work.copies.longest ? copy_words(work.copies, config.datapath) : "copies";
    case Cause::DmaExternal:
    case Cause::WaitsForLoad: return outside_words(layer, work, config.external);
    case Cause::WaitsForCopy: return wait_words(work.copies, config.datapath);
    case Cause::NothingAtWork: return "its commands are issued, tokens are on their way";
    default:
      return stall_words(static_cast<timing::Stall>(static_cast<size_t>(cause) - units::kFirstStallCause), layer, work,
                         config);
  }
}

namespace {

/// ", 27 % of its cycles external": of the bound that comes next, where it is worth a word. Lanes that others take say why,
/// since an array that waits for them looks full otherwise.
std::string second_bound(const units::LayerCount& layer, const std::string& bound_by, const LayerWork& work,
                         const spec::Datapath& datapath) {
  constexpr int64_t kLeastPercent = 20;
  std::map<std::string_view, int64_t> sums;
  for (size_t i = 0; i < units::kNumCauses; ++i) sums[bound_of(static_cast<Cause>(i))] += layer.attributed_by[i];
  sums.erase(bound_by);
  const auto next =
      std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const int64_t percent = 100 * next->second / layer.attributed_cycles;
  if (percent < kLeastPercent) return "";
  const std::string text = fmt::format(", {} % of its cycles {}", percent, next->first);
  constexpr size_t kLanes = units::kFirstStallCause + static_cast<size_t>(timing::Stall::RescaleContention);
  const bool is_lanes = static_cast<size_t>(largest_cause(layer, std::string(next->first))) == kLanes;
  return is_lanes && work.mac.longest ? fmt::format("{}: {}", text, lanes_words(work, datapath)) : text;
}

}  // namespace

std::string bound_detail(const units::LayerCount& layer, const std::string& bound_by, const LayerWork& work,
                         const config::MachineConfig& config) {
  if (layer.attributed_cycles == 0) return "all of it is hidden behind other layers";
  return cause_words(largest_cause(layer, bound_by), layer, work, config) +
         second_bound(layer, bound_by, work, config.datapath);
}

}  // namespace vernier::explain
