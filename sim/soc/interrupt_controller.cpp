// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/interrupt_controller.hpp"

#include "sim/soc/register_block.hpp"

#include <bit>
#include <utility>

namespace vernier::soc {

namespace {
constexpr size_t kPending = register_index(spec::kInterruptRegisters, "PENDING");
constexpr size_t kEnable = register_index(spec::kInterruptRegisters, "ENABLE");
constexpr size_t kClaim = register_index(spec::kInterruptRegisters, "CLAIM");
constexpr uint32_t kSources =
    (uint32_t{1} << spec::kNumInterruptSources) - 1 - spec::interrupt_bit(spec::InterruptSource::None);
}  // namespace

InterruptController::InterruptController(const sc_core::sc_module_name& name, kit::JobClock& clock)
    : kit::Module(name, clock) {
  registers_target.register_b_transport(this, &InterruptController::b_transport);
  SC_METHOD(external_method);
  sensitive << npu_i << cpu_doorbell_i << pmu_i << enable_event_;
  dont_initialize();
}

void InterruptController::reset() {
  enable_ = spec::kInterruptRegisters[kEnable].reset;
  to_lose_ = lost_ = pretended_ = 0;
  has_lost_ = has_pretended_ = false;
  enable_event_.notify(sc_core::SC_ZERO_TIME);
}

void InterruptController::lose(spec::InterruptSource source) {
  to_lose_ = spec::interrupt_bit(source);
  enable_event_.notify(sc_core::SC_ZERO_TIME);
}

void InterruptController::pretend(spec::InterruptSource source) {
  pretended_ = spec::interrupt_bit(source);
  has_pretended_ = true;
  enable_event_.notify(sc_core::SC_ZERO_TIME);
}

void InterruptController::end_faults() {
  to_lose_ = pretended_ = 0;
  enable_event_.notify(sc_core::SC_ZERO_TIME);
}

void InterruptController::b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  serve_registers(
      spec::kInterruptRegisters, transaction, [&](size_t index) { return read(index); },
      [&](size_t index, uint32_t value) { write(index, value); });
}

uint32_t InterruptController::lines() const {
  uint32_t bits = 0;
  if (npu_i.read()) bits |= spec::interrupt_bit(spec::InterruptSource::Npu);
  if (cpu_doorbell_i.read()) bits |= spec::interrupt_bit(spec::InterruptSource::CpuDoorbell);
  if (pmu_i.read()) bits |= spec::interrupt_bit(spec::InterruptSource::Pmu);
  return bits;
}

uint32_t InterruptController::read(size_t index) {
  if (index == kPending) return pending();
  if (index == kEnable) return enable_;
  return index == kClaim ? claim() : 0;
}

uint32_t InterruptController::claim() {
  const uint32_t bits = pending() & enable_;
  if (bits == 0) return 0;
  const auto source = static_cast<uint32_t>(std::countr_zero(bits));
  pretended_ &= ~(uint32_t{1} << source);
  enable_event_.notify(sc_core::SC_ZERO_TIME);
  return source;
}

void InterruptController::write(size_t index, uint32_t value) {
  if (index != kEnable) return;
  enable_ = value & kSources;
  enable_event_.notify(sc_core::SC_ZERO_TIME);
}

/// Not guarded: the line falls with a reset between jobs too.
void InterruptController::external_method() {
  lost_ &= lines();
  if ((to_lose_ & lines()) != 0) {
    lost_ = std::exchange(to_lose_, 0);
    has_lost_ = true;
  }
  external_o.write((pending() & enable_) != 0);
}

}  // namespace vernier::soc
