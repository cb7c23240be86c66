// SPDX-License-Identifier: Apache-2.0
// The performance counters of hw/spec/performance_counters.hpp: eight of 32 bits, each for an event that is chosen, and the
// cycles in which a stream ran.
//
// Contract: TLM-2.0 b_transport, one aligned 32-bit register per transaction; anything else gives an error response. The
// units count all events all the time. A counter adds what its event has gained since it was last looked at, while CONTROL
// bit 0 is 1; a write of EVENT_i lets COUNT_i stay. The first look after a stream has ended closes what its units have open.
// interrupt_o is high while OVERFLOW & OVERFLOW_ENABLE is not 0.
//
// Timing: a counter is right in every cycle for what has been counted by then (performance_counters.hpp says when that is).
// While an overflow can interrupt and a stream runs, the counters are looked at in every cycle, which is an event of the
// simulation: the line rises in the cycle of the overflow, or in the next one where a phase ends later in its cycle.
// Otherwise an overflow is seen at the next access. What an access takes is the bus's.
#pragma once

#include "hw/spec/performance_counters.hpp"
#include "sim/kit/module.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <array>

namespace vernier::soc {

/// What has happened since the reset of the units.
class EventCountsIf : public virtual sc_core::sc_interface {
 public:
  [[nodiscard]] virtual int64_t event_count(spec::EventSource source, uint32_t index) = 0;
  /// The stream has ended: what is open counts up to its end.
  virtual void close_counts() = 0;
};

/// What the control CPU has done since its reset.
class CpuCountsIf : public virtual sc_core::sc_interface {
 public:
  [[nodiscard]] virtual int64_t cpu_count(spec::CpuEvent event) const = 0;
};

class Pmu : public kit::Module {
 public:
  Pmu(const sc_core::sc_module_name& name, kit::JobClock& clock);
  tlm_utils::multi_passthrough_target_socket<Pmu> registers_target{"registers_target"};
  sc_core::sc_port<EventCountsIf> counts_port{"counts_port"};
  /// Not bound where there is no control CPU: it does nothing then.
  sc_core::sc_port<CpuCountsIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> cpu_port{"cpu_port"};
  sc_core::sc_out<bool> interrupt_o{"interrupt_o"};

  void reset() override;
  /// Adds what has happened.
  void count();
  /// The units count from 0 again. After count().
  void begin_anew();
  /// A stream starts in this cycle. After count().
  void begin_stream();

 private:
  struct Counter {
    uint32_t event = 0, value = 0;
    int64_t seen = 0;  // of the event, when it was last looked at
  };
  SC_HAS_PROCESS(Pmu);
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  [[nodiscard]] uint32_t read(size_t index);
  void write(size_t index, uint32_t value);
  void write_control(uint32_t value);
  [[nodiscard]] int64_t happened(uint32_t event);
  void watch_method();
  void interrupt_method();

  std::array<Counter, spec::kNumPmuCounters> counters_;
  bool counts_ = false;
  bool is_open_ = false;  // a stream has started, and its counts are not closed
  uint32_t overflow_ = 0, overflow_enable_ = 0;
  int64_t cycles_ = 0, seen_cycle_ = 0;
  sc_core::sc_event watch_event_{"watch_event"}, interrupt_event_{"interrupt_event"};
};

}  // namespace vernier::soc
