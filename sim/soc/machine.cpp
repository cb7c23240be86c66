// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/machine.hpp"

#include "hw/base/error.hpp"
#include "sim/soc/register_block.hpp"
#include "sim/soc/tensor_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vernier::soc {

Machine::Machine(const config::MachineConfig& machine, std::unique_ptr<units::DatapathIf> values, Control choice)
    : config(machine), datapath(std::move(values)), top("npu", clock, machine, *datapath) {
  if (choice == Control::Cpu) control.emplace(machine, top, clock);
  top.register_file.observe(this);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates
}

Machine::~Machine() { context.activate(); }

void Machine::power_on() {
  context.activate();
  current_ = nullptr;
  clock.halt();
  if (control) control->stop();
  top.reset();
  if (control) control->reset();
  is_fresh_ = true;
}

uint32_t Machine::access_register(std::string_view name, tlm::tlm_command command, uint32_t value) {
  return soc::access_register(top.host_initiator, spec::kRegisters, name, command, value);
}

uint32_t Machine::access_pmu(std::string_view name, tlm::tlm_command command, uint32_t value) {
  return soc::access_register(top.pmu_initiator, spec::kPmuRegisters, name, command, value);
}

void Machine::choose_events(const std::vector<uint32_t>& events) {
  VERNIER_CHECK(events.size() <= spec::kNumPmuCounters, "{} events for {} counters", events.size(), spec::kNumPmuCounters);
  if (events.empty()) return;
  for (size_t i = 0; i < events.size(); ++i) access_pmu(fmt::format("EVENT_{}", i), tlm::TLM_WRITE_COMMAND, events[i]);
  access_pmu("CONTROL", tlm::TLM_WRITE_COMMAND, spec::kPmuCounts | spec::kPmuClears);
}

void Machine::read_events(JobResult& result, size_t num_events) {
  if (num_events == 0) return;
  const auto read = [this](const std::string& name) { return access_pmu(name, tlm::TLM_READ_COMMAND); };
  for (size_t i = 0; i < num_events; ++i) result.event_counts.push_back(read(fmt::format("COUNT_{}", i)));
  result.pmu_cycles = static_cast<int64_t>(uint64_t{read("CYCLES_HIGH")} << 32 | read("CYCLES_LOW"));
}

void Machine::start_directly(const HandedJob& job) {
  const auto write = [this](std::string_view name, uint32_t value) { access_register(name, tlm::TLM_WRITE_COMMAND, value); };
  for_each_job_register(job, write);
  write("IRQ_STATUS", UINT32_MAX);
  write("IRQ_ENABLE", 7);
  write("CONTROL", 1);
}

void Machine::set_up(const MachineJob& job) {
  const package::Package& package = *job.package;
  const JobOptions& options = *job.options;
  units::JobSetup setup;
  setup.command_layers = package.command_layers;
  int64_t cycles_before = 0;  // of the job's other streams
  if (job.flow && job.flow->has_started()) {
    setup.first_command_idx = job.flow->part().first_command;
    setup.command_layers = setup.command_layers.subspan(static_cast<size_t>(setup.first_command_idx));
    cycles_before = job.flow->result().cycles;
  }
  for (const package::LayerEntry& layer : package.layers) setup.layer_names.push_back(layer.name);
  setup.has_values = options.values;
  setup.watchdog_cycles = job.watchdog_cycles;
  const bool has_pieces = options.values && options.on_piece;
  const int32_t first_command_idx = setup.first_command_idx;
  setup.on_retired = [this, &job, &options, has_pieces, first_command_idx, cycles_before](int32_t command_idx,
                                                                                          int64_t cycle) {
    if (stops_at_commands_) stop_after(job.number, command_idx, {first_command_idx, cycles_before});
    if (has_pieces) capture_pieces(job, first_command_idx + command_idx, cycles_before + cycle);
    if (options.on_sram) options.on_sram(cycles_before + cycle, job.memory.sram->storage());
  };
  if (options.on_sram) options.on_sram(cycles_before, job.memory.sram->storage());
  top.command_log.reset();
  top.command_log.set_up(std::move(setup));
}

void Machine::stop_after(uint32_t job, int32_t command_idx, const BeforeStream& before) {
  const units::CommandRecord& record = top.command_log.record_of(command_idx);
  EndedCommand ended{job, before.num_commands + command_idx, before.cycles + record.start_cycle,
                     before.cycles + record.end_cycle};
  if (record.work != units::Work::None) ended.queue = record.queue;
  ended_commands_.push_back(ended);
  sc_core::sc_pause();
}

