// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/system_watchdog.hpp"

#include "sim/soc/register_block.hpp"

#include <algorithm>

namespace vernier::soc {

namespace {
constexpr size_t kStuckCycles = register_index(spec::kWatchdogRegisters, "STUCK_CYCLES");
constexpr size_t kSlowCycles = register_index(spec::kWatchdogRegisters, "SLOW_CYCLES");
constexpr size_t kFeed = register_index(spec::kWatchdogRegisters, "FEED");
constexpr size_t kProgress = register_index(spec::kWatchdogRegisters, "PROGRESS");
constexpr size_t kFired = register_index(spec::kWatchdogRegisters, "FIRED");
}  // namespace

SystemWatchdog::SystemWatchdog(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {
  registers_target.register_b_transport(this, &SystemWatchdog::b_transport);
}

void SystemWatchdog::reset() {
  stuck_cycles_ = spec::kWatchdogRegisters[kStuckCycles].reset;
  slow_cycles_ = spec::kWatchdogRegisters[kSlowCycles].reset;
  fed_cycle_ = fed_commands_ = 0;
  state_ = spec::WatchdogState::Quiet;
}

void SystemWatchdog::b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  serve_registers(
      spec::kWatchdogRegisters, transaction, [&](size_t index) { return read(index); },
      [&](size_t index, uint32_t value) { write(index, value); });
}

uint32_t SystemWatchdog::read(size_t index) const {
  switch (index) {
    case kStuckCycles: return stuck_cycles_;
    case kSlowCycles: return slow_cycles_;
    case kProgress: return static_cast<uint32_t>(num_commands());
    case kFired: return static_cast<uint32_t>(state_);
    default: return 0;
  }
}

void SystemWatchdog::write(size_t index, uint32_t value) {
  if (index == kStuckCycles) stuck_cycles_ = value;
  if (index == kSlowCycles) slow_cycles_ = value;
  if (index == kFeed) {
    fed_cycle_ = now();
    fed_commands_ = progress().num_commands;
  }
  if (on_change_) on_change_();
}

int64_t SystemWatchdog::num_commands() const { return std::max<int64_t>(0, progress().num_commands - fed_commands_); }

std::optional<int64_t> SystemWatchdog::stuck_cycle() const {
  if (stuck_cycles_ == 0) return std::nullopt;
  return std::max(fed_cycle_, progress().last_end_cycle) + stuck_cycles_;
}

std::optional<int64_t> SystemWatchdog::slow_cycle() const {
  return slow_cycles_ == 0 ? std::nullopt : std::optional(fed_cycle_ + slow_cycles_);
}

std::optional<int64_t> SystemWatchdog::due_cycle() const {
  const std::optional<int64_t> stuck = stuck_cycle(), slow = slow_cycle();
  if (state_ != spec::WatchdogState::Quiet) return std::nullopt;
  if (!stuck || !slow) return stuck ? stuck : slow;
  return std::min(*stuck, *slow);
}

void SystemWatchdog::fire() {
  const std::optional<int64_t> stuck = stuck_cycle();
  state_ = stuck && stuck == due_cycle() ? spec::WatchdogState::Stuck : spec::WatchdogState::Slow;
}

}  // namespace vernier::soc
