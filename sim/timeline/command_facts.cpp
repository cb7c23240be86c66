// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/command_facts.hpp"

#include "hw/base/text.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/disassembler.hpp"
#include "sim/soc/run_commands.hpp"
#include "sim/units/unit_if.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace vernier::timeline {
namespace {

using StallTexts = std::array<std::string, timing::kNumStalls>;

StallTexts stall_texts(std::string_view kind) {
  StallTexts texts;
  for (size_t i = 0; i < texts.size(); ++i) texts[i] = fmt::format("{}_{}_cycles", kind, timing::kStallNames[i]);
  return texts;
}
/// By stall: what the arguments are called.
const StallTexts& stall_names() {
  static const StallTexts kNames = stall_texts("stall");
  return kNames;
}
const StallTexts& wait_names() {
  static const StallTexts kNames = stall_texts("wait");
  return kNames;
}

/// A vector program has more lines; the first one says its loops.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

int64_t products_of(const spec::MacCommand& mac) {
  return mac.out_rows * mac.out_columns * mac.out_channels * (mac.reduction_end - mac.reduction_begin);
}

}  // namespace

CommandFacts::CommandFacts(const package::Package& package, const soc::JobResult& job,
                           const std::vector<std::string>& layer_names)
    : package_(package), job_(job), layer_names_(layer_names) {
  const std::vector<package::ListedCommand> listed = package::list_commands(package);
  const auto stream_bytes = static_cast<int64_t>(package.stream.size());
  for (size_t i = 0; i < listed.size(); ++i) {
    const int64_t begin = listed[i].offset_bytes, end = i + 1 < listed.size() ? listed[i + 1].offset_bytes : stream_bytes;
    InPackage& command = commands_.emplace_back();
    command.instruction = first_line(listed[i].text);
    command.length_bytes = std::min(end, stream_bytes) - begin;
    if (!listed[i].text.empty())
      command.command = package::decode(std::span(package.stream).subspan(static_cast<size_t>(begin))).command;
  }
  add_macs();
  soc::RunCommands places(package, job);
  for (size_t i = 0; i < job.commands.size(); ++i) numbers_.push_back(places.next().command_idx);
  commands_.emplace_back();
}

/// Divides the MACs of each layer among its commands on the array, in proportion to the products that each computes.
void CommandFacts::add_macs() {
  std::vector<double> products_of_layer(package_.layers.size());
  const auto for_each_array_command = [&](const auto& visit) {
    for (size_t i = 0; i < commands_.size(); ++i) {
      const auto* mac = commands_[i].command ? std::get_if<spec::MacCommand>(&commands_[i].command->body) : nullptr;
      const int32_t layer = package::layer_of(package_, static_cast<int64_t>(i));
      if (mac != nullptr && layer >= 0)
        visit(commands_[i], static_cast<size_t>(layer), static_cast<double>(products_of(*mac)));
    }
  };
  for_each_array_command([&](InPackage&, size_t layer, double products) { products_of_layer[layer] += products; });
  for_each_array_command([&](InPackage& command, size_t layer, double products) {
    if (products > 0) command.macs = static_cast<double>(package_.layers[layer].macs) * products / products_of_layer[layer];
  });
}

std::string CommandFacts::name(size_t command_idx) const {
  const int32_t layer = job_.commands[command_idx].layer_idx;
  return layer < 0 ? fmt::format("command {}", number(command_idx))
                   : base::printable(layer_names_[static_cast<size_t>(layer)]);
}

std::vector<Argument> CommandFacts::identity(size_t command_idx) const {
  const units::CommandRecord& record = job_.commands[command_idx];
  std::vector<Argument> arguments{{"command_idx", number(command_idx)}, {"layer_idx", int64_t{record.layer_idx}}};
  if (record.layer_idx >= 0) {
    const package::LayerEntry& layer = package_.layers[record.layer_idx];
    arguments.push_back({"layer", base::printable(layer.name)});
    arguments.push_back({"source_operators", fmt::format("{}", fmt::join(layer.operators, ", "))});
  }
  if (const std::string& instruction = in_package(command_idx).instruction; !instruction.empty())
    arguments.push_back({"instruction", instruction});
  return arguments;
}

void CommandFacts::add_work(std::vector<Argument>& arguments, size_t command_idx) const {
  const std::optional<spec::Command>& command = in_package(command_idx).command;
  if (!command) return;
  if (const auto* mac = std::get_if<spec::MacCommand>(&command->body)) {
    arguments.insert(arguments.end(), {{"output_rows", mac->out_rows},
                                       {"output_columns", mac->out_columns},
                                       {"output_channels", mac->out_channels},
                                       {"reduction_begin", mac->reduction_begin},
                                       {"reduction_end", mac->reduction_end}});
  } else if (const auto* vector = std::get_if<spec::VectorCommand>(&command->body)) {
    arguments.insert(arguments.end(), {{"loops", fmt::format("{}", fmt::join(vector->counts, " x "))},
                                       {"lanes", vector->lanes},
                                       {"steps", static_cast<int64_t>(vector->steps.size())}});
  } else if (const auto* dma = std::get_if<spec::DmaCommand>(&command->body)) {
    arguments.insert(arguments.end(),
                     {{"runs", fmt::format("{}", fmt::join(dma->counts, " x "))}, {"run_bytes", dma->run_bytes}});
  }
}

