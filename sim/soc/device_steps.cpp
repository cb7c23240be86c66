// SPDX-License-Identifier: Apache-2.0
// How a device lets time pass: with a host that starts jobs itself, and with firmware that does.
#include "hw/base/error.hpp"
#include "sim/soc/completion_check.hpp"
#include "sim/soc/device_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace vernier::soc {

/// What a job that is done has left, which the next job of the network begins with: also before the host has been told.
void Device::Impl::take_variables(AcceptedJob& job) {
  const std::optional<JobResult>& result = job.machine_job.result;
  if (job.has_left_variables || !result || !result->is_done() || result->output_fault || result->variables.empty()) return;
  job.has_left_variables = true;
  std::vector<package::Variable>& variables = network(job.request.network).package.variables;
  for (size_t i = 0; i < variables.size(); ++i) variables[i].value = result->variables[i];
}

void Device::Impl::before_start(AcceptedJob& job) {
  ResidentNetwork& owner = network(job.request.network);
  for (auto& [number, other] : jobs) {
    if (other.request.network == job.request.network) take_variables(other);
  }
  forget_all_but_image(owner.memory(), owner.package, owner.extents);
  if (owner.is_image_damaged) load_image(owner.memory(), owner.package);
  owner.is_image_damaged = job.request.injection.has_value() || owner.writes_image;
  write_inputs(owner.memory(), owner.package, job.request.inputs);
  write_variables(owner.memory(), owner.package);
  machine.top.sram_region.begin_peak();
  job.record.start_cycle = now();
}

/// Firmware that does not write JOB starts the oldest job that was handed over.
MachineJob* Device::Impl::starting(uint32_t number) {
  const auto found = jobs.find(static_cast<int32_t>(number));
  if (found != jobs.end() && found->second.is_handed_over && !found->second.record.has_ended())
    return &found->second.machine_job;
  for (auto& [other, job] : jobs)
    if (number == 0 && job.is_handed_over && !job.record.has_ended() && !job.machine_job.has_started)
      return &job.machine_job;
  return nullptr;
}

HandedJob Device::Impl::handed(int32_t number, const AcceptedJob& job) {
  const ResidentNetwork& owner = network(job.request.network);
  HandedJob handed = handed_job(owner.package);
  handed.number = static_cast<uint32_t>(number);
  handed.sram = owner.sram.extent();
  handed.external = owner.external.extent();
  handed.watchdog_cycles = job.machine_job.watchdog_cycles;
  handed.time_out_cycles = job.request.time_out_cycles;
  handed.priority = job.request.priority;
  handed.events = job.request.events;
  return handed;
}

void Device::Impl::end_job(int32_t number, AcceptedJob& job, spec::JobOutcome outcome, int64_t told_cycle) {
  job.record.outcome = outcome;
  job.record.told_cycle = told_cycle;
  job.request.inputs.clear();
  ResidentNetwork& owner = network(job.request.network);
  --owner.num_jobs;
  if (outcome != spec::JobOutcome::Done) owner.is_image_damaged = true;
  if (!job.machine_job.result) return;
  take_variables(job);
  job.record.result = std::move(job.machine_job.result);
  if (outcome == spec::JobOutcome::Done && job.record.result->output_fault) {
    job.record.outcome = spec::JobOutcome::Fault;
    job.record.result->status = *job.record.result->output_fault;
  }
  job.record.end_cycle = job.record.start_cycle + job.record.result->cycles;
  if (job.record.result->control) job.record.end_cycle += job.record.result->control->between_cycles;
  // A list of all commands for each job would be most of what the process needs.
  job.record.result->commands = {};
  job.record.result->shares.clear();
  if (running == number) running.reset();
}

std::optional<int64_t> Device::Impl::next_arrival() const {
  std::optional<int64_t> next;
  for (const auto& [number, job] : jobs) {
    if (job.is_handed_over || job.record.has_ended()) continue;
    next = std::min(next.value_or(job.record.arrival_cycle), job.record.arrival_cycle);
  }
  return next;
}

// ----------------------------------------------------------------------------------------------- time, Control::Direct

AcceptedJob* Device::Impl::best_waiting() {
  AcceptedJob* best = nullptr;
  for (auto& [number, job] : jobs) {
    if (job.is_handed_over || job.record.has_ended() || job.record.arrival_cycle > now()) continue;
    const bool is_better =
        best == nullptr || job.request.priority > best->request.priority ||
        (job.request.priority == best->request.priority && job.record.arrival_cycle < best->record.arrival_cycle);
    if (is_better) best = &job;
  }
  return best;
}

namespace {

spec::JobOutcome outcome_of(const JobStatus& status) {
  if (std::holds_alternative<Done>(status)) return spec::JobOutcome::Done;
  return std::holds_alternative<Fault>(status) ? spec::JobOutcome::Fault : spec::JobOutcome::Watchdog;
}

}  // namespace

