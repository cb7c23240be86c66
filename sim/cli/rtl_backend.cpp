// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/rtl_backend.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/stream_commands.hpp"
#include "hw/timing/known_profiles.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/replay_command.hpp"
#include "sim/cosim/foreign_block.hpp"
#include "sim/cosim/own_rtl.hpp"
#include "sim/flow/ends.hpp"
#include "sim/flow/inputs.hpp"
#include "sim/soc/npu.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::cli {
namespace {

constexpr std::string_view kUnit = "datapath";
constexpr size_t kNumSlowest = 10;
constexpr size_t kMostMessages = 10;

/// Appends messages until there are as many as a report shows.
void append_messages(std::vector<std::string>& messages, const std::vector<std::string>& more) {
  for (const std::string& text : more) {
    if (messages.size() < kMostMessages) messages.push_back(text);
  }
}

/// The commands of the array and of the vector unit with a cycle in the window: when they run is known from a job without
/// values.
std::set<int32_t> commands_in(const Traces& traces, const package::Package& package) {
  soc::JobOptions options;
  options.values = false;
  const soc::JobResult job =
      soc::Npu(package.config).run(package, flow::zero_inputs(flow::ends_of(package).inputs), options);
  const waves::Window window = traces.window_of(job);
  std::set<int32_t> commands;
  for (size_t i = 0; i < job.commands.size(); ++i) {
    const units::CommandRecord& command = job.commands[i];
    const bool has_rtl = command.work == units::Work::Array || command.work == units::Work::Vector;
    if (has_rtl && command.start_cycle < window.to_cycle && command.end_cycle > window.from_cycle)
      commands.insert(static_cast<int32_t>(i));
  }
  return commands;
}

}  // namespace

std::set<int32_t> with_earlier_slices(const package::Package& package, int32_t command_idx) {
  std::set<int32_t> commands;
  const std::vector<package::StreamCommand> stream = package::stream_commands(package);
  for (int32_t idx = 0; idx <= command_idx && idx < std::ssize(stream); ++idx) {
    const auto* mac = std::get_if<spec::MacCommand>(&stream[static_cast<size_t>(idx)].command.body);
    if (mac != nullptr && mac->first) commands.clear();
    if (mac != nullptr) commands.insert(idx);
    if (mac == nullptr && idx == command_idx) commands = {idx};
  }
  return commands;
}

bool needs_own_array(const RtlSource& source, int lanes) {
  if (!source.is_foreign || !source.has_only_lanes) return false;
  const auto [rescale, table] =
      cosim::LaneUnits(source.make_block("rescale", lanes), source.make_block("table", lanes), lanes)
          .measure_latencies(false);
  return rescale != spec::rtl_block_of_unit("rescale")->latency_cycles ||
         table != spec::rtl_block_of_unit("table")->latency_cycles;
}

RtlBackend::RtlBackend(const spec::Datapath& machine, const Work& work, const RtlSource& source)
    : source_(source), work_(work), is_strict_(source.is_strict) {
  const auto lanes = static_cast<int>(machine.lanes);
  // All of it, before anything is built.
  for (const std::string_view unit :
       {std::string_view("rescale"), std::string_view("table"), kUnit, std::string_view("vector")})
    require_rtl(source, unit, lanes);
  if (source.streams != cosim::StreamSource::Ideal) cosim::require_own_rtl(spec::kAguBlock, lanes);
  auto rescale = source.make_block("rescale", lanes);
  lane_units_.emplace(std::move(rescale), source.make_block("table", lanes), lanes);
  if (source.is_foreign) {
    const auto [rescale_cycles, table_cycles] = lane_units_->measure_latencies(!is_strict_);
    note_latency("npu_rescale_unit", rescale_cycles);
    note_latency("npu_table_unit", table_cycles);
    // The array is built for units of its own depth.
    is_array_own_ = source.has_only_lanes && !notes_.empty();
  }
  if (work.kept_cycles > 0) lane_units_->keep_inputs(work.kept_cycles);
  if (is_array_own_) source_ = with_own_array(source);
  if (std::string note = note_that_all_is_ours(source, {"rescale", "table", kUnit, "vector"}); !note.empty())
    notes_.push_back(std::move(note));
  const auto make_block = [&] {
    return std::make_unique<cosim::ClockedBlock>(source_.make_block(kUnit, lanes), *spec::rtl_block_of_unit(kUnit), lanes);
  };
  if (source.is_foreign) cosim::require_answer(*make_block(), machine);
  block_ = make_block();  // that has done nothing yet: a wave is opened before its first eval()
}