void Machine::capture_pieces(const MachineJob& job, int32_t command_idx, int64_t cycle) {
  const package::Package& package = *job.package;
  auto piece = std::lower_bound(package.pieces.begin(), package.pieces.end(), command_idx,
                                [](const package::Piece& p, int32_t index) { return p.command_idx < index; });
  for (; piece != package.pieces.end() && piece->command_idx == command_idx; ++piece) {
    const package::TensorEntry& entry = package.tensors[piece->tensor_idx];
    const mem::StorageView storage = job.memory.of(piece->placement.base.space).storage();
    job.options->on_piece(static_cast<int32_t>(piece - package.pieces.begin()), command_idx, cycle,
                          read_box(storage, piece->placement, entry.type, piece->begin, piece->extent, piece->step));
  }
}

/// In the cycle in which the stream starts, before it does.
void Machine::starting(uint32_t number, const units::StreamLocation& stream) {
  MachineJob* job = find_ ? find_(number) : nullptr;
  if (job == nullptr) return;
  const bool is_first = !job->has_started || !job->flow;
  if (is_first && job->before_start) job->before_start();
  if (job->flow) {
    const std::string wrong = job->flow->starting(job->memory, stream.address, stream.size_bytes,
                                                  is_first ? 0 : control->cycles_since_stop(job->number));
    control->disbelieve(wrong);
    if (!wrong.empty()) return;
  }
  top.pmu.count();
  if (job->flow) watch_stream(*job);
  if (!is_fresh_) top.reset_units();
  is_fresh_ = is_watchdog_ = is_reset_ = false;
  set_up(*job);
  top.pmu.begin_anew();
  clock.begin();
  top.pmu.begin_stream();
  top.mac_array.observe_sums(job->options->on_sums);
  const std::optional<units::Injection>& injection = job->options->injection;
  if (injection && !units::is_of_control_system(injection)) inject(*job, *injection);
  job->has_started = true;
  current_ = job;
  if (control) control->job_started(job->number);
}

/// Who watches a job with control flow sees its streams one after the other: the watch ends with each of them.
void Machine::watch_stream(const MachineJob& job) {
  const JobResult& before = job.flow->result();
  clock.signals().count_from(before.cycles, static_cast<int64_t>(before.commands.size()));
  clock.signals().watch(job.options->watcher);
}

void Machine::resetting() {
  if (current_ == nullptr) return;
  is_reset_ = true;
  end_clock();
  finish();
}

/// With a control CPU the host takes over in this cycle, while the firmware goes on.
void Machine::ended() {
  if (control) sc_core::sc_pause();
}

void Machine::inject(const MachineJob& job, units::Injection injection) {
  if (job.flow) {
    if (job.flow->result().injected) return;
    injection.cycle -= job.flow->result().cycles;
    if (injection.command_idx >= 0) injection.command_idx -= job.flow->part().first_command;
  }
  switch (injection.site) {
    case units::FaultSite::Accumulator:
    case units::FaultSite::Weight: return top.mac_array.inject(injection);
    case units::FaultSite::Sram: return top.fault_injector.begin(*job.memory.sram, 0, injection);
    case units::FaultSite::Command: {
      const base::Address stream = job.package->stream_address;
      return top.fault_injector.begin(job.memory.of(stream.space), static_cast<int64_t>(stream.offset), injection);
    }
    case units::FaultSite::Dma: return top.dma.fail(injection.cycle, injection.index.value());
    case units::FaultSite::Token: return top.token_bank.lose(injection.cycle, injection.index.value());
    default: break;  // of the control system
  }
}

/// The stream ends in this cycle.
void Machine::end_clock() {
  clock.halt();
  top.pmu.count();
}

/// The stream that ran has ended, and its clock has halted.
void Machine::finish() {
  MachineJob& job = *std::exchange(current_, nullptr);
  clock.signals().watch(nullptr);  // what the firmware does to the units from here on is not the job's
  if (control) control->job_stopped(job.number);
  JobResult result = collect(job);
  if (job.flow) {
    job.flow->ended(std::move(result));
    job.result.emplace();
  } else {
    job.result = std::move(result);
  }
}

void Machine::close_flow(MachineJob& job, spec::JobOutcome told) {
  if (!job.flow || !job.result) return;
  job.result = job.flow->take_result(told);
  take_outputs(job, *job.result);
}

