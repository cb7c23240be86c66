// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/device.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/soc/completion_check.hpp"
#include "sim/soc/device_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::soc {

Device::Device(const config::MachineConfig& config, DeviceOptions options)
    : impl_(std::make_unique<Impl>(config, std::move(options))) {
  impl_->machine.keep_time(true);
  impl_->machine.on_start([this](uint32_t number) { return impl_->starting(number); });
  power_on();
}
Device::~Device() = default;

void Device::power_on() {
  impl_->forget_all();
  Machine& machine = impl_->machine;
  machine.power_on();
  if (!machine.control) return;
  machine.control->observe(impl_->options.on_instruction);
  if (!machine.control->boot(impl_->options.firmware, impl_->options.on_console))
    throw FirmwareError("firmware", machine.control->failure());
}

void Device::rest() {
  impl_->forget_all();
  impl_->machine.top.sram.rest();
  impl_->machine.top.external.rest();
}

void Device::Impl::forget_all() {
  for (const auto& [number, job] : jobs) VERNIER_CHECK(job.record.has_ended(), "job {} has not ended", number);
  for (const auto& [number, network] : networks) {
    sram_map.free(number);
    external_map.free(number);
  }
  networks.clear();
  jobs.clear();
  num_networks = num_jobs = 0;
  running.reset();
  last_sign_cycle = direct_cycle = 0;
  has_system_fault = false;
  failure.clear();
}

ResidentNetwork& Device::Impl::network(int32_t number) {
  const auto found = networks.find(number);
  VERNIER_CHECK(found != networks.end(), "no network {}", number);
  return found->second;
}

AcceptedJob& Device::Impl::job(int32_t number) {
  const auto found = jobs.find(number);
  VERNIER_CHECK(found != jobs.end(), "no job {}", number);
  return found->second;
}

/// Another device may have been the last that ran: the time is that of this one's simulation.
int64_t Device::Impl::now() const {
  machine.context.activate();
  if (machine.control) return machine.control->now();
  return direct_cycle + (machine.is_running() ? machine.clock.now() : 0);
}

// ------------------------------------------------------------------------------------------------------------- networks

int32_t Device::load(package::Package package, const std::string& file) {
  check_machine(file.empty() ? package.model_name : file, package, config());
  check_control_flow(package, impl_->machine.control.has_value(), true);
  const PackageExtents extents = extents_of(package);
  const bool keeps_sram = package.stream_address.space == base::MemorySpace::Sram ||
                          std::any_of(package.image.begin(), package.image.end(), [](const package::Segment& segment) {
                            return segment.address.space == base::MemorySpace::Sram;
                          });
  const int32_t number = ++impl_->num_networks;
  const mem::RegionExtent sram{
      impl_->sram_map.place(number, extents.sram_bytes, keeps_sram ? Sharing::Alone : Sharing::Scratch, package.model_name,
                            "SRAM"),
      extents.sram_bytes, extents.sram_read_only_bytes};
  mem::RegionExtent external{0, extents.external_bytes, extents.external_read_only_bytes};
  try {
    external.base =
        impl_->external_map.place(number, extents.external_bytes, Sharing::Alone, package.model_name, "external memory");
  } catch (...) {
    impl_->sram_map.free(number);
    throw;
  }
  ResidentNetwork& network =
      impl_->networks.try_emplace(number, std::move(package), extents, impl_->machine.top, sram, external).first->second;
  load_image(network.memory(), network.package);
  network.writes_image = image_end(network.package, base::MemorySpace::Sram) > extents.sram_read_only_bytes ||
                         image_end(network.package, base::MemorySpace::External) > extents.external_read_only_bytes;
  return number;
}

void Device::unload(int32_t network) {
  if (impl_->network(network).num_jobs > 0)
    throw base::UserError(impl_->network(network).package.model_name, "{} of it {} not ended; it stays loaded",
                          base::counted(impl_->network(network).num_jobs, "job"),
                          impl_->network(network).num_jobs == 1 ? "has" : "have");
  impl_->networks.erase(network);
  impl_->sram_map.free(network);
  impl_->external_map.free(network);
}

// ----------------------------------------------------------------------------------------------------------------- jobs

int32_t Device::submit(JobRequest request) {
  ResidentNetwork& network = impl_->network(request.network);
  check_inputs(network.package, request.inputs);
  if (request.events.size() > spec::kNumPmuCounters)
    throw base::UserError(network.package.model_name, "{} events to count, allowed are 0 to {}", request.events.size(),
                          spec::kNumPmuCounters);
  check_control_flow(network.package, impl_->machine.control.has_value(), request.values);
  const int32_t number = ++impl_->num_jobs;
  AcceptedJob& job = impl_->jobs[number];
  job.record.network = request.network;
  job.record.arrival_cycle = std::max(request.arrival_cycle, now());
  job.options.values = request.values;
  job.options.injection = request.injection;
  job.request = std::move(request);
  const int64_t watchdog_cycles =
      job.request.watchdog_cycles > 0 ? job.request.watchdog_cycles : default_watchdog_cycles(config());
  job.machine_job = {static_cast<uint32_t>(number), &network.package, &job.options, watchdog_cycles, network.memory()};
  if (!network.package.flow.steps.empty()) job.machine_job.flow.emplace(network.package);
  job.machine_job.before_start = [this, &job] { impl_->before_start(job); };
  ++network.num_jobs;
  return number;
}