void CommandFacts::add_to(Cycles& cycles, const units::Shares& range) const {
  for (size_t i = range.first; i < size_t{range.first} + range.count; ++i) {
    const units::Share& share = job_.shares[i];
    (share.bucket == kit::Bucket::busy() ? cycles.busy : cycles.stalls.at(share.bucket.stall_idx())) += share.cycles;
  }
}

void CommandFacts::add_cycles(std::vector<Argument>& arguments, const Cycles& cycles) {
  arguments.push_back({"busy_cycles", cycles.busy});
  arguments.push_back({"stall_cycles", std::accumulate(cycles.stalls.begin(), cycles.stalls.end(), int64_t{0})});
  for (size_t i = 0; i < cycles.stalls.size(); ++i) {
    if (cycles.stalls[i] > 0) arguments.push_back({stall_names()[i], cycles.stalls[i]});
  }
}

void CommandFacts::add_waits(std::vector<Argument>& arguments, const units::Shares& range) const {
  Cycles waits;
  add_to(waits, range);
  arguments.push_back({"wait_cycles", std::accumulate(waits.stalls.begin(), waits.stalls.end(), int64_t{0})});
  for (size_t i = 0; i < waits.stalls.size(); ++i) {
    if (waits.stalls[i] > 0) arguments.push_back({wait_names()[i], waits.stalls[i]});
  }
}

std::vector<Argument> CommandFacts::facts(size_t command_idx) const {
  const units::CommandRecord& record = job_.commands[command_idx];
  std::vector<Argument> arguments = identity(command_idx);
  add_work(arguments, command_idx);
  arguments.insert(arguments.end(), {{"dispatch_cycle", record.dispatch_cycle},
                                     {"start_cycle", record.start_cycle},
                                     {"end_cycle", record.end_cycle},
                                     {"sram_read_bytes", record.traffic.sram_read_bytes},
                                     {"sram_write_bytes", record.traffic.sram_write_bytes},
                                     {"external_read_bytes", record.traffic.external_read_bytes},
                                     {"external_write_bytes", record.traffic.external_write_bytes}});
  add_waits(arguments, record.waits);
  if (record.last_giver_idx >= 0)
    arguments.push_back({"last_token_of_command_idx", number(static_cast<size_t>(record.last_giver_idx))});
  return arguments;
}

std::vector<Argument> CommandFacts::main_phase(size_t command_idx) const {
  std::vector<Argument> arguments = facts(command_idx);
  Cycles cycles;
  add_to(cycles, job_.commands[command_idx].main.shares);
  add_cycles(arguments, cycles);
  return arguments;
}

std::vector<Argument> CommandFacts::drain(size_t command_idx) const {
  const units::CommandRecord& record = job_.commands[command_idx];
  std::vector<Argument> arguments = identity(command_idx);
  arguments.push_back({"after_main_cycles", record.drain.start_cycle - record.main.end_cycle});
  Cycles cycles;
  add_to(cycles, record.drain.shares);
  add_cycles(arguments, cycles);
  return arguments;
}

std::vector<Argument> CommandFacts::whole(size_t command_idx) const {
  const units::CommandRecord& record = job_.commands[command_idx];
  std::vector<Argument> arguments = facts(command_idx);
  Cycles cycles;
  add_to(cycles, record.main.shares);
  add_to(cycles, record.drain.shares);
  // Between its phases it waits until the drain before it leaves it the rescale unit.
  if (record.drain.start_cycle >= 0) {
    cycles.stalls[static_cast<size_t>(timing::Stall::RescaleContention)] += record.drain.start_cycle - record.main.end_cycle;
  }
  add_cycles(arguments, cycles);
  return arguments;
}

timing::Phase CommandFacts::fetch_phase(size_t command_idx) const {
  return timing::fetch_phase(in_package(command_idx).length_bytes, package_.stream_address.space, package_.config);
}

timing::Traffic CommandFacts::own_traffic(size_t command_idx) const {
  timing::Traffic traffic = job_.commands[command_idx].traffic;
  const timing::Traffic fetch = timing::traffic_of({fetch_phase(command_idx), {}}, package_.config);
  traffic.sram_read_bytes -= fetch.sram_read_bytes;
  traffic.external_read_bytes -= fetch.external_read_bytes;
  return traffic;
}

}  // namespace vernier::timeline