bool Machine::run_stream(std::optional<int64_t> deadline_cycle) {
  if (current_ == nullptr) return true;  // its start has failed
  const size_t commands_before = ended_commands_.size();
  const int64_t watchdog_cycles = current_->watchdog_cycles;
  bool is_over = false;
  while (current_ != nullptr && clock.is_running() && !is_over && (!control || control->attend_debugger())) {
    if (control && !control->failure().empty()) {
      is_over = true;
      break;
    }
    const int64_t own_left = top.command_log.last_end_cycle() + watchdog_cycles - clock.now();
    const std::optional<int64_t> system_left = control ? control->watchdog_left_cycles() : std::nullopt;
    const bool is_system = system_left && *system_left < own_left;
    if (!sc_core::sc_pending_activity() && !is_system && !keeps_time_) break;
    const int64_t watched_left = is_system ? *system_left : own_left;
    const int64_t left_cycles = deadline_cycle ? std::min(watched_left, *deadline_cycle - clock.now()) : watched_left;
    const sc_core::sc_time left = kit::to_time(left_cycles);
    if (sc_core::sc_time_to_pending_activity() > left) {
      if (left > sc_core::SC_ZERO_TIME) sc_core::sc_start(left, sc_core::SC_RUN_TO_TIME);
      if (left_cycles < watched_left) return false;
      if (is_system) control->fire_watchdog();
      is_watchdog_ = !is_system;
      is_over = true;
    } else {
      // All events up to the time at which the watchdog would fire; commands that end meanwhile put it off.
      const sc_core::sc_time step = control ? control->limit(left) : left;
      sc_core::sc_start(step, sc_core::SC_EXIT_ON_STARVATION);
      if (deadline_cycle && clock.is_running() && clock.now() >= *deadline_cycle) return false;
      if (stops_at_commands_ && clock.is_running() && ended_commands_.size() != commands_before) return false;
    }
  }
  clock.rethrow_failure();
  if (current_ == nullptr) return true;  // by a reset
  is_watchdog_ = is_watchdog_ || top.command_log.is_timed_out();
  // The firmware may have gone on for a while.
  const bool is_starved = !is_over && clock.is_running();
  if (is_starved) clock.halt_when_it_last_acted();
  end_clock();
  // Where no event is left the watchdog would fire in time; who reads the registers does not see how long that takes.
  const bool has_ended = top.command_log.is_done() || top.command_log.machine_fault();
  if (!has_ended) top.register_file.set_watchdog();
  finish();
  return true;
}

void Machine::close_unstarted(MachineJob& job) {
  set_up(job);
  clock.begin();
  top.pmu.begin_stream();
  end_clock();
  job.result = collect(job);
}

std::string Machine::wait_for_graph() {
  std::string text;
  const std::array<const units::WaitReportIf*, 5> units{&top.command_processor, &top.dma.channel0, &top.dma.channel1,
                                                        &top.mac_array, &top.vector_unit};
  for (const units::WaitReportIf* unit : units) text += unit->wait_report();
  return text;
}

JobStatus Machine::status() {
  if (control && !control->failure().empty()) return FirmwareFailure{control->failure()};
  if (is_reset_) return Stopped{};
  if (top.command_log.is_done()) return Done{};
  if (const auto& fault = top.command_log.machine_fault()) {
    return Fault{fault->code, fault->detail, fault->command_idx, fault->stream_offset_bytes, fault->access};
  }
  return Hang{is_watchdog_, wait_for_graph()};
}

/// The host reads them, where it can.
void Machine::take_outputs(const MachineJob& job, JobResult& result) {
  if (!result.is_done() || !job.options->values) return;
  if (const auto unreadable = unreadable_output(job.memory, *job.package)) {
    result.output_fault =
        Fault{spec::FaultCode::ParityError, *unreadable, static_cast<int32_t>(job.package->command_layers.size()) - 1, 0};
  } else {
    result.outputs = read_outputs(job.memory, *job.package);
    result.variables = read_variables(job.memory, *job.package);
  }
}

JobResult Machine::collect(const MachineJob& job) {
  JobResult result;
  result.status = status();
  result.cycles = clock.now();
  result.units = top.closed_counts();
  for (units::QueuedUnit* unit : top.queued_units()) result.queues[static_cast<size_t>(unit->queue())] = unit->queue_use();
  result.layers = top.command_log.attribute().layers;
  units::CommandRecords records = top.command_log.take_records();
  result.commands = std::move(records.commands);
  result.shares = std::move(records.shares);
  result.traffic = top.command_log.traffic();
  result.sram_parity_errors = top.sram.num_parity_errors();
  result.sram_peak_bytes = top.sram_region.peak_bytes();
  result.num_commands = top.command_log.num_retired();
  result.num_events = clock.num_activations();
  result.num_bursts =
      base::ceil_div(result.traffic.external_read_bytes + result.traffic.external_write_bytes, config.external.burst_bytes);
  for (const auto& injected :
       {top.mac_array.injected(), top.fault_injector.injected(), top.token_bank.injected(), top.dma.injected()}) {
    if (injected) result.injected = injected;
  }
  if (!job.flow) take_outputs(job, result);
  return result;
}

}  // namespace vernier::soc
