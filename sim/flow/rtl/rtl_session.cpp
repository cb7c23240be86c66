// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/rtl_session.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/stream_commands.hpp"
#include "hw/timing/known_profiles.hpp"
#include "sim/cosim/lockstep/foreign_block.hpp"
#include "sim/flow/model/timed_job.hpp"
#include "sim/flow/rtl/mismatch_detail.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vernier::flow {
namespace {

constexpr std::string_view kUnit = "datapath";
constexpr std::array<std::string_view, 4> kUnits{"rescale", "table", kUnit, "vector"};
constexpr size_t kNumSlowest = 10;
constexpr size_t kMostMessages = 10;

/// Appends mismatches until there are as many as a report shows.
void append_mismatches(std::vector<cosim::Mismatch>& mismatches, const std::vector<cosim::Mismatch>& more) {
  for (const cosim::Mismatch& mismatch : more) {
    if (mismatches.size() < kMostMessages) mismatches.push_back(mismatch);
  }
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

std::set<int32_t> commands_in_window(const Traces& traces, const package::Package& package) {
  const soc::JobResult job = timed_job(package);
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

/// All of a session, at one place as long as there is one of its three types: blocks write into waves, the machine runs on
/// the blocks.
struct RtlState {
  RtlState(const spec::Datapath& machine, const RtlSource& given, int64_t kept_cycles);

  void note_latency(std::string_view module, int64_t latency_cycles);
  void open_waves(const std::set<int32_t>& commands);
  std::unique_ptr<units::DatapathIf> make_datapath(const package::Package& package, RtlWork work);
  void begin_job(bool is_drawn);
  void close_waves();
  void judge_unused();
  /// Whether a command of the network has work for a unit of the folder where that runs.
  [[nodiscard]] bool uses(std::string_view unit) const;
  /// The cycles of each command that ran on RTL, beside those that hw/timing charges for it.
  [[nodiscard]] std::vector<report::RtlUse::CommandCycles> command_cycles() const;

  RtlSource source;
  bool is_strict;
  std::optional<cosim::RtlWave> wave, vector_wave;  // they outlive the blocks that write them
  std::optional<cosim::LaneUnits> lane_units;
  std::optional<cosim::RtlVectorUnit> vector_unit;
  std::unique_ptr<cosim::ClockedBlock> block;
  std::optional<cosim::ArrayMemory> memory;
  cosim::RtlDatapath* datapath = nullptr;     // the machine's
  const package::Package* package = nullptr;  // what runs on it
  cosim::NetworkResult result;
  bool has_job = false, has_stood_still = false;
  int64_t earlier_mismatches = 0, earlier_cycle_mismatches = 0;
  std::vector<cosim::Mismatch> first_mismatches;  // of earlier jobs
  std::vector<std::string> notes, wave_notes;
  std::vector<const cosim::RtlWave*> drawn;
  bool is_array_own = false;                               // which keeps units of ours then
  std::vector<std::pair<std::string, int64_t>> latencies;  // of units of another depth, by module
  std::string unused;
  std::unique_ptr<soc::Npu> npu;  // goes first: its datapath refers to the rest
};

RtlState::RtlState(const spec::Datapath& machine, const RtlSource& given, int64_t kept_cycles)
    : source(given), is_strict(given.is_strict) {
  const auto lanes = static_cast<int>(machine.lanes);
  // All of it, before anything is built.
  for (const std::string_view unit : kUnits) source.require(unit, lanes);
  if (source.streams != cosim::StreamSource::Ideal) cosim::own_rtl().require(spec::kAguBlock, lanes);
  auto rescale = source.make("rescale", lanes);
  const cosim::LaneUnitsOptions options{
      .are_measured = source.is_foreign(), .is_strict = is_strict, .kept_cycles = kept_cycles};
  lane_units.emplace(std::move(rescale), source.make("table", lanes), lanes, options);
  if (source.is_foreign()) {
    const auto [rescale_cycles, table_cycles] = lane_units->latencies();
    note_latency("npu_rescale_unit", rescale_cycles);
    note_latency("npu_table_unit", table_cycles);
    // The array is built for units of its own depth.
    is_array_own = !source.foreign->has_array && !notes.empty();
  }
  if (is_array_own) source.has_own_array = true;
  if (std::string note = note_that_all_is_ours(source, {"rescale", "table", kUnit, "vector"}); !note.empty())
    notes.push_back(std::move(note));
  const auto make_block = [&] {
    return std::make_unique<cosim::ClockedBlock>(source.make(kUnit, lanes), *spec::rtl_block_of_unit(kUnit), lanes);
  };
  if (source.is_foreign()) cosim::require_answer(*make_block(), machine);
  block = make_block();  // that has done nothing yet: a wave is opened before its first eval()
}

void RtlState::note_latency(std::string_view module, int64_t latency_cycles) {
  const spec::RtlBlock* specified = spec::rtl_block_of_module(module);
  if (specified->latency_cycles == latency_cycles) return;
  latencies.emplace_back(module, latency_cycles);
  notes.push_back(
      fmt::format("{} of --rtl takes {}, and hw/spec says {}: it runs the steps of vector commands, the array "
                  "is built for hw/spec's and keeps a unit of ours unless the folder has an array too",
                  module, base::counted(latency_cycles, "cycle"), specified->latency_cycles));
}

bool RtlState::uses(std::string_view unit) const {
  if (unit == "datapath") return result.mac_commands_compared > 0;
  if (unit == "vector") return result.vector_commands_compared > 0;
  if (lane_units->vectors_of(unit) > 0) return true;
  if (is_array_own) return false;
  return std::ranges::any_of(package::stream_commands(*package), [&](const package::StreamCommand& command) {
    const auto* mac = std::get_if<spec::MacCommand>(&command.command.body);
    return mac != nullptr && (unit == "table" ? mac->table : mac->rescale || mac->residual);
  });
}

void RtlState::judge_unused() {
  if (!source.is_foreign()) return;
  std::vector<std::string_view> names;
  bool has_any = false;
  for (const std::string_view unit : kUnits) {
    // An array with nothing of theirs but lanes is used where those are.
    if (!source.concerns(unit) || (unit == kUnit && !source.foreign->has_array)) continue;
    has_any = true;
    if (!uses(unit)) names.push_back(spec::rtl_block_of_unit(unit)->name);
  }
  if (!has_any) unused = fmt::format("nothing of {} used", source.folder);
  if (!names.empty()) unused = fmt::format("{} of {} not used", fmt::join(names, ", "), source.folder);
  for (const auto& [module, latency_cycles] : latencies) {
    if (!is_strict || std::ranges::find(names, module) == names.end()) continue;
    cosim::NetworkGroup& group = result.group(module, "");
    group.mismatches = group.cycle_mismatches = 1;
    group.first_mismatch = cosim::Mismatch{
        .kind = cosim::MismatchKind::Depth,
        .unit = std::string(module),
        .words = fmt::format("takes {}, and hw/spec says {}; no command used it", base::counted(latency_cycles, "cycle"),
                             spec::rtl_block_of_module(module)->latency_cycles)};
    append_mismatches(result.first_mismatches, {*group.first_mismatch});
  }
}

void RtlState::open_waves(const std::set<int32_t>& commands) {
  block->rtl().open_wave(wave.emplace(block->description(), commands, "rtl", source.most_wave_bytes));
  vector_wave.emplace(*spec::rtl_block_of_unit("vector"), commands, "vector_rtl", source.most_wave_bytes);
}

std::unique_ptr<units::DatapathIf> RtlState::make_datapath(const package::Package& of, RtlWork work) {
  if (work.drawn) open_waves(*work.drawn);
  const bool has_memory = source.streams != cosim::StreamSource::Ideal;
  // A replay has ideal memories.
  const cosim::RunOptions run{.seed = work.seed, .is_strict = is_strict, .keeps_fault = !has_memory};
  cosim::RtlDatapathOptions options{.run = run,
                                    .has_pairs = work.has_pairs,
                                    .only = std::move(work.only),
                                    .first_cycle = work.first_cycle,
                                    .progress = std::move(work.progress)};
  cosim::RtlVectorUnitOptions vector_options{.run = run, .lanes = &*lane_units, .streams = source.streams};
  auto vector_block = source.make("vector", of.config.datapath.lanes);
  if (wave) {
    options.wave = &*wave;
    vector_options.wave = &*vector_wave;
    vector_block->open_wave(*vector_wave);  // before its first eval()
  }
  options.vector_unit = &vector_unit.emplace(std::move(vector_block), of.config.datapath, vector_options);
  const bool has_limits = source.streams == cosim::StreamSource::Banked;
  if (has_memory) options.memory = &memory.emplace(*block, of.config.datapath, has_limits);
  auto made = std::make_unique<cosim::RtlDatapath>(*block, of, result, std::move(options));
  datapath = made.get();
  package = &of;
  return made;
}

void RtlState::begin_job(bool is_drawn) {
  if (wave) wave->turn(is_drawn);
  if (vector_wave) vector_wave->turn(is_drawn);
  if (!std::exchange(has_job, true)) return;
  earlier_mismatches += result.mismatches();
  earlier_cycle_mismatches += result.cycle_mismatches();
  append_mismatches(first_mismatches, result.first_mismatches);
  const int32_t first_different = result.first_command_different;
  const int64_t first_different_cycle = result.first_different_cycle;
  datapath->count_anew();
  result.first_command_different = first_different;
  result.first_different_cycle = first_different_cycle;
}

void RtlState::close_waves() {
  block->rtl().close_wave();
  vector_unit->close_wave();
  if (!wave) return;
  for (const auto& [one, unit] : {std::pair(&*wave, "array"), std::pair(&*vector_wave, "vector unit")}) {
    if (!one->is_cut()) {
      drawn.push_back(one);
      continue;
    }
    wave_notes.push_back(
        fmt::format("the RTL's signals of the {} would take more than {} KiB and are not in the wave; --wave-layer or "
                    "--wave-window draws fewer commands",
                    unit, source.most_wave_bytes >> 10));
  }
}

std::vector<report::RtlUse::CommandCycles> RtlState::command_cycles() const {
  std::vector<report::RtlUse::CommandCycles> cycles;
  const std::vector<package::StreamCommand> stream = package::stream_commands(*package);
  timing::KnownProfiles profiles(package->config);
  for (const cosim::CommandCycles& ran : result.command_cycles) {
    const spec::CommandBody& body = stream[static_cast<size_t>(ran.command_idx)].command.body;
    const auto* mac = std::get_if<spec::MacCommand>(&body);
    const auto* vector = std::get_if<spec::VectorCommand>(&body);
    VERNIER_CHECK(mac != nullptr || vector != nullptr, "command {} has no RTL, and has cycles of it", ran.command_idx);
    const timing::Profile& profile = mac != nullptr ? profiles.profile(*mac) : profiles.profile(*vector);
    // Slices of a reduction have ideal memories.
    const bool has_limits = source.streams == cosim::StreamSource::Banked && (mac == nullptr || (mac->first && mac->last));
    const int64_t model_cycles =
        has_limits ? profile.cycles_alone() : profile.main.datapath_cycles + profile.drain.datapath_cycles;
    cycles.push_back({ran.command_idx, std::string(ran.unit), model_cycles, ran.cycles});
  }
  return cycles;
}

RtlBlocks::RtlBlocks(const spec::Datapath& machine, const RtlSource& source, int64_t kept_cycles)
    : state_(std::make_unique<RtlState>(machine, source, kept_cycles)) {}
RtlBlocks::RtlBlocks(RtlBlocks&&) noexcept = default;
RtlBlocks::~RtlBlocks() = default;

RtlSession RtlBlocks::begin(const package::Package& package, RtlWork work, soc::Control control) && {
  state_->npu = std::make_unique<soc::Npu>(package.config, state_->make_datapath(package, std::move(work)), control);
  return RtlSession(std::move(state_));
}

RtlSession::RtlSession(std::unique_ptr<RtlState> state) : state_(std::move(state)) {}
RtlSession::RtlSession(RtlSession&&) noexcept = default;
RtlSession::~RtlSession() = default;

soc::Npu& RtlSession::machine() { return *state_->npu; }

RtlJob RtlSession::run_job(const std::vector<base::Tensor>& inputs, const soc::JobOptions& options, bool is_drawn) {
  state_->begin_job(is_drawn);
  try {
    return {state_->npu->run(*state_->package, inputs, options)};
  } catch (const cosim::Hang& hang) {
    state_->has_stood_still = true;
    return {state_->npu->stopped(*state_->package), hang};
  }
}

RtlOutcome RtlSession::finish() && {
  state_->close_waves();
  if (!state_->has_stood_still) state_->judge_unused();
  return RtlOutcome(std::move(state_));
}

RtlOutcome::RtlOutcome(std::unique_ptr<RtlState> state) : state_(std::move(state)) {}
RtlOutcome::RtlOutcome(RtlOutcome&&) noexcept = default;
RtlOutcome::~RtlOutcome() = default;

const cosim::NetworkResult& RtlOutcome::result() const { return state_->result; }
bool RtlOutcome::is_equal() const { return state_->earlier_mismatches + state_->result.mismatches() == 0; }
const std::string& RtlOutcome::unused() const { return state_->unused; }
const std::optional<cosim::FirstFault>& RtlOutcome::fault() const { return state_->datapath->fault(); }
std::optional<cosim::LaneReplay> RtlOutcome::kept_inputs(std::string_view unit) const {
  return state_->lane_units->kept_inputs(unit);
}
const RtlSource& RtlOutcome::source() const { return state_->source; }
const std::vector<std::string>& RtlOutcome::notes() const { return state_->notes; }
const std::vector<const cosim::RtlWave*>& RtlOutcome::waves() const { return state_->drawn; }
const std::vector<std::string>& RtlOutcome::wave_notes() const { return state_->wave_notes; }
const std::vector<kit::Signal>& RtlOutcome::signals() const { return state_->npu->signals(); }

void RtlOutcome::add_accumulator() {
  auto& first = state_->first_mismatches.empty() ? state_->result.first_mismatches : state_->first_mismatches;
  if (fault()) cosim::add_rtl_accumulator(first, *fault(), state_->package->config.datapath, state_->source.maker());
}

report::RtlUse RtlOutcome::use() const {
  const cosim::NetworkResult& result = state_->result;
  report::RtlUse use;
  use.commands = result.commands_compared();
  use.commands_without_rtl = result.commands - use.commands;
  use.vectors = result.vectors();
  use.mismatches = state_->earlier_mismatches + result.mismatches();
  use.cycle_mismatches = state_->earlier_cycle_mismatches + result.cycle_mismatches();
  use.unused = state_->unused;
  use.memory = cosim::kStreamSourceNames[static_cast<size_t>(state_->source.streams)];
  use.memory_commands = result.memory_commands;
  if (result.mac_commands_compared > 0) use.modes.push_back({"mac_array", result.bins_hit, result.bins_legal});
  if (result.vector_commands_compared > 0)
    use.modes.push_back({"vector_unit", result.vector_bins_hit, result.vector_bins_legal});
  use.model_cycles = result.model_cycles;
  use.rtl_cycles = result.rtl_cycles;
  std::vector<cosim::CommandCycles> slowest = result.command_cycles;
  const auto is_slower = [](const cosim::CommandCycles& a, const cosim::CommandCycles& b) {
    return a.cycles != b.cycles ? a.cycles > b.cycles : a.command_idx < b.command_idx;
  };
  std::ranges::sort(slowest, is_slower);
  if (slowest.size() > kNumSlowest) slowest.resize(kNumSlowest);
  for (const cosim::CommandCycles& command : slowest)
    use.slowest_commands.push_back({command.command_idx, std::string(command.unit), command.cycles});
  use.command_cycles = state_->command_cycles();
  std::vector<cosim::Mismatch> first = state_->first_mismatches;
  append_mismatches(first, result.first_mismatches);
  for (const cosim::Mismatch& mismatch : first) {
    use.first_mismatches.push_back(mismatch.print());
    use.mismatch_details.push_back(detail_of(mismatch));
  }
  return use;
}

}  // namespace vernier::flow
