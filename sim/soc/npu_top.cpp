// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/npu_top.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/registers.hpp"
#include "sim/soc/job_events.hpp"

#include <string>

namespace vernier::soc {

NpuTop::NpuTop(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
               units::DatapathIf& datapath)
    : kit::Module(name, clock),
      sram("sram", clock, config.sram_bytes),
      external("external", clock, spec::kMaxExternalBytes),
      sram_region("sram_region", clock, sram),
      external_region("external_region", clock, external),
      arbiter("arbiter", clock, timing::capacities_of(config)),
      token_bank("token_bank", clock),
      command_log("command_log", clock),
      hazard_checker("hazard_checker", clock, config.datapath),
      rescale_unit("rescale_unit", clock),
      table_unit("table_unit", clock),
      dma("dma", clock, config),
      mac_array("mac_array", clock, config, datapath),
      vector_unit("vector_unit", clock, config, datapath),
      command_processor("command_processor", clock, config),
      fault_injector("fault_injector", clock),
      register_file("register_file", clock, config),
      pmu("pmu", clock),
      sram_alignment_bytes_(int64_t{spec::kNumSramBanks} * config.datapath.lanes) {
  bind_memories();
  bind_queue(dma.channel0);
  bind_queue(dma.channel1);
  bind_queue(mac_array);
  bind_queue(vector_unit);
  mac_array.rescale_port(rescale_unit);
  vector_unit.rescale_port(rescale_unit);

  command_processor.phase_port(arbiter);
  fault_injector.phase_port(arbiter);
  command_processor.log_port(command_log);
  command_processor.dma0_port(dma.channel0);
  command_processor.dma1_port(dma.channel1);
  command_processor.mac_port(mac_array);
  command_processor.vector_port(vector_unit);
  hazard_checker.log_port(command_log);
  command_log.status_port(register_file);

  register_file.start_port(command_processor);
  register_file.job_port(*this);
  register_file.irq_o(irq);
  host_initiator.bind(register_file.registers_target);

  sram.protect(config.sram_protection == spec::SramProtection::Parity);

  pmu.counts_port(*this);
  pmu.interrupt_o(pmu_irq);
  pmu_initiator.bind(pmu.registers_target);
}

void NpuTop::bind_memories() {
  for (units::DmaChannel* channel : {&dma.channel0, &dma.channel1}) {
    channel->sram_initiator.bind(sram_region.access_target);
    channel->external_initiator.bind(external_region.access_target);
  }
  mac_array.sram_port(sram_region);
  vector_unit.sram_port(sram_region);
  hazard_checker.sram_port(sram_region);
  hazard_checker.external_port(external_region);
  command_processor.sram_port(sram_region);
  command_processor.external_port(external_region);
}

void NpuTop::bind_queue(units::QueuedUnit& unit) {
  unit.phase_port(arbiter);
  unit.token_port(token_bank);
  unit.hazard_port(hazard_checker);
  unit.log_port(command_log);
  unit.table_port(table_unit);
}

void NpuTop::reset() {
  sram.reset();
  external.reset();
  sram_region.reset();
  external_region.reset();
  reset_units();
  command_log.reset();
  register_file.reset();
  pmu.reset();
}

void NpuTop::reset_units() {
  pmu.count();
  arbiter.reset();
  token_bank.reset();
  hazard_checker.reset();
  rescale_unit.reset();
  table_unit.reset();
  dma.reset();
  mac_array.reset();
  vector_unit.reset();
  command_processor.reset();
  fault_injector.reset();
  sram.clear_parity_errors();
  pmu.begin_anew();
}

void NpuTop::place_regions(const mem::RegionExtent& of_sram, const mem::RegionExtent& of_external) {
  sram_region.place(of_sram, sram_alignment_bytes_);
  external_region.place(of_external, spec::kExternalRegionAlignmentBytes);
}

namespace {

/// Calls `visit` with what counts the cycles of a unit.
template <typename Visit>
auto with_tracker(NpuTop& top, spec::EventSource unit, Visit&& visit) {
  using spec::EventSource;
  switch (unit) {
    case EventSource::MacArray: return visit(top.mac_array.tracker());
    case EventSource::VectorUnit: return visit(top.vector_unit.tracker());
    case EventSource::RescaleUnit: return visit(top.rescale_unit.tracker());
    case EventSource::TableUnit: return visit(top.table_unit.tracker());
    case EventSource::Dma: return visit(top.dma.tracker());
    case EventSource::CommandProcessor: return visit(top.command_processor.tracker());
    default: break;
  }
  throw base::InternalError("no unit counts the cycles of event source " + std::to_string(static_cast<uint32_t>(unit)));
}

int64_t count_of(const kit::StateTracker& tracker, uint32_t index) {
  if (index == spec::kBusyEvent) return tracker.cycles(kit::Bucket::busy());
  if (index == spec::kIdleEvent) return tracker.cycles(kit::Bucket::idle());
  return tracker.cycles(kit::Bucket::stall(index - spec::kFirstStallEvent));
}

int64_t count_of(const units::LanesTracker& tracker, uint32_t index) {
  if (index == spec::kBusyEvent) return tracker.busy_cycles();
  return index == spec::kIdleEvent ? tracker.idle_cycles() : tracker.waiting_cycles();
}

}  // namespace

/// A reset of the units comes too late to empty the report.
void NpuTop::close_counts() {
  closed_counts_ = kit::Statistics("units");
  for (const spec::CountedUnit& unit : spec::kCountedUnits) {
    with_tracker(*this, unit.source, [&](auto& tracker) {
      tracker.finish(now());
      tracker.report(closed_counts_.child(unit.name));
    });
  }
}

int64_t NpuTop::event_count(spec::EventSource source, uint32_t index) {
  using spec::EventSource;
  switch (source) {
    case EventSource::None:
    case EventSource::ControlCpu: return 0;  // not the NPU's
    case EventSource::Memory:
      if (static_cast<spec::MemoryEvent>(index) == spec::MemoryEvent::SramParityErrors) return sram.num_parity_errors();
      return count_of(static_cast<spec::MemoryEvent>(index), command_log.traffic());
    case EventSource::Commands: return command_log.num_retired();
    default: return with_tracker(*this, source, [index](const auto& tracker) { return count_of(tracker, index); });
  }
}

}  // namespace vernier::soc
