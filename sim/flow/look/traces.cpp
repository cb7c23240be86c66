// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/traces.hpp"

#include "hw/base/error.hpp"
#include "sim/flow/model/layer_choice.hpp"
#include "sim/report/layer_names.hpp"
#include "sim/soc/run_commands.hpp"
#include "sim/timeline/timeline.hpp"
#include "sim/timeline/transactions.hpp"
#include "sim/waves/gtkw.hpp"
#include "sim/waves/machine_wave.hpp"

#include <algorithm>

namespace vernier::flow {
namespace {

/// Transactions, of which there is no view.
bool is_transactions(const std::string& wave) { return wave.ends_with(".ftr"); }

/// GTKWave's view of a wave, beside it.
std::string view_file(const std::string& wave) { return wave + ".gtkw"; }

/// How many cycles before it stopped a wave has of a job that never came to those that were asked for.
constexpr int64_t kCyclesBeforeStop = 1000;

waves::Window before_stop(const soc::JobResult& job) {
  return {std::max<int64_t>(job.cycles - kCyclesBeforeStop, 0), job.cycles};
}

/// A wave is of the network's cycles: from its start to its end.
void add_cpu(waves::Wave& wave, std::span<const timeline::CpuStretch> cpu, int64_t cycles) {
  const size_t place = wave.variables.size();
  wave.variables.push_back({"control_cpu", "function", waves::VariableKind::Text});
  for (const timeline::CpuStretch& stretch : cpu) {
    if (stretch.end_cycle > 0 && stretch.start_cycle < cycles)
      wave.events.push_back({std::max<int64_t>(stretch.start_cycle, 0) * waves::kTimesPerCycle, place, stretch.name});
  }
}

/// From the first start to the last end of the layer's commands.
waves::Window window_of_layer(int64_t layer_idx, const std::string& name, const soc::JobResult& job) {
  waves::Window window{job.cycles, 0};
  for (const units::CommandRecord& command : job.commands) {
    if (command.layer_idx != layer_idx || command.start_cycle < 0) continue;
    window.from_cycle = std::min(window.from_cycle, command.start_cycle);
    window.to_cycle = std::max(window.to_cycle, command.end_cycle < 0 ? job.cycles : command.end_cycle);
  }
  if (window.to_cycle <= window.from_cycle && !job.is_done()) return before_stop(job);
  if (window.to_cycle <= window.from_cycle)
    throw base::UserError("--wave-layer", "no command of layer '{}' takes a cycle in this run", name);
  return window;
}

}  // namespace

void check_trace_places(const TraceOptions& options) {
  check_file_places("--wave", options.waves, {".fst", ".vcd", ".ftr"});
  for (const std::string& file : options.waves) {
    if (!is_transactions(file)) (void)waves::wave_format_of(file);
  }
  check_file_places("--timeline", options.timelines, {".perfetto-trace", ".json"});
}

std::vector<Place> trace_places(const TraceOptions& options) {
  std::vector<Place> places;
  for (const std::string& file : options.waves) {
    places.push_back({"--wave", file});
    if (!is_transactions(file)) places.push_back({"--wave", view_file(file)});
  }
  for (const std::string& file : options.timelines) places.push_back({"--timeline", file});
  return places;
}

Traces::Traces(const TraceOptions& options, const package::Package& package) : options_(options), package_(package) {
  for (const package::LayerEntry& layer : package.layers) layer_names_.push_back(layer.name);
  short_names_ = report::shorten_layer_names(layer_names_).names;
  if (options.wave_layer) layer_idx_ = choose_layer("--wave-layer", *options.wave_layer, layer_names_, short_names_);
}

kit::SignalObserver* Traces::begin_job() {
  if (options_.is_empty()) return nullptr;
  if (cpu_) cpu_->begin_job();
  return &recording_.emplace();
}

waves::Window Traces::window_of(const soc::JobResult& job) const {
  if (window_) return *window_;
  if (layer_idx_) return window_of_layer(*layer_idx_, layer_names_[static_cast<size_t>(*layer_idx_)], job);
  if (!options_.wave_window) return {0, job.cycles};
  const WaveWindow& window = *options_.wave_window;
  if (window.to_cycle > job.cycles && !job.is_done())
    return window.from_cycle < job.cycles ? waves::Window{window.from_cycle, job.cycles} : before_stop(job);
  if (window.to_cycle > job.cycles) {
    throw base::UserError("--wave-window", "{}:{} reaches beyond the end: the run has {} cycles", window.from_cycle,
                          window.to_cycle, job.cycles);
  }
  return {window.from_cycle, window.to_cycle};
}

void Traces::add(base::FileSet& files, const std::vector<kit::Signal>& signals, const soc::JobResult& job,
                 std::span<const cosim::RtlWave* const> rtl) const {
  std::vector<timeline::CpuStretch> cpu;
  // Streams of control flow are drawn one after the other; what the CPU does between them has no place there.
  if (cpu_ && job.control && job.streams.empty()) cpu = cpu_->stretches(*job.control, job.cycles);
  if (options_.has_signals()) add_waves(files, signals, job, rtl, cpu);
  const timeline::WatchedJob watched{package_, short_names_, signals, *recording_, job, cpu};
  for (const std::string& file : options_.waves) {
    if (is_transactions(file)) files.add(file, timeline::to_transactions(watched, window_of(job), options_.wave_scope));
  }
  for (const std::string& file : options_.timelines) {
    files.add(file, timeline::to_bytes(watched, timeline::timeline_format_of(file)));
  }
}

void Traces::add_waves(base::FileSet& files, const std::vector<kit::Signal>& signals, const soc::JobResult& job,
                       std::span<const cosim::RtlWave* const> rtl, std::span<const timeline::CpuStretch> cpu) const {
  waves::Window window = window_of(job);
  // With control flow the machine's signals count commands as they ran.
  std::vector<int32_t> layers;
  std::vector<int64_t> numbers;
  soc::RunCommands places(package_, job);
  for (size_t i = 0; !job.streams.empty() && i < job.commands.size(); ++i) {
    layers.push_back(job.commands[i].layer_idx);
    numbers.push_back(places.next().command_idx);
  }
  if (job.streams.empty()) layers.assign(package_.command_layers.begin(), package_.command_layers.end());
  const waves::CommandNames names{layers, short_names_, numbers};
  waves::Wave wave = waves::machine_wave(signals, *recording_, names, job.cycles);
  if (!cpu.empty()) add_cpu(wave, cpu, job.cycles);
  for (const cosim::RtlWave* of_block : rtl) of_block->add_to(wave, job.commands, names);
  // RTL that stood still did so after the machine's last cycle.
  if (!job.is_done() && window.to_cycle == job.cycles) window.to_cycle = wave.end_time / waves::kTimesPerCycle;
  if (options_.wave_scope) waves::keep_scope(wave, *options_.wave_scope);
  for (const std::string& file : options_.waves) {
    if (is_transactions(file)) continue;
    files.add(file, waves::to_bytes(wave, waves::wave_format_of(file), window));
    files.add_text(view_file(file), waves::gtkwave_view(wave, file, window, markers_, rtl_view_));
  }
}

}  // namespace vernier::flow
