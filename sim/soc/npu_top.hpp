// SPDX-License-Identifier: Apache-2.0
// The machine's modules and the wires between them; nothing else.
#pragma once

#include "hw/config/machine_config.hpp"
#include "sim/mem/in_flight_arbiter.hpp"
#include "sim/mem/memory.hpp"
#include "sim/mem/region.hpp"
#include "sim/soc/pmu.hpp"
#include "sim/soc/register_file.hpp"
#include "sim/units/command_log.hpp"
#include "sim/units/command_processor.hpp"
#include "sim/units/datapath.hpp"
#include "sim/units/dma.hpp"
#include "sim/units/fault_injector.hpp"
#include "sim/units/hazard_checker.hpp"
#include "sim/units/mac_array.hpp"
#include "sim/units/rescale_unit.hpp"
#include "sim/units/table_unit.hpp"
#include "sim/units/token_bank.hpp"
#include "sim/units/vector_unit.hpp"

#include <tlm_utils/simple_initiator_socket.h>

#include <array>

namespace vernier::soc {

class NpuTop : public kit::Module, public JobIf, public EventCountsIf {
 public:
  NpuTop(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
         units::DatapathIf& datapath);

  mem::Memory sram, external;
  mem::Region sram_region, external_region;  // of the job that runs; the units see nothing else of the memories
  mem::InFlightArbiter arbiter;
  units::TokenBank token_bank;
  units::CommandLog command_log;
  units::HazardChecker hazard_checker;
  units::RescaleUnit rescale_unit;
  units::TableUnit table_unit;
  units::Dma dma;
  units::MacArray mac_array;
  units::VectorUnit vector_unit;
  units::CommandProcessor command_processor;
  units::FaultInjector fault_injector;
  RegisterFile register_file;
  Pmu pmu;
  sc_core::sc_signal<bool> irq{"irq"};          // driven by the register file's one process
  sc_core::sc_signal<bool> pmu_irq{"pmu_irq"};  // driven by the performance counters' one process
  /// The host's side of the register file and of the performance counters.
  tlm_utils::simple_initiator_socket<NpuTop> host_initiator{"host_initiator"}, pmu_initiator{"pmu_initiator"};

  [[nodiscard]] std::array<units::QueuedUnit*, spec::kNumQueues> queued_units() {
    return {&dma.channel0, &dma.channel1, &mac_array, &vector_unit};
  }

  void reset() override;
  void reset_units() override;
  void place_regions(const mem::RegionExtent& of_sram, const mem::RegionExtent& of_external) override;
  void close_counts() override;
  /// What each unit counted for the stream that ended last; the report prints it.
  [[nodiscard]] const kit::Statistics& closed_counts() const { return closed_counts_; }
  [[nodiscard]] int64_t event_count(spec::EventSource source, uint32_t index) override;

 private:
  void bind_queue(units::QueuedUnit& unit);
  void bind_memories();

  int64_t sram_alignment_bytes_;
  kit::Statistics closed_counts_{"units"};
};

}  // namespace vernier::soc
