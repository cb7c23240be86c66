// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/system_faults.hpp"

#include "hw/base/error.hpp"

namespace vernier::soc {

using units::FaultSite;

SystemFaults::SystemFaults(const sc_core::sc_module_name& name, kit::JobClock& clock, const Targets& targets)
    : kit::Module(name, clock), targets_(targets) {
  SC_METHOD(due_method);
  sensitive << due_event_;
  dont_initialize();
}

void SystemFaults::reset() {
  injection_.reset();
  is_bit_flipped_ = false;
  due_event_.cancel();
}

void SystemFaults::begin(const units::Injection& injection) {
  VERNIER_CHECK(units::is_of_control_system(injection.site), "fault site {} is none of the control system",
                static_cast<int>(injection.site));
  reset();
  injection_ = injection;
  if (injection.cycle <= now()) return due_method();
  due_event_.notify(kit::to_time(injection.cycle - now()));
}

void SystemFaults::end() {
  due_event_.cancel();
  targets_.bus.fail_no_more();
  targets_.mailbox.lose_no_more();
  targets_.interrupts.end_faults();
}

void SystemFaults::due_method() {
  if (!clock().is_running()) return;
  const int64_t index = injection_->index.value();
  const auto source = static_cast<spec::InterruptSource>(index);
  const auto flip_bit = [&](auto&& flip) {
    flip(injection_->bit.value());
    is_bit_flipped_ = true;
  };
  switch (injection_->site) {
    case FaultSite::BusAccess: return targets_.bus.fail(index);
    case FaultSite::InterruptLost: return targets_.interrupts.lose(source);
    case FaultSite::InterruptSpurious: return targets_.interrupts.pretend(source);
    case FaultSite::DoorbellLost: return targets_.mailbox.lose(static_cast<Doorbell>(index));
    case FaultSite::NpuRegister: return flip_bit([&](int bit) { targets_.registers.flip(static_cast<size_t>(index), bit); });
    case FaultSite::CpuRegister:
      return flip_bit([&](int bit) {
        riscv::Cpu& cpu = targets_.cpu.debug_state();
        const auto number = static_cast<uint32_t>(index);
        cpu.set_reg(number, cpu.reg(number) ^ uint32_t{1} << static_cast<unsigned>(bit));
      });
    case FaultSite::Ram: return flip_bit([&](int bit) { targets_.ram.flip(index, bit); });
    case FaultSite::SharedMemory: return flip_bit([&](int bit) { targets_.shared.flip(index, bit); });
    default: break;
  }
}

std::optional<units::InjectedFault> SystemFaults::injected() const {
  if (!injection_) return std::nullopt;
  bool has_happened = is_bit_flipped_;
  switch (injection_->site) {
    case FaultSite::BusAccess: has_happened = targets_.bus.has_failed(); break;
    case FaultSite::InterruptLost: has_happened = targets_.interrupts.has_lost(); break;
    case FaultSite::InterruptSpurious: has_happened = targets_.interrupts.has_pretended(); break;
    case FaultSite::DoorbellLost: has_happened = targets_.mailbox.has_lost(); break;
    default: break;
  }
  if (!has_happened) return std::nullopt;
  return units::InjectedFault{injection_->index.value(), injection_->bit.value_or(0), -1};
}

}  // namespace vernier::soc
