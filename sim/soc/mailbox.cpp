// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/mailbox.hpp"

#include "sim/soc/register_block.hpp"

namespace vernier::soc {

namespace {
constexpr size_t kCpuDoorbell = register_index(spec::kMailboxRegisters, "CPU_DOORBELL");
constexpr size_t kCpuDoorbellSet = register_index(spec::kMailboxRegisters, "CPU_DOORBELL_SET");
constexpr size_t kHostDoorbell = register_index(spec::kMailboxRegisters, "HOST_DOORBELL");
constexpr size_t kHostDoorbellSet = register_index(spec::kMailboxRegisters, "HOST_DOORBELL_SET");
}  // namespace

Mailbox::Mailbox(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {
  registers_target.register_b_transport(this, &Mailbox::b_transport);
  SC_METHOD(doorbell_method);
  sensitive << doorbell_event_;
  dont_initialize();
}

void Mailbox::reset() {
  for (size_t i = 0; i < values_.size(); ++i) values_[i] = spec::kMailboxRegisters[i].reset;
  to_lose_.reset();
  has_lost_ = false;
  doorbell_event_.notify(sc_core::SC_ZERO_TIME);
}

void Mailbox::b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  serve_registers(
      spec::kMailboxRegisters, transaction, [&](size_t index) { return values_[index]; },
      [&](size_t index, uint32_t value) { write(index, value); });
}

void Mailbox::write(size_t index, uint32_t value) {
  if (to_lose_ && value != 0 && index == (*to_lose_ == Doorbell::Cpu ? kCpuDoorbellSet : kHostDoorbellSet)) {
    to_lose_.reset();
    has_lost_ = true;
    return;
  }
  switch (spec::kMailboxRegisters[index].access) {
    case spec::Access::ReadOnly: return;
    case spec::Access::WriteOneToClear: values_[index] &= ~value; break;
    case spec::Access::ReadWrite: values_[index] = value; break;
    case spec::Access::WriteOnly:
      if (index == kCpuDoorbellSet) values_[kCpuDoorbell] |= value;
      if (index == kHostDoorbellSet) values_[kHostDoorbell] |= value;
      break;
  }
  doorbell_event_.notify(sc_core::SC_ZERO_TIME);
  if (index == kHostDoorbellSet && value != 0 && on_host_doorbell_) on_host_doorbell_();
}

/// Not guarded: the line falls with a reset between jobs too.
void Mailbox::doorbell_method() { cpu_doorbell_o.write(values_[kCpuDoorbell] != 0); }

}  // namespace vernier::soc
