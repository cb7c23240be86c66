// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/timer.hpp"

#include "sim/soc/register_block.hpp"

namespace vernier::soc {

namespace {
constexpr size_t kTimeLow = register_index(spec::kTimerRegisters, "TIME_LOW");
constexpr size_t kTimeHigh = register_index(spec::kTimerRegisters, "TIME_HIGH");
constexpr size_t kCompareLow = register_index(spec::kTimerRegisters, "COMPARE_LOW");
constexpr size_t kCompareHigh = register_index(spec::kTimerRegisters, "COMPARE_HIGH");
constexpr uint64_t kLow = 0xFFFF'FFFF;
/// A later time makes no event: no job takes so long.
constexpr uint64_t kMostTimeAhead = uint64_t{1} << 40;
}  // namespace

Timer::Timer(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {
  registers_target.register_b_transport(this, &Timer::b_transport);
  SC_METHOD(due_method);
  sensitive << due_event_;
  dont_initialize();
}

void Timer::reset() {
  compare_ = uint64_t{spec::kTimerRegisters[kCompareHigh].reset} << 32 | spec::kTimerRegisters[kCompareLow].reset;
  due_event_.cancel();
  due_event_.notify(sc_core::SC_ZERO_TIME);
}

void Timer::b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  serve_registers(
      spec::kTimerRegisters, transaction, [&](size_t index) { return read(index); },
      [&](size_t index, uint32_t value) { write(index, value); });
}

uint32_t Timer::read(size_t index) const {
  if (index == kTimeLow) return static_cast<uint32_t>(time());
  if (index == kTimeHigh) return static_cast<uint32_t>(time() >> 32);
  return static_cast<uint32_t>(index == kCompareLow ? compare_ : compare_ >> 32);
}

void Timer::write(size_t index, uint32_t value) {
  if (index == kCompareLow) compare_ = (compare_ & ~kLow) | value;
  if (index == kCompareHigh) compare_ = (compare_ & kLow) | uint64_t{value} << 32;
  if (index != kCompareLow && index != kCompareHigh) return;
  due_event_.cancel();
  due_event_.notify(sc_core::SC_ZERO_TIME);
}

/// Not guarded: the line falls with a reset between jobs too.
void Timer::due_method() {
  const bool is_due = time() >= compare_;
  timer_o.write(is_due);
  if (is_due || !clock().is_running() || compare_ - time() > kMostTimeAhead) return;
  due_event_.notify(kit::to_time(static_cast<int64_t>(compare_ - time())));
}

}  // namespace vernier::soc
