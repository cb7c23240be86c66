// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/system_bus.hpp"

#include "hw/base/division.hpp"

#include <array>
#include <utility>

namespace vernier::soc {

namespace {
bool is_in(uint64_t base, uint64_t size_bytes, uint64_t address) { return address >= base && address - base < size_bytes; }
}  // namespace

SystemBus::SystemBus(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config)
    : kit::Module(name, clock), config_(config) {
  cpu_target.register_b_transport(this, &SystemBus::b_transport);
}

SystemBus::Target SystemBus::target_of(uint64_t address) {
  using spec::RegionId;
  const std::array<std::pair<RegionId, Target>, 3> regions{
      {{RegionId::Sram, {&sram_initiator, spec::CpuPlace::Sram}},
       {RegionId::Registers, {&npu_initiator, spec::CpuPlace::NpuRegister}},
       {RegionId::External, {&external_initiator, spec::CpuPlace::External}}}};
  for (const auto& [id, target] : regions) {
    const spec::Region& region = spec::memory_region(id);
    if (is_in(region.base, region.size_bytes, address)) return {target.socket, target.place, address - region.base};
  }
  const std::array<std::pair<spec::CpuWindowId, Initiator*>, 6> windows{
      {{spec::CpuWindowId::Mailbox, &mailbox_initiator},
       {spec::CpuWindowId::Interrupts, &interrupts_initiator},
       {spec::CpuWindowId::Console, &console_initiator},
       {spec::CpuWindowId::Timer, &timer_initiator},
       {spec::CpuWindowId::Watchdog, &watchdog_initiator},
       {spec::CpuWindowId::Pmu, &pmu_initiator}}};
  for (const auto& [id, socket] : windows) {
    const uint64_t base = spec::cpu_window_base(id);
    if (is_in(base, spec::cpu_window(id).size_bytes, address))
      return {socket, spec::CpuPlace::SystemRegister, address - base};
  }
  const uint64_t shared = spec::cpu_window_base(spec::CpuWindowId::Shared);
  if (is_in(shared, spec::cpu_window(spec::CpuWindowId::Shared).size_bytes, address))
    return {&shared_initiator, spec::CpuPlace::SystemRegister, address - shared};
  return {};
}

int64_t SystemBus::cycles_of(spec::CpuPlace place, bool is_read, int64_t num_bytes) const {
  const spec::CpuAccessCycles& access = spec::cpu_access(place);
  const int64_t cycles = is_read ? access.load_cycles : access.store_cycles;
  if (place != spec::CpuPlace::External) return cycles;
  return cycles + config_.external.latency_cycles + beats_of(num_bytes);
}

int64_t SystemBus::beats_of(int64_t num_bytes) const { return base::ceil_div(num_bytes, config_.external.bytes_per_cycle); }

/// A word of SRAM in a cycle; all bytes of the external memory's beats.
void SystemBus::share(spec::CpuPlace place, bool is_read, int64_t num_bytes) {
  using timing::Resource;
  timing::Phase access;
  const auto take = [&](Resource of_read, Resource of_write, int64_t cycles, int64_t amount) {
    access.cycles = access.busy_cycles = cycles;
    access.demand[static_cast<size_t>(is_read ? of_read : of_write)] = amount;
    memories_port->take(access);
  };
  if (place == spec::CpuPlace::Sram) take(Resource::SramRead, Resource::SramWrite, 1, 1);
  if (place != spec::CpuPlace::External) return;
  const base::Ratio per_cycle = config_.external.bytes_per_cycle;
  const int64_t beats = beats_of(num_bytes);
  take(Resource::ExternalRead, Resource::ExternalWrite, beats, beats * per_cycle.numerator() / per_cycle.denominator());
}

void SystemBus::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const Target target = target_of(transaction.get_address());
  delay += kit::to_time(cycles_of(target.place, transaction.is_read(), transaction.get_data_length()));
  if (target.socket == nullptr) return transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (error_.happens(now())) return transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  share(target.place, transaction.is_read(), transaction.get_data_length());
  const uint64_t address = transaction.get_address();
  transaction.set_address(target.offset_bytes);
  (*target.socket)->b_transport(transaction, delay);
  transaction.set_address(address);
}

}  // namespace vernier::soc
