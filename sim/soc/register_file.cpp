// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/register_file.hpp"

#include "hw/base/error.hpp"
#include "sim/soc/register_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::soc {

namespace {

constexpr size_t index_of(std::string_view name) { return register_index(spec::kRegisters, name); }

constexpr size_t kControl = index_of("CONTROL");
constexpr size_t kStatus = index_of("STATUS");
constexpr size_t kIrqStatus = index_of("IRQ_STATUS");
constexpr size_t kIrqEnable = index_of("IRQ_ENABLE");
constexpr size_t kPmuCyclesLow = index_of("PMU_CYCLES_LOW");
constexpr size_t kPmuCyclesHigh = index_of("PMU_CYCLES_HIGH");
constexpr size_t kLanes = index_of("LANES");
constexpr size_t kSramSize = index_of("SRAM_SIZE");
constexpr uint32_t kControlStart = 1, kControlReset = 2, kControlCommit = 4;
constexpr uint32_t kStatusRunning = 1, kStatusDone = 2, kStatusFault = 4, kStatusCommitted = 8;
constexpr uint32_t kIrqDone = 1, kIrqFault = 2, kIrqWatchdog = 4;

}  // namespace

RegisterFile::RegisterFile(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config)
    : kit::Module(name, clock),
      lanes_(config.datapath.lanes),
      sram_bytes_(config.sram_bytes),
      external_bytes_(spec::kMaxExternalBytes) {
  registers_target.register_b_transport(this, &RegisterFile::b_transport);
  SC_METHOD(interrupt_method);
  sensitive << interrupt_event_;
  dont_initialize();
  SC_METHOD(commit_method);
  sensitive << commit_event_;
  dont_initialize();
}

uint32_t& RegisterFile::value_of(std::string_view name) {
  const size_t index = index_of(name);
  VERNIER_CHECK(index < values_.size(), "no register {}", name);
  return values_[index];
}

void RegisterFile::reset() {
  for (size_t i = 0; i < values_.size(); ++i) values_[i] = spec::kRegisters[i].reset;
  values_[kLanes] = static_cast<uint32_t>(lanes_);
  values_[kSramSize] = static_cast<uint32_t>(sram_bytes_);
  job_.reset();
  held_end_.reset();
  is_committed_ = false;
  commit_event_.cancel();
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
  if (index == kStatus && is_committed_) return values_[index] | kStatusCommitted;
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
  if (index == kIrqStatus && values_[kIrqStatus] == 0 && held_end_) tell(*std::exchange(held_end_, std::nullopt));
  interrupt_event_.notify(sc_core::SC_ZERO_TIME);
}

void RegisterFile::write_control(uint32_t value) {
  values_[kControl] = 0;
  if ((value & kControlReset) != 0) reset_units();
  const bool is_at_fault = (values_[kIrqStatus] & (kIrqFault | kIrqWatchdog)) != 0;
  const bool commits = (value & kControlCommit) != 0 && !is_at_fault;
  if (is_running()) {
    is_committed_ = is_committed_ || commits;
  } else if ((value & kControlStart) != 0 || commits) {
    start();
  }
}

void RegisterFile::reset_units() {
  if (is_running() && observer_ != nullptr) observer_->resetting();
  job_.reset();
  held_end_.reset();
  is_committed_ = false;
  commit_event_.cancel();
  job_port->reset_units();
  values_[kStatus] = 0;
}

mem::RegionExtent RegisterFile::region_of(std::string_view name, int64_t memory_bytes) {
  const auto value = [&](std::string_view what) { return value_of(fmt::format("{}_{}", name, what)); };
  mem::RegionExtent extent{value("BASE"), value("BYTES"), value("READ_ONLY_BYTES")};
  if (extent.size_bytes == spec::kToTheEnd) extent.size_bytes = std::max<int64_t>(0, memory_bytes - extent.base);
  return extent;
}

void RegisterFile::start() {
  is_committed_ = false;
  commit_event_.cancel();
  job_ = value_of("JOB");
  const auto space = value_of("STREAM_SPACE") == 0 ? base::MemorySpace::Sram : base::MemorySpace::External;
  const units::StreamLocation stream{{space, value_of("STREAM_ADDRESS")}, value_of("STREAM_BYTES")};
  if (observer_ != nullptr) observer_->starting(*job_, stream);
  values_[kStatus] = kStatusRunning;
  value_of("PMU_COMMANDS") = 0;
  job_port->place_regions(region_of("SRAM", sram_bytes_), region_of("EXTERNAL", external_bytes_));
  start_port->start_stream(stream);
}

/// Not guarded: no stream runs, so that its clock has halted.
void RegisterFile::commit_method() {
  if (is_committed_) start();
}

void RegisterFile::set_done() { end({kStatusDone, kIrqDone}); }

void RegisterFile::set_fault(spec::FaultCode code, int64_t stream_offset_bytes, std::optional<base::Address> access) {
  end({kStatusFault, kIrqFault, code, stream_offset_bytes, access_word(access)});
}

void RegisterFile::set_watchdog() { end({0, kIrqWatchdog}); }

void RegisterFile::end(End end) {
  end.job = job_.value_or(0);
  end.cycles = now();
  if (observer_ != nullptr) observer_->ended();
  if (values_[kIrqStatus] == 0) return tell(end);
  held_end_ = end;
}

void RegisterFile::tell(const End& end) {
  job_.reset();
  values_[kStatus] = end.status;
  value_of("ENDED_JOB") = end.job;
  value_of("ENDED_CYCLES_LOW") = static_cast<uint32_t>(end.cycles);
  value_of("ENDED_CYCLES_HIGH") = static_cast<uint32_t>(static_cast<uint64_t>(end.cycles) >> 32);
  if (end.fault != spec::FaultCode::None) {
    value_of("FAULT_CODE") = static_cast<uint32_t>(end.fault);
    value_of("FAULT_ADDRESS") = static_cast<uint32_t>(end.fault_address);
    value_of("FAULT_ACCESS") = end.fault_access;
  }
  values_[kIrqStatus] |= end.irq_bits;
  interrupt_event_.notify(sc_core::SC_ZERO_TIME);
  if (end.irq_bits != kIrqDone) is_committed_ = false;
  if (is_committed_) commit_event_.notify(kit::to_time(spec::kCommitCycles));
}

void RegisterFile::flip(size_t index, int bit) {
  values_[index] ^= uint32_t{1} << static_cast<unsigned>(bit);
  interrupt_event_.notify(sc_core::SC_ZERO_TIME);
}

void RegisterFile::count_command() { ++value_of("PMU_COMMANDS"); }

/// Not guarded: the line rises when the job has stopped.
void RegisterFile::interrupt_method() { irq_o.write((values_[kIrqStatus] & values_[kIrqEnable]) != 0); }

}  // namespace vernier::soc
