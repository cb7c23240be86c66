// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/npu.hpp"

#include "hw/base/division.hpp"
#include "hw/base/error.hpp"
#include "sim/soc/completion_check.hpp"
#include "sim/soc/machine.hpp"

#include <fmt/format.h>

#include <utility>

namespace vernier::soc {

int64_t default_watchdog_cycles(const config::MachineConfig& config) {
  // The longest useful command copies the whole SRAM; anything else is well below the first term.
  constexpr int64_t kFloorCycles = int64_t{1} << 24;
  return kFloorCycles + 2 * base::ceil_div(config.sram_bytes, config.external.bytes_per_cycle);
}

namespace {
/// Somebody watches while this lives.
class Watch {
 public:
  Watch(kit::Signals& signals, kit::SignalObserver* watcher) : signals_(signals) {
    signals_.count_from(0, 0);
    signals_.watch(watcher);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { signals_.watch(nullptr); }

 private:
  kit::Signals& signals_;
};

constexpr uint32_t kOnlyJob = 1;

}  // namespace

struct Npu::Impl {
  Impl(const config::MachineConfig& config, std::unique_ptr<units::DatapathIf> values, Control choice)
      : machine(config, std::move(values), choice) {}

  MachineJob job_of(const package::Package& package, const JobOptions& options);
  /// The next stream is that of the job, whatever its number. Firmware that starts something before, or a second time,
  /// starts nothing.
  void expect(MachineJob& job);
  void run_direct(MachineJob& job, const HandedJob& handed);
  void run_by_firmware(MachineJob& job, const HandedJob& handed);
  void finish_by_firmware(MachineJob& job);

  Machine machine;
};

/// It has all of both memories.
MachineJob Npu::Impl::job_of(const package::Package& package, const JobOptions& options) {
  const int64_t watchdog_cycles =
      options.watchdog_cycles > 0 ? options.watchdog_cycles : default_watchdog_cycles(machine.config);
  MachineJob job{kOnlyJob, &package, &options, watchdog_cycles, {&machine.top.sram_region, &machine.top.external_region}};
  if (!package.flow.steps.empty()) job.flow.emplace(package);
  return job;
}

void Npu::Impl::expect(MachineJob& job) {
  machine.on_start([&job](uint32_t) { return job.has_started && !job.flow ? nullptr : &job; });
}

void Npu::Impl::run_direct(MachineJob& job, const HandedJob& handed) {
  machine.choose_events(job.options->events);
  expect(job);
  machine.start_directly(handed);
  machine.run_stream();
  // Drives the interrupt line; the halted processes let their events pass.
  if (std::holds_alternative<Hang>(job.result->status)) sc_core::sc_start();
  machine.clock.rethrow_failure();
}

void Npu::Impl::run_by_firmware(MachineJob& job, const HandedJob& handed) {
  ControlPath& control = *machine.control;
  const JobOptions& options = *job.options;
  control.observe(options.on_instruction);
  control.debug(options.debugger);
  const bool has_fault = units::is_of_control_system(options.injection);
  if (has_fault) control.inject(*options.injection);
  if (control.boot(options.firmware, options.on_console) && control.has_room()) {
    machine.choose_events(options.events);
    control.stop_counters_at_doorbell(!options.events.empty());
    expect(job);
    control.hand_over(handed);
    const auto is_told = [&] { return control.completion_of(handed.number) != nullptr; };
    control.run_until([&] { return is_told() || job.has_started; });
    if (job.has_started) {
      machine.run_stream();
      while (job.flow && !is_told() && control.failure().empty()) {
        control.run_until([&] { return is_told() || machine.is_running(); });
        if (!machine.is_running()) break;
        machine.run_stream();
      }
      finish_by_firmware(job);
    } else {
      control.fail(is_told() ? "the firmware ended the job without the NPU" : "the firmware did not start the job");
    }
  }
  if (!job.has_started) machine.close_unstarted(job);
  if (has_fault) job.result->injected = control.injected();
  control.stop();
}

/// The stream has ended: until the firmware has told it.
void Npu::Impl::finish_by_firmware(MachineJob& job) {
  ControlPath& control = *machine.control;
  control.run_until([&] { return control.completion_of(job.number) != nullptr; });
  if (const ControlPath::Completion* told = control.completion_of(job.number)) {
    std::string wrong = wrong_completion(job, *told);
    if (const uint32_t head = control.head(); wrong.empty() && head != 1)
      wrong = fmt::format("the firmware tells the end of one job, and HEAD is {}", head);
    VERNIER_CHECK(wrong.empty() || job.options->firmware != nullptr || job.options->injection, "{}", wrong);
    control.disbelieve(wrong);
    machine.close_flow(job, told->outcome);
    job.result->control = told->use;
  } else {
    machine.close_flow(job, spec::JobOutcome::Refused);
    control.fail("the firmware did not end the job");
  }
  if (control.failure().empty()) return;
  job.result->status = FirmwareFailure{control.failure()};
  job.result->control.reset();
}

Npu::Npu(const config::MachineConfig& config, Control control)
    : Npu(config, std::make_unique<units::KernelDatapath>(config), control) {}
Npu::Npu(const config::MachineConfig& config, std::unique_ptr<units::DatapathIf> datapath, Control control)
    : impl_(std::make_unique<Impl>(config, std::move(datapath), control)) {}
Npu::~Npu() = default;

const std::vector<kit::Signal>& Npu::signals() const { return impl_->machine.clock.signals().list(); }

JobResult Npu::run(const package::Package& package, const std::vector<base::Tensor>& inputs, const JobOptions& options) {
  Machine& machine = impl_->machine;
  VERNIER_CHECK(package.config == machine.config, "a package for {} on machine {}", package.config.name,
                machine.config.name);
  check_control_flow(package, machine.control.has_value(), options.values);
  machine.context.activate();
  const Watch watch(machine.clock.signals(), options.watcher);
  machine.power_on();
  MachineJob job = impl_->job_of(package, options);
  load_image(job.memory, package);
  write_inputs(job.memory, package, inputs);
  write_variables(job.memory, package);
  HandedJob handed = handed_job(package);
  handed.number = kOnlyJob;
  handed.sram = machine.top.sram_region.extent();
  handed.external = machine.top.external_region.extent();
  if (job.flow) protect_steps(package, handed);
  handed.watchdog_cycles = job.watchdog_cycles;
  handed.time_out_cycles = options.time_out_cycles;
  if (machine.control) {
    impl_->run_by_firmware(job, handed);
  } else {
    impl_->run_direct(job, handed);
  }
  machine.on_start({});
  if (job.result->is_done() && job.result->output_fault) job.result->status = *job.result->output_fault;
  machine.read_events(*job.result, options.events.size());
  return std::move(*job.result);
}

JobResult Npu::stopped(const package::Package& package) {
  JobOptions without_values;
  without_values.values = false;
  return impl_->machine.collect(impl_->job_of(package, without_values));
}

void Npu::rest() {
  impl_->machine.top.sram.rest();
  impl_->machine.top.external.rest();
}

}  // namespace vernier::soc
