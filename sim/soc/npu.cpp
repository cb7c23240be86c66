// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/npu.hpp"

#include "hw/base/error.hpp"
#include "sim/kit/simulation_context.hpp"
#include "sim/soc/control_path.hpp"
#include "sim/soc/firmware_image.hpp"
#include "sim/soc/npu_top.hpp"
#include "sim/soc/register_block.hpp"
#include "sim/soc/tensor_access.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace vernier::soc {

int64_t default_watchdog_cycles(const config::MachineConfig& config) {
  // The longest useful command copies the whole SRAM; anything else is well below the first term.
  constexpr int64_t kFloorCycles = int64_t{1} << 24;
  return kFloorCycles + 2 * base::ceil_div(config.sram_bytes, config.external.bytes_per_cycle);
}

struct Npu::Impl {
  Impl(const config::MachineConfig& machine, std::unique_ptr<units::DatapathIf> values, Control choice)
      : config(machine), datapath(std::move(values)), top("npu", clock, machine, *datapath) {
    if (choice == Control::Cpu) {
      control.emplace(machine, top, clock);
      top.register_file.on_start([this] { start_by_firmware(); });
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates
  }
  ~Impl() { context.activate(); }

  void load(const package::Package& package, const std::vector<base::Tensor>& inputs);
  void set_up(const package::Package& package, const JobOptions& options, int64_t watchdog_cycles);
  void begin(const package::Package& package, const JobOptions& options);
  void run_direct(const package::Package& package, const JobOptions& options, int64_t watchdog_cycles);
  void run_by_firmware(const package::Package& package, const JobOptions& options, int64_t watchdog_cycles);
  void start_by_firmware();
  [[nodiscard]] std::string wrong_completion() const;
  void simulate(int64_t watchdog_cycles);
  void capture_pieces(const package::Package& package, const PieceObserver& observer, int32_t command_idx, int64_t cycle);
  void inject(const package::Package& package, const units::Injection& injection);
  JobStatus status();
  std::string wait_for_graph();
  JobResult collect(const package::Package& package, const JobOptions& options);
  void write_register(std::string_view name, uint32_t value);
  uint32_t access_pmu(std::string_view name, tlm::tlm_command command, uint32_t value = 0);
  void choose_events(const std::vector<uint32_t>& events);
  void read_events(JobResult& result, size_t num_events);
  void end_clock();
  mem::Memory& memory_of(base::MemorySpace space) { return space == base::MemorySpace::Sram ? top.sram : top.external; }

  config::MachineConfig config;
  std::unique_ptr<units::DatapathIf> datapath;
  kit::SimulationContext context;  // before the modules
  kit::JobClock clock;
  NpuTop top;
  std::optional<ControlPath> control;   // with a control CPU
  std::function<void()> at_next_start;  // a job waits for the firmware to start it
  bool is_watchdog = false;
};

namespace {
/// Somebody watches while this lives.
class Watch {
 public:
  Watch(kit::Signals& signals, kit::SignalObserver* watcher) : signals_(signals) { signals_.watch(watcher); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { signals_.watch(nullptr); }

 private:
  kit::Signals& signals_;
};
}  // namespace

void Npu::Impl::write_register(std::string_view name, uint32_t value) {
  access_register(top.host_initiator, spec::kRegisters, name, tlm::TLM_WRITE_COMMAND, value);
}

uint32_t Npu::Impl::access_pmu(std::string_view name, tlm::tlm_command command, uint32_t value) {
  return access_register(top.pmu_initiator, spec::kPmuRegisters, name, command, value);
}

/// Counting begins here; until the stream starts nothing happens in the NPU.
void Npu::Impl::choose_events(const std::vector<uint32_t>& events) {
  VERNIER_CHECK(events.size() <= spec::kNumPmuCounters, "{} events for {} counters", events.size(), spec::kNumPmuCounters);
  if (events.empty()) return;
  for (size_t i = 0; i < events.size(); ++i) access_pmu(fmt::format("EVENT_{}", i), tlm::TLM_WRITE_COMMAND, events[i]);
  access_pmu("CONTROL", tlm::TLM_WRITE_COMMAND, spec::kPmuCounts | spec::kPmuClears);
}

void Npu::Impl::read_events(JobResult& result, size_t num_events) {
  if (num_events == 0) return;
  const auto read = [this](const std::string& name) { return access_pmu(name, tlm::TLM_READ_COMMAND); };
  for (size_t i = 0; i < num_events; ++i) result.event_counts.push_back(read(fmt::format("COUNT_{}", i)));
  result.pmu_cycles = static_cast<int64_t>(uint64_t{read("CYCLES_HIGH")} << 32 | read("CYCLES_LOW"));
}

/// The job ends in this cycle.
void Npu::Impl::end_clock() {
  clock.halt();
  top.pmu.count();
}

void Npu::Impl::load(const package::Package& package, const std::vector<base::Tensor>& inputs) {
  const auto write = [&](base::Address address, std::span<const std::byte> bytes) {
    mem::Memory& memory = memory_of(address.space);
    const auto offset = static_cast<int64_t>(address.offset);
    VERNIER_CHECK(memory.storage().contains(offset, static_cast<int64_t>(bytes.size())),
                  "{} bytes at {} lie outside the memory", bytes.size(), address);
    memory.write(offset, bytes);
  };
  for (const package::Segment& segment : package.image) write(segment.address, segment.bytes);
  write(package.stream_address, package.stream);
  VERNIER_CHECK(inputs.size() == package.inputs.size(), "{} inputs are given, the package has {}", inputs.size(),
                package.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const package::TensorEntry& entry = package.tensors[package.inputs[i]];
    VERNIER_CHECK(inputs[i].type() == entry.type && inputs[i].shape() == entry.shape,
                  "input {} is {} {}, the package has {} {}", entry.name, base::to_string(inputs[i].type()),
                  base::to_string(inputs[i].shape()), base::to_string(entry.type), base::to_string(entry.shape));
    write_tensor(memory_of(entry.placement.base.space), entry.placement, inputs[i]);
  }
}

void Npu::Impl::capture_pieces(const package::Package& package, const PieceObserver& observer, int32_t command_idx,
                               int64_t cycle) {
  auto piece = std::lower_bound(package.pieces.begin(), package.pieces.end(), command_idx,
                                [](const package::Piece& p, int32_t index) { return p.command_idx < index; });
  for (; piece != package.pieces.end() && piece->command_idx == command_idx; ++piece) {
    const package::TensorEntry& entry = package.tensors[piece->tensor_idx];
    const mem::Storage& storage = memory_of(piece->placement.base.space).storage();
    observer(static_cast<int32_t>(piece - package.pieces.begin()), command_idx, cycle,
             read_box(storage, piece->placement, entry.type, piece->begin, piece->extent, piece->step));
  }
}

void Npu::Impl::set_up(const package::Package& package, const JobOptions& options, int64_t watchdog_cycles) {
  units::JobSetup setup;
  setup.command_layers = package.command_layers;
  for (const package::LayerEntry& layer : package.layers) setup.layer_names.push_back(layer.name);
  setup.has_values = options.values;
  setup.watchdog_cycles = watchdog_cycles;
  const bool has_pieces = options.values && options.on_piece;
  if (has_pieces || options.on_sram) {
    setup.on_retired = [this, &package, &options, has_pieces](int32_t command_idx, int64_t cycle) {
      if (has_pieces) capture_pieces(package, options.on_piece, command_idx, cycle);
      if (options.on_sram) options.on_sram(cycle, top.sram.storage());
    };
  }
  if (options.on_sram) options.on_sram(0, top.sram.storage());
  top.command_log.set_up(std::move(setup));
}

/// In the cycle in which the stream starts, before it does.
void Npu::Impl::begin(const package::Package& package, const JobOptions& options) {
  top.pmu.count();
  clock.begin();
  top.pmu.begin_stream();
  top.mac_array.observe_sums(options.on_sums);
  if (options.injection) inject(package, *options.injection);
}

void Npu::Impl::run_direct(const package::Package& package, const JobOptions& options, int64_t watchdog_cycles) {
  write_register("STREAM_ADDRESS", static_cast<uint32_t>(package.stream_address.offset));
  write_register("STREAM_SPACE", package.stream_address.space == base::MemorySpace::Sram ? 0 : 1);
  write_register("STREAM_BYTES", static_cast<uint32_t>(package.stream.size()));
  write_register("WATCHDOG_CYCLES", static_cast<uint32_t>(std::min<int64_t>(watchdog_cycles, UINT32_MAX)));
  write_register("IRQ_ENABLE", 7);
  choose_events(options.events);
  begin(package, options);
  write_register("CONTROL", 1);
  simulate(watchdog_cycles);
  if (is_watchdog) sc_core::sc_start();  // drives the interrupt line; the halted processes let their events pass
  clock.rethrow_failure();
}

void Npu::Impl::run_by_firmware(const package::Package& package, const JobOptions& options, int64_t watchdog_cycles) {
  const FirmwareProgram& firmware = options.firmware == nullptr ? own_firmware() : *options.firmware;
  control->observe(options.on_instruction);
  control->debug(options.debugger);
  bool is_started = false;
  if (control->boot(firmware, options.on_console)) {
    at_next_start = [this, &package, &options] { begin(package, options); };
    choose_events(options.events);
    control->stop_counters_at_doorbell(!options.events.empty());
    control->submit(package, watchdog_cycles, options.time_out_cycles);
    is_started = control->run_until_started();
    at_next_start = nullptr;
  }
  if (is_started) {
    simulate(watchdog_cycles);
    clock.rethrow_failure();
    if (control->finish()) {
      const std::string wrong = wrong_completion();
      VERNIER_CHECK(wrong.empty() || options.firmware != nullptr, "{}", wrong);
      control->disbelieve(wrong);
    }
  } else {
    clock.begin();  // a job of no cycles
    top.pmu.begin_stream();
    end_clock();
  }
  control->stop();
}

/// Where the completion is not what the machine did: one line.
std::string Npu::Impl::wrong_completion() const {
  const ControlPath::Completion& told = control->completion();
  const auto& fault = top.command_log.machine_fault();
  auto outcome = top.command_log.is_done() ? spec::JobOutcome::Done : spec::JobOutcome::Watchdog;
  if (fault) outcome = spec::JobOutcome::Fault;
  if (told.outcome != outcome || told.cycles != clock.now())
    return fmt::format("the firmware tells outcome {} after {} cycles, the machine's is {} after {}",
                       static_cast<int>(told.outcome), told.cycles, static_cast<int>(outcome), clock.now());
  if (fault && (told.fault_code != static_cast<uint32_t>(fault->code) || told.fault_address != fault->stream_offset_bytes))
    return fmt::format("the firmware tells fault {} at byte {}, the machine's is {} at byte {}", told.fault_code,
                       told.fault_address, static_cast<int>(fault->code), fault->stream_offset_bytes);
  if (told.head != 1) return fmt::format("the firmware tells the end of one job, and HEAD is {}", told.head);
  return "";
}

/// Firmware that starts something without having been given a job starts nothing: the NPU's clock does not run.
void Npu::Impl::start_by_firmware() {
  if (!at_next_start) return;
  std::exchange(at_next_start, nullptr)();
  control->job_started();
}

void Npu::Impl::inject(const package::Package& package, const units::Injection& injection) {
  switch (injection.site) {
    case units::FaultSite::Accumulator:
    case units::FaultSite::Weight: return top.mac_array.inject(injection);
    case units::FaultSite::Sram: return top.fault_injector.begin(top.sram, 0, injection);
    case units::FaultSite::Command: {
      const base::Address stream = package.stream_address;
      return top.fault_injector.begin(memory_of(stream.space), static_cast<int64_t>(stream.offset), injection);
    }
    case units::FaultSite::Token: return top.token_bank.lose(injection.cycle, injection.index.value());
  }
}

void Npu::Impl::simulate(int64_t watchdog_cycles) {
  is_watchdog = false;
  while (clock.is_running() && (!control || control->attend_debugger())) {
    const int64_t own_left = top.command_log.last_end_cycle() + watchdog_cycles - clock.now();
    const std::optional<int64_t> system_left = control ? control->watchdog_left_cycles() : std::nullopt;
    const bool is_system = system_left && *system_left < own_left;
    if (!sc_core::sc_pending_activity() && !is_system) break;
    const sc_core::sc_time left = kit::to_time(is_system ? *system_left : own_left);
    if (sc_core::sc_time_to_pending_activity() > left) {
      if (left > sc_core::SC_ZERO_TIME) sc_core::sc_start(left, sc_core::SC_RUN_TO_TIME);
      if (is_system) control->fire_watchdog();
      is_watchdog = !is_system;
      break;
    }
    // All events up to the time at which the watchdog would fire; commands that end meanwhile put it off.
    const sc_core::sc_time step = control ? control->limit(left) : left;
    sc_core::sc_start(step, sc_core::SC_EXIT_ON_STARVATION);
  }
  is_watchdog = is_watchdog || top.command_log.is_timed_out();
  end_clock();
  // Where no event is left the watchdog would fire in time; who reads the registers does not see how long that takes.
  const bool has_ended = top.command_log.is_done() || top.command_log.machine_fault();
  if (is_watchdog || (control && !has_ended)) top.register_file.set_watchdog();
}

std::string Npu::Impl::wait_for_graph() {
  std::string text;
  const std::array<const units::WaitReportIf*, 5> units{&top.command_processor, &top.dma.channel0, &top.dma.channel1,
                                                        &top.mac_array, &top.vector_unit};
  for (const units::WaitReportIf* unit : units) text += unit->wait_report();
  return text;
}

JobStatus Npu::Impl::status() {
  if (control && !control->failure().empty()) return FirmwareFailure{control->failure()};
  if (top.command_log.is_done()) return Done{};
  if (const auto& fault = top.command_log.machine_fault()) {
    return Fault{fault->code, fault->detail, fault->command_idx, fault->stream_offset_bytes};
  }
  return Hang{is_watchdog, wait_for_graph()};
}

JobResult Npu::Impl::collect(const package::Package& package, const JobOptions& options) {
  JobResult result;
  result.status = status();
  result.cycles = clock.now();
  if (control && control->failure().empty()) result.control = control->use();
  read_events(result, options.events.size());
  result.units = top.closed_counts();
  for (units::QueuedUnit* unit : top.queued_units()) result.queues[static_cast<size_t>(unit->queue())] = unit->queue_use();
  result.layers = top.command_log.attribute().layers;
  units::CommandRecords records = top.command_log.take_records();
  result.commands = std::move(records.commands);
  result.shares = std::move(records.shares);
  result.traffic = top.command_log.traffic();
  result.sram_peak_bytes = top.sram.storage().peak_bytes();
  result.num_commands = top.command_log.num_retired();
  result.num_events = clock.num_activations();
  result.num_bursts =
      base::ceil_div(result.traffic.external_read_bytes + result.traffic.external_write_bytes, config.external.burst_bytes);
  for (const auto& injected : {top.mac_array.injected(), top.fault_injector.injected(), top.token_bank.injected()}) {
    if (injected) result.injected = injected;
  }
  if (!result.is_done() || !options.values) return result;
  for (const int32_t output : package.outputs) {
    const package::TensorEntry& entry = package.tensors[output];
    const base::Shape origin(entry.shape.size(), 0);
    result.outputs.push_back(
        read_box(memory_of(entry.placement.base.space).storage(), entry.placement, entry.type, origin, entry.shape));
  }
  return result;
}

Npu::Npu(const config::MachineConfig& config, Control control)
    : Npu(config, std::make_unique<units::KernelDatapath>(config), control) {}
Npu::Npu(const config::MachineConfig& config, std::unique_ptr<units::DatapathIf> datapath, Control control)
    : impl_(std::make_unique<Impl>(config, std::move(datapath), control)) {}
Npu::~Npu() = default;

const std::vector<kit::Signal>& Npu::signals() const { return impl_->clock.signals().list(); }

JobResult Npu::run(const package::Package& package, const std::vector<base::Tensor>& inputs, const JobOptions& options) {
  VERNIER_CHECK(package.config == impl_->config, "a package for {} on machine {}", package.config.name, impl_->config.name);
  const int64_t watchdog_cycles =
      options.watchdog_cycles > 0 ? options.watchdog_cycles : default_watchdog_cycles(impl_->config);
  impl_->context.activate();
  const Watch watch(impl_->clock.signals(), options.watcher);
  if (impl_->control) impl_->control->stop();
  impl_->top.reset();
  if (impl_->control) impl_->control->reset();
  impl_->load(package, inputs);
  impl_->set_up(package, options, watchdog_cycles);
  if (impl_->control) {
    impl_->run_by_firmware(package, options, watchdog_cycles);
  } else {
    impl_->run_direct(package, options, watchdog_cycles);
  }
  return impl_->collect(package, options);
}

JobResult Npu::stopped(const package::Package& package) {
  JobOptions without_values;
  without_values.values = false;
  return impl_->collect(package, without_values);
}

}  // namespace vernier::soc