void RtlBackend::note_latency(std::string_view module, int64_t latency_cycles) {
  const spec::RtlBlock* block = spec::rtl_block_of_module(module);
  if (block->latency_cycles == latency_cycles) return;
  latencies_.emplace_back(module, latency_cycles);
  notes_.push_back(
      fmt::format("{} of --rtl takes {}, and hw/spec says {}: it runs the steps of vector commands, the array "
                  "is built for hw/spec's and keeps a unit of ours unless the folder has an array too",
                  module, base::counted(latency_cycles, "cycle"), block->latency_cycles));
}

bool RtlBackend::uses(std::string_view unit) const {
  if (unit == "datapath") return result_.mac_commands_compared > 0;
  if (unit == "vector") return result_.vector_commands_compared > 0;
  if (lane_units_->vectors_of(unit) > 0) return true;
  if (is_array_own_) return false;
  return std::ranges::any_of(package::stream_commands(*package_), [&](const package::StreamCommand& command) {
    const auto* mac = std::get_if<spec::MacCommand>(&command.command.body);
    return mac != nullptr && (unit == "table" ? mac->table : mac->rescale || mac->residual);
  });
}

void RtlBackend::finish() {
  if (!source_.is_foreign) return;
  std::vector<std::string_view> names;
  bool has_any = false;
  for (const std::string_view unit :
       {std::string_view("rescale"), std::string_view("table"), kUnit, std::string_view("vector")}) {
    // An array with nothing of theirs but lanes is used where those are.
    if (!source_.concerns(unit) || (unit == kUnit && source_.has_only_lanes)) continue;
    has_any = true;
    if (!uses(unit)) names.push_back(spec::rtl_block_of_unit(unit)->name);
  }
  if (!has_any) unused_ = fmt::format("nothing of {} used", source_.folder);
  if (!names.empty()) unused_ = fmt::format("{} of {} not used", fmt::join(names, ", "), source_.folder);
  for (const auto& [module, latency_cycles] : latencies_) {
    if (!is_strict_ || std::ranges::find(names, module) == names.end()) continue;
    cosim::NetworkGroup& group = result_.group(module, "");
    group.mismatches = group.cycle_mismatches = 1;
    group.first_mismatch =
        fmt::format("{}: takes {}, and hw/spec says {}; no command used it", module, base::counted(latency_cycles, "cycle"),
                    spec::rtl_block_of_module(module)->latency_cycles);
    append_messages(result_.first_mismatches, {group.first_mismatch});
  }
}

void RtlBackend::draw(const Traces& traces, const package::Package& package) { draw(commands_in(traces, package)); }

void RtlBackend::draw(std::set<int32_t> commands) {
  block_->rtl().open_wave(wave_.emplace(block_->description(), commands, "rtl", source_.most_wave_bytes));
  vector_wave_.emplace(*spec::rtl_block_of_unit("vector"), std::move(commands), "vector_rtl", source_.most_wave_bytes);
}

std::unique_ptr<units::DatapathIf> RtlBackend::datapath(const package::Package& package, uint64_t seed,
                                                        cosim::RtlProgressSink progress) {
  auto datapath = std::make_unique<cosim::RtlDatapath>(*block_, package, seed, result_, std::move(progress));
  if (wave_) datapath->draw(*wave_);
  auto vector_block = source_.make_block("vector", package.config.datapath.lanes);
  if (vector_wave_) vector_block->open_wave(*vector_wave_);  // before its first eval()
  vector_unit_.emplace(std::move(vector_block), package.config.datapath, seed);
  if (vector_wave_) vector_unit_->draw(*vector_wave_);
  vector_unit_->use_lanes(*lane_units_);
  if (!is_strict_) vector_unit_->relax_cycles();
  datapath->use_vector_unit(*vector_unit_);
  if (source_.streams != cosim::StreamSource::Ideal) {
    const bool has_limits = source_.streams == cosim::StreamSource::Banked;
    vector_unit_->use_memory(has_limits);
    datapath->use_memory(memory_.emplace(*block_, package.config.datapath, has_limits));
  }
  if (!work_.has_pairs) datapath->run_no_pairs();
  if (only_) datapath->run_only(*only_);
  // A replay has ideal memories.
  if (source_.streams == cosim::StreamSource::Ideal) datapath->keep_fault(fault_);
  if (first_cycle_) datapath->count_from(*first_cycle_);
  if (!is_strict_) datapath->relax_cycles();
  datapath_ = datapath.get();
  package_ = &package;
  return datapath;
}

void RtlBackend::begin_job(bool is_drawn) {
  if (wave_) wave_->turn(is_drawn);
  if (vector_wave_) vector_wave_->turn(is_drawn);
  if (!std::exchange(has_job_, true)) return;
  earlier_mismatches_ += result_.mismatches();
  earlier_cycle_mismatches_ += result_.cycle_mismatches();
  append_messages(first_mismatches_, result_.first_mismatches);
  const int32_t first_different = result_.first_command_different;
  const int64_t first_different_cycle = result_.first_different_cycle;
  datapath_->count_anew();
  result_.first_command_different = first_different;
  result_.first_different_cycle = first_different_cycle;
}

