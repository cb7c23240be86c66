// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/register_file.hpp"

#include "hw/base/error.hpp"
#include "sim/soc/register_block.hpp"

namespace vernier::soc {

namespace {

constexpr size_t index_of(std::string_view name) { return register_index(spec::kRegisters, name); }

constexpr size_t kControl = index_of("CONTROL");
constexpr size_t kIrqStatus = index_of("IRQ_STATUS");
constexpr size_t kIrqEnable = index_of("IRQ_ENABLE");
constexpr size_t kPmuCyclesLow = index_of("PMU_CYCLES_LOW");
constexpr size_t kPmuCyclesHigh = index_of("PMU_CYCLES_HIGH");
constexpr uint32_t kControlStart = 1, kControlReset = 2;
constexpr uint32_t kStatusRunning = 1, kStatusDone = 2, kStatusFault = 4;
constexpr uint32_t kIrqDone = 1, kIrqFault = 2, kIrqWatchdog = 4;

}  // namespace

RegisterFile::RegisterFile(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {
  registers_target.register_b_transport(this, &RegisterFile::b_transport);
  SC_METHOD(interrupt_method);
  sensitive << interrupt_event_;
  dont_initialize();
}

uint32_t& RegisterFile::value_of(std::string_view name) {
  const size_t index = index_of(name);
  VERNIER_CHECK(index < values_.size(), "no register {}", name);
  return values_[index];
}

void RegisterFile::reset() {
  for (size_t i = 0; i < values_.size(); ++i) values_[i] = spec::kRegisters[i].reset;
  interrupt_event_.notify(sc_core::SC_ZERO_TIME);
}

void RegisterFile::b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  serve_registers(
      spec::kRegisters, transaction, [&](size_t index) { return read(index); },
      [&](size_t index, uint32_t value) { write(index, value); });
}

uint32_t RegisterFile::read(size_t index) const {
  const auto cycles = static_cast<uint64_t>(now());
  if (index == kPmuCyclesLow) return static_cast<uint32_t>(cycles);
  if (index == kPmuCyclesHigh) return static_cast<uint32_t>(cycles >> 32);
  return values_[index];
}

void RegisterFile::write(size_t index, uint32_t value) {
  switch (spec::kRegisters[index].access) {
    case spec::Access::ReadOnly:
    case spec::Access::WriteOnly: return;
    case spec::Access::WriteOneToClear: values_[index] &= ~value; break;
    case spec::Access::ReadWrite: values_[index] = value; break;
  }
  if (index == kControl) write_control(value);
  interrupt_event_.notify(sc_core::SC_ZERO_TIME);
}

void RegisterFile::write_control(uint32_t value) {
  values_[kControl] = 0;
  if ((value & kControlReset) != 0) {
    reset_port->reset_units();
    value_of("STATUS") = 0;
  }
  if ((value & kControlStart) == 0 || value_of("STATUS") == kStatusRunning) return;
  if (on_start_) on_start_();
  value_of("STATUS") = kStatusRunning;
  const auto space = value_of("STREAM_SPACE") == 0 ? base::MemorySpace::Sram : base::MemorySpace::External;
  start_port->start_stream({{space, value_of("STREAM_ADDRESS")}, value_of("STREAM_BYTES")});
}

void RegisterFile::set_done() {
  value_of("STATUS") = kStatusDone;
  raise_interrupt(kIrqDone);
}

void RegisterFile::set_fault(spec::FaultCode code, int64_t stream_offset_bytes) {
  value_of("STATUS") = kStatusFault;
  value_of("FAULT_CODE") = static_cast<uint32_t>(code);
  value_of("FAULT_ADDRESS") = static_cast<uint32_t>(stream_offset_bytes);
  raise_interrupt(kIrqFault);
}

void RegisterFile::set_watchdog() {
  value_of("STATUS") = 0;
  raise_interrupt(kIrqWatchdog);
}

void RegisterFile::count_command() { ++value_of("PMU_COMMANDS"); }

void RegisterFile::raise_interrupt(uint32_t bits) {
  values_[kIrqStatus] |= bits;
  interrupt_event_.notify(sc_core::SC_ZERO_TIME);
}

/// Not guarded: the line rises when the job has stopped.
void RegisterFile::interrupt_method() { irq_o.write((values_[kIrqStatus] & values_[kIrqEnable]) != 0); }

}  // namespace vernier::soc
