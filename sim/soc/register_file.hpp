// SPDX-License-Identifier: Apache-2.0
// The registers of hw/spec/registers.hpp: how a host or the control CPU starts a job and learns how it ended.
//
// Contract: TLM-2.0 b_transport from any number of initiators, one aligned 32-bit register a transaction; anything else
// gives an error response. What CONTROL starts, commits and resets is in hw/spec/registers.hpp. The interrupt line is high
// while IRQ_STATUS & IRQ_ENABLE is not 0. Timing: a committed job starts kCommitCycles after the end of the one before it;
// what an access takes is the bus's (sim/soc/system_bus.hpp).
#pragma once

#include "hw/spec/registers.hpp"
#include "sim/kit/module.hpp"
#include "sim/mem/region.hpp"
#include "sim/units/command_log.hpp"
#include "sim/units/command_processor.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <array>
#include <optional>
#include <string_view>

namespace vernier::soc {

/// What a job's registers do to the machine around the command processor.
class JobIf : public virtual sc_core::sc_interface {
 public:
  virtual void reset_units() = 0;
  virtual void place_regions(const mem::RegionExtent& sram, const mem::RegionExtent& external) = 0;
};

/// Somebody outside the machine who follows its jobs. All calls come in the cycle in which it happens.
class JobObserver {
 public:
  virtual ~JobObserver() = default;
  /// Before a stream starts; `job` is the register's.
  virtual void starting(uint32_t job, const units::StreamLocation& stream) = 0;
  /// Before a stream that runs is ended by a reset of the units.
  virtual void resetting() = 0;
  /// A stream has ended by itself.
  virtual void ended() = 0;
};

/// The value of the register FAULT_ACCESS.
inline uint32_t access_word(const std::optional<base::Address>& access) {
  return access ? spec::fault_access(access->space == base::MemorySpace::External, access->offset) : spec::kNoFaultAccess;
}

class RegisterFile : public kit::Module, public units::StatusIf {
 public:
  RegisterFile(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config);
  tlm_utils::multi_passthrough_target_socket<RegisterFile> registers_target{"registers_target"};
  sc_core::sc_out<bool> irq_o{"irq_o"};
  sc_core::sc_port<units::StartIf> start_port{"start_port"};
  sc_core::sc_port<JobIf> job_port{"job_port"};

  void reset() override;
  void set_done() override;
  void set_fault(spec::FaultCode code, int64_t stream_offset_bytes, std::optional<base::Address> access) override;
  void set_watchdog();
  /// A fault: a bit of the register with that index in spec::kRegisters changes.
  void flip(size_t index, int bit);
  void count_command() override;

  /// Null: nobody.
  void observe(JobObserver* observer) { observer_ = observer; }
  [[nodiscard]] bool is_running() const { return job_.has_value(); }

 private:
  /// How a stream ended.
  struct End {
    uint32_t status = 0, irq_bits = 0;
    spec::FaultCode fault = spec::FaultCode::None;
    int64_t fault_address = 0;
    uint32_t fault_access = spec::kNoFaultAccess;
    uint32_t job = 0;
    int64_t cycles = 0;
  };
  SC_HAS_PROCESS(RegisterFile);
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  [[nodiscard]] uint32_t read(size_t index) const;
  void write(size_t index, uint32_t value);
  void write_control(uint32_t value);
  void reset_units();
  void start();
  void commit_method();
  void end(End end);
  void tell(const End& end);
  [[nodiscard]] uint32_t& value_of(std::string_view name);
  [[nodiscard]] mem::RegionExtent region_of(std::string_view name, int64_t memory_bytes);
  void interrupt_method();

  int64_t lanes_, sram_bytes_, external_bytes_;
  std::array<uint32_t, spec::kRegisters.size()> values_{};
  JobObserver* observer_ = nullptr;
  std::optional<uint32_t> job_;  // of the stream that runs, or whose end waits
  std::optional<End> held_end_;  // until IRQ_STATUS is 0
  bool is_committed_ = false;    // a job waits for the end of the one that runs
  sc_core::sc_event interrupt_event_{"interrupt_event"}, commit_event_{"commit_event"};
};

}  // namespace vernier::soc