bool Device::cancel(int32_t number) {
  impl_->machine.context.activate();
  AcceptedJob& job = impl_->job(number);
  if (job.record.has_ended()) return false;
  if (!job.is_handed_over) {
    impl_->end_job(number, job, spec::JobOutcome::Cancelled, now());
  } else if (impl_->machine.control) {
    impl_->machine.control->cancel(static_cast<uint32_t>(number));
  } else {
    impl_->machine.access_register("CONTROL", tlm::TLM_WRITE_COMMAND, 2);
    impl_->direct_cycle += job.machine_job.result->cycles;
    impl_->end_job(number, job, spec::JobOutcome::Cancelled, now());
  }
  return true;
}

// ----------------------------------------------------------------------------------------------------------------- time

bool Device::run_until_ended(int32_t number, std::optional<int64_t> most_cycles) {
  impl_->machine.context.activate();
  std::optional<int64_t> deadline_cycle;
  if (most_cycles) deadline_cycle = now() + std::min(*most_cycles, INT64_MAX / 2 - now());
  while (!job(number).has_ended()) {
    if (!failure().empty() || (deadline_cycle && now() >= *deadline_cycle)) return false;
    if (!impl_->step(deadline_cycle) && !job(number).has_ended() && !deadline_cycle) return false;
  }
  return true;
}

void Device::run_for(int64_t cycles) {
  impl_->machine.context.activate();
  const int64_t deadline_cycle = now() + cycles;
  while (now() < deadline_cycle && failure().empty()) impl_->step(deadline_cycle);
}

void Device::run_until_idle() {
  impl_->machine.context.activate();
  const auto is_busy = [this] {
    return std::any_of(impl_->jobs.begin(), impl_->jobs.end(),
                       [](const auto& entry) { return !entry.second.record.has_ended(); });
  };
  while (is_busy() && impl_->step(std::nullopt)) {
  }
}

bool Device::step_command() {
  Machine& machine = impl_->machine;
  machine.context.activate();
  machine.stop_at_commands(true);
  bool goes_on = true;
  while (goes_on && machine.ended_commands().empty()) goes_on = impl_->step(std::nullopt);
  machine.stop_at_commands(false);
  return !machine.ended_commands().empty();
}

// ------------------------------------------------------------------------------------------------------------ questions

void Device::read(int32_t network, base::Address from, std::span<std::byte> to) const {
  const mem::StorageView storage = impl_->network(network).memory().of(from.space).storage();
  const auto bytes = storage.bytes().subspan(static_cast<size_t>(from.offset), to.size());
  std::copy(bytes.begin(), bytes.end(), to.begin());
  // A job before may have left something in bytes that count as unwritten.
  const auto begin = static_cast<int64_t>(from.offset), end = begin + static_cast<int64_t>(to.size());
  for (auto at = storage.first_unwritten(begin, end - begin); at; at = storage.first_unwritten(*at + 1, end - *at - 1))
    to[static_cast<size_t>(*at - begin)] = std::byte{0};
}

const std::vector<EndedCommand>& Device::stepped_commands() const { return impl_->machine.ended_commands(); }

uint32_t Device::read_register(std::string_view name) const {
  impl_->machine.context.activate();
  return impl_->machine.access_register(name, tlm::TLM_READ_COMMAND);
}

const package::Package& Device::network(int32_t network) const { return impl_->network(network).package; }
NetworkPlace Device::place(int32_t network) const {
  const ResidentNetwork& found = impl_->network(network);
  return {found.sram.extent().base, found.sram.extent().size_bytes, found.external.extent().base,
          found.external.extent().size_bytes};
}
bool Device::has_network(int32_t network) const { return impl_->networks.count(network) > 0; }
bool Device::has_job(int32_t job) const { return impl_->jobs.count(job) > 0; }
const DeviceJob& Device::job(int32_t job) const { return impl_->job(job).record; }
DeviceJob Device::take(int32_t number) {
  AcceptedJob& job = impl_->job(number);
  VERNIER_CHECK(job.record.has_ended(), "job {} has not ended", number);
  DeviceJob record = std::move(job.record);
  impl_->jobs.erase(number);
  return record;
}
int64_t Device::now() const { return impl_->now(); }
int64_t Device::boot_cycles() const { return impl_->machine.control ? impl_->machine.control->boot_cycles() : 0; }
const std::string& Device::failure() const { return impl_->failure; }
const config::MachineConfig& Device::config() const { return impl_->machine.config; }

}  // namespace vernier::soc
