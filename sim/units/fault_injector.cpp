// SPDX-License-Identifier: Apache-2.0
#include "sim/units/fault_injector.hpp"

namespace vernier::units {

void FaultInjector::reset() {
  memory_ = nullptr;
  injected_.reset();
}

void FaultInjector::begin(mem::MemoryIf& memory, int64_t base, const Injection& injection) {
  memory_ = &memory;
  base_ = base;
  fault_ = {injection.index.value(), injection.bit.value(), injection.command_idx};
  phase_port->wake_at(injection.cycle, *this);
}

void FaultInjector::woken() {
  memory_->flip(base_ + fault_.index, fault_.bit);
  injected_ = fault_;
}

}  // namespace vernier::units
