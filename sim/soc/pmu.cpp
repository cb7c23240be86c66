// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/pmu.hpp"

#include "sim/soc/register_block.hpp"

#include <algorithm>

namespace vernier::soc {

namespace {
constexpr size_t pmu_index(std::string_view name) { return register_index(spec::kPmuRegisters, name); }
constexpr size_t kPmuControl = pmu_index("CONTROL"), kOverflow = pmu_index("OVERFLOW"),
                 kOverflowEnable = pmu_index("OVERFLOW_ENABLE"), kCyclesLow = pmu_index("CYCLES_LOW"),
                 kCyclesHigh = pmu_index("CYCLES_HIGH"), kFirstEvent = pmu_index("EVENT_0"),
                 kFirstCount = pmu_index("COUNT_0");
static_assert(kFirstCount == kFirstEvent + spec::kNumPmuCounters);
constexpr uint32_t kAllCounters = (1U << spec::kNumPmuCounters) - 1;
}  // namespace

Pmu::Pmu(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {
  registers_target.register_b_transport(this, &Pmu::b_transport);
  SC_METHOD(watch_method);
  sensitive << watch_event_;
  dont_initialize();
  SC_METHOD(interrupt_method);
  sensitive << interrupt_event_;
  dont_initialize();
}

void Pmu::reset() {
  counters_ = {};
  counts_ = is_open_ = false;
  overflow_ = overflow_enable_ = 0;
  cycles_ = seen_cycle_ = 0;
  interrupt_event_.notify(sc_core::SC_ZERO_TIME);
}

void Pmu::b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  count();
  serve_registers(
      spec::kPmuRegisters, transaction, [&](size_t index) { return read(index); },
      [&](size_t index, uint32_t value) { write(index, value); });
}

/// 0 for numbers of no event.
int64_t Pmu::happened(uint32_t event) {
  const auto* row = std::find_if(spec::kPmuEvents.begin(), spec::kPmuEvents.end(),
                                 [event](const spec::PmuEvent& one) { return spec::number_of(one) == event; });
  if (row == spec::kPmuEvents.end()) return 0;
  if (row->source != spec::EventSource::ControlCpu) return counts_port->event_count(row->source, row->index);
  return cpu_port.size() == 0 ? 0 : cpu_port->cpu_count(static_cast<spec::CpuEvent>(row->index));
}

void Pmu::begin_stream() {
  begin_anew();
  is_open_ = true;
}

void Pmu::count() {
  if (is_open_ && !clock().is_running()) {
    is_open_ = false;
    counts_port->close_counts();
  }
  for (size_t i = 0; i < counters_.size(); ++i) {
    Counter& counter = counters_[i];
    const int64_t seen = happened(counter.event);
    const uint64_t sum = counter.value + static_cast<uint64_t>(seen - counter.seen);
    counter.seen = seen;
    if (!counts_) continue;
    counter.value = static_cast<uint32_t>(sum);
    if (sum > UINT32_MAX) overflow_ |= 1U << i;
  }
  if (counts_) cycles_ += now() - seen_cycle_;
  seen_cycle_ = now();
  if ((overflow_ & overflow_enable_) != 0) interrupt_event_.notify(sc_core::SC_ZERO_TIME);
}

void Pmu::begin_anew() {
  for (Counter& counter : counters_) counter.seen = happened(counter.event);
  seen_cycle_ = now();
  watch_event_.notify(sc_core::SC_ZERO_TIME);
}

uint32_t Pmu::read(size_t index) {
  if (index == kPmuControl) return counts_ ? spec::kPmuCounts : 0;
  if (index == kOverflow) return overflow_;
  if (index == kOverflowEnable) return overflow_enable_;
  if (index == kCyclesLow) return static_cast<uint32_t>(cycles_);
  if (index == kCyclesHigh) return static_cast<uint32_t>(static_cast<uint64_t>(cycles_) >> 32);
  return index < kFirstCount ? counters_[index - kFirstEvent].event : counters_[index - kFirstCount].value;
}

void Pmu::write(size_t index, uint32_t value) {
  if (index == kPmuControl) write_control(value);
  if (index == kOverflow) overflow_ &= ~value;
  if (index == kOverflowEnable) overflow_enable_ = value & kAllCounters;
  if (index >= kFirstCount) counters_[index - kFirstCount].value = value;
  if (index >= kFirstEvent && index < kFirstCount) {
    Counter& counter = counters_[index - kFirstEvent];
    counter.event = value;
    counter.seen = happened(value);
  }
  interrupt_event_.notify(sc_core::SC_ZERO_TIME);
  watch_event_.notify(sc_core::SC_ZERO_TIME);
}

void Pmu::write_control(uint32_t value) {
  counts_ = (value & spec::kPmuCounts) != 0;
  if ((value & spec::kPmuClears) == 0) return;
  for (Counter& counter : counters_) counter.value = 0;
  cycles_ = 0;
}

/// Looks every cycle while somebody wants to know at once.
void Pmu::watch_method() {
  if (!clock().is_running() || !counts_ || overflow_enable_ == 0) return;
  count();
  watch_event_.notify(kit::to_time(1));
}

/// Not guarded: the line falls with a reset between jobs too.
void Pmu::interrupt_method() { interrupt_o.write((overflow_ & overflow_enable_) != 0); }

}  // namespace vernier::soc