std::vector<const cosim::RtlWave*> RtlBackend::finish_waves(std::vector<std::string>& notes) {
  block_->rtl().close_wave();
  if (vector_unit_) vector_unit_->close_wave();
  if (!wave_) return {};
  std::vector<const cosim::RtlWave*> whole;
  for (const auto& [wave, unit] : {std::pair(&*wave_, "array"), std::pair(&*vector_wave_, "vector unit")}) {
    if (!wave->is_cut()) {
      whole.push_back(wave);
      continue;
    }
    notes.push_back(
        fmt::format("the RTL's signals of the {} would take more than {} KiB and are not in the wave; --wave-layer or "
                    "--wave-window draws fewer commands",
                    unit, source_.most_wave_bytes >> 10));
  }
  return whole;
}

std::vector<report::RtlUse::CommandCycles> RtlBackend::command_cycles() const {
  std::vector<report::RtlUse::CommandCycles> cycles;
  if (package_ == nullptr) return cycles;
  const std::vector<package::StreamCommand> stream = package::stream_commands(*package_);
  timing::KnownProfiles profiles(package_->config);
  for (const cosim::CommandCycles& ran : result_.command_cycles) {
    const spec::CommandBody& body = stream[static_cast<size_t>(ran.command_idx)].command.body;
    const auto* mac = std::get_if<spec::MacCommand>(&body);
    const auto* vector = std::get_if<spec::VectorCommand>(&body);
    VERNIER_CHECK(mac != nullptr || vector != nullptr, "command {} has no RTL, and has cycles of it", ran.command_idx);
    const timing::Profile& profile = mac != nullptr ? profiles.profile(*mac) : profiles.profile(*vector);
    // Slices of a reduction have ideal memories.
    const bool has_limits = source_.streams == cosim::StreamSource::Banked && (mac == nullptr || (mac->first && mac->last));
    const int64_t model_cycles =
        has_limits ? profile.cycles_alone() : profile.main.datapath_cycles + profile.drain.datapath_cycles;
    cycles.push_back({ran.command_idx, std::string(ran.unit), model_cycles, ran.cycles});
  }
  return cycles;
}

report::RtlUse RtlBackend::use() const {
  report::RtlUse use;
  use.commands = result_.commands_compared();
  use.commands_without_rtl = result_.commands - use.commands;
  use.vectors = result_.vectors();
  use.mismatches = earlier_mismatches_ + result_.mismatches();
  use.cycle_mismatches = earlier_cycle_mismatches_ + result_.cycle_mismatches();
  use.unused = unused_;
  use.memory = cosim::kStreamSourceNames[static_cast<size_t>(source_.streams)];
  use.memory_commands = result_.memory_commands;
  if (result_.mac_commands_compared > 0) use.modes.push_back({"mac_array", result_.bins_hit, result_.bins_legal});
  if (result_.vector_commands_compared > 0)
    use.modes.push_back({"vector_unit", result_.vector_bins_hit, result_.vector_bins_legal});
  use.model_cycles = result_.model_cycles;
  use.rtl_cycles = result_.rtl_cycles;
  std::vector<cosim::CommandCycles> slowest = result_.command_cycles;
  const auto is_slower = [](const cosim::CommandCycles& a, const cosim::CommandCycles& b) {
    return a.cycles != b.cycles ? a.cycles > b.cycles : a.command_idx < b.command_idx;
  };
  std::ranges::sort(slowest, is_slower);
  if (slowest.size() > kNumSlowest) slowest.resize(kNumSlowest);
  for (const cosim::CommandCycles& command : slowest)
    use.slowest_commands.push_back({command.command_idx, std::string(command.unit), command.cycles});
  use.command_cycles = command_cycles();
  use.first_mismatches = first_mismatches_;
  append_messages(use.first_mismatches, result_.first_mismatches);
  return use;
}

int report_rtl_hang(const std::string& file, const RtlBackend& rtl, const config::MachineConfig& config, bool no_replay,
                    const cosim::Hang& hang) {
  std::string text;
  for (const std::string& mismatch : rtl.use().first_mismatches)
    text += fmt::format("vernier: {}: mismatch: {}\n", file, mismatch);
  text += fmt::format("vernier: {}: {}\n", file, hang.what());
  if (rtl.fault() && !no_replay) text += write_replay(*rtl.fault(), file, config.name, config.datapath, rtl.source()).text;
  print_text(stderr, text);
  return rtl.is_equal() || hang.is_stop() ? kExitFault : kExitMismatch;
}

}  // namespace vernier::cli
