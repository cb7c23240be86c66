// SPDX-License-Identifier: Apache-2.0
#include "sim/units/fault_injector.hpp"

#include <array>

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
  const int64_t offset = base_ + fault_.index;
  const std::array<std::byte, 1> flipped{memory_->storage().bytes()[static_cast<size_t>(offset)] ^
                                         static_cast<std::byte>(1U << static_cast<unsigned>(fault_.bit))};
  memory_->write(offset, flipped);
  injected_ = fault_;
}

}  // namespace vernier::units