/// False: nothing happens any more.
bool Device::Impl::step_direct(std::optional<int64_t> deadline_cycle) {
  if (running) {
    AcceptedJob& current = job(*running);
    std::optional<int64_t> end_cycle;  // of the stream's own cycles
    bool is_time_out = false;
    if (deadline_cycle) end_cycle = *deadline_cycle - direct_cycle;
    if (current.request.time_out_cycles > 0 && current.request.time_out_cycles <= end_cycle.value_or(INT64_MAX)) {
      end_cycle = current.request.time_out_cycles;
      is_time_out = true;
    }
    const bool has_ended = machine.run_stream(end_cycle);
    if (!has_ended && !is_time_out) return true;
    if (!has_ended) machine.access_register("CONTROL", tlm::TLM_WRITE_COMMAND, 2);
    JobResult& result = *current.machine_job.result;
    machine.read_events(result, current.request.events.size());
    direct_cycle += result.cycles;
    end_job(*running, current, has_ended ? outcome_of(result.status) : spec::JobOutcome::TimedOut, direct_cycle);
    return true;
  }
  if (AcceptedJob* next = best_waiting()) {
    const auto number = static_cast<int32_t>(next->machine_job.number);
    next->is_handed_over = true;
    machine.choose_events(next->request.events);
    machine.start_directly(handed(number, *next));
    running = number;
    return true;
  }
  const std::optional<int64_t> arrival = next_arrival();
  if (!arrival && !deadline_cycle) return false;
  direct_cycle = std::max(direct_cycle, std::min(arrival.value_or(INT64_MAX), deadline_cycle.value_or(INT64_MAX)));
  return arrival.has_value();
}

// -------------------------------------------------------------------------------------------------- time, Control::Cpu

/// In the order of arrival; of those that came in one cycle the one that was submitted first.
void Device::Impl::hand_over_arrived() {
  while (machine.control->has_room()) {
    AcceptedJob* next = nullptr;
    for (auto& [number, job] : jobs) {
      if (job.is_handed_over || job.record.has_ended() || job.record.arrival_cycle > now()) continue;
      if (next == nullptr || job.record.arrival_cycle < next->record.arrival_cycle) next = &job;
    }
    if (next == nullptr) return;
    next->is_handed_over = true;
    last_sign_cycle = now();
    const auto& injection = next->request.injection;
    if (units::is_of_control_system(injection)) {
      has_system_fault = true;
      machine.control->inject(*injection);
    }
    machine.control->hand_over(handed(static_cast<int32_t>(next->machine_job.number), *next));
  }
}

void Device::Impl::collect_completions() {
  for (auto& [number, job] : jobs) {
    if (!job.is_handed_over || job.record.has_ended()) continue;
    const ControlPath::Completion* const told = machine.control->completion_of(static_cast<uint32_t>(number));
    if (told == nullptr) continue;
    const std::string wrong = machine.is_running(job.machine_job) ? "the firmware tells the end of a job that still runs"
                                                                  : wrong_completion(job.machine_job, *told);
    VERNIER_CHECK(wrong.empty() || options.firmware != nullptr || has_system_fault, "job {}: {}", number, wrong);
    if (!wrong.empty()) machine.control->disbelieve(fmt::format("job {}: {}", number, wrong));
    spec::JobOutcome outcome = told->outcome;
    machine.close_flow(job.machine_job, outcome);
    const bool has_flow = job.machine_job.result && job.machine_job.flow;
    if (has_flow && std::holds_alternative<Fault>(job.machine_job.result->status)) outcome = spec::JobOutcome::Fault;
    if (job.machine_job.result) {
      job.machine_job.result->control = told->use;
      job.machine_job.result->event_counts = told->event_counts;
    }
    if (units::is_of_control_system(job.request.injection)) {
      if (job.machine_job.result) job.machine_job.result->injected = machine.control->injected();
      machine.control->end_injection();
    }
    end_job(number, job, outcome, told->told_cycle);
  }
}

void Device::Impl::end_all_by_failure() {
  failure = machine.control->failure();
  for (auto& [number, job] : jobs) {
    if (job.record.has_ended()) continue;
    if (!job.machine_job.result && job.is_handed_over && !machine.is_running()) machine.close_unstarted(job.machine_job);
    machine.close_flow(job.machine_job, spec::JobOutcome::Refused);
    if (job.machine_job.result) job.machine_job.result->status = FirmwareFailure{failure};
    end_job(number, job, spec::JobOutcome::Refused, now());
  }
}

/// False: nothing happens any more.
bool Device::Impl::step_by_firmware(std::optional<int64_t> deadline_cycle) {
  ControlPath& control = *machine.control;
  if (!failure.empty()) return false;
  hand_over_arrived();
  std::optional<int64_t> until = deadline_cycle;
  // A job that waits for a slot comes when one is free.
  if (const auto arrival = next_arrival(); arrival && *arrival > now()) until = std::min(until.value_or(*arrival), *arrival);
  const int64_t num_outstanding = control.num_outstanding();
  if (machine.is_running()) {
    std::optional<int64_t> until_of_stream;
    if (until) until_of_stream = *until - (now() - machine.clock.now());
    machine.run_stream(until_of_stream);
    last_sign_cycle = now();
  } else if (num_outstanding > 0) {
    control.run_until([&] { return machine.is_running() || control.num_outstanding() < num_outstanding; }, until);
    const bool is_sign = machine.is_running() || control.num_outstanding() < num_outstanding;
    if (is_sign) last_sign_cycle = now();
    const int64_t given_up_cycle = last_sign_cycle + ControlPath::kMostSilentCycles;
    // Until then the host may ring again.
    if (!is_sign && until && now() < *until) control.pass_until(std::min(*until, given_up_cycle + 1));
    if (!is_sign && (!until || now() > given_up_cycle) && control.failure().empty())
      control.fail("the firmware does not go on with its jobs");
  } else if (until) {
    control.pass_until(*until);
  } else {
    return false;
  }
  collect_completions();
  if (!control.failure().empty()) end_all_by_failure();
  return true;
}

}  // namespace vernier::soc
