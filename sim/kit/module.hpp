// SPDX-License-Identifier: Apache-2.0
// What every module of the machine stands on: cycles over SystemC's time, and processes that cannot tear the kernel down.
#pragma once

#include "sim/kit/signals.hpp"

#include <systemc>

#include <cstdint>
#include <exception>
#include <utility>

namespace vernier::kit {

/// A cycle is a nanosecond of SystemC's time, whatever the clock: cycles are counted, not timed.
inline constexpr sc_core::sc_time_unit kCycleUnit = sc_core::SC_NS;
/// Any number of cycles from 0 on; 0 is the next delta cycle.
sc_core::sc_time to_time(int64_t cycles);

/// What the modules of one machine share: when the job began, whether it still runs, what went wrong inside the program, and
/// the signals by which it is watched.
class JobClock {
 public:
  /// A job begins now; cycle 0 is here.
  void begin();
  /// Processes do nothing from here on; the kernel runs out of events by itself.
  void halt();
  [[nodiscard]] bool is_running() const { return is_running_; }
  [[nodiscard]] int64_t now() const;  // cycles since begin(); the last one after halt()
  void fail(std::exception_ptr error);
  void rethrow_failure();
  void count_activation() {
    ++num_activations_;
    last_activation_ = sc_core::sc_time_stamp();
  }
  /// As halt(), in the cycle in which a process last did something: nothing of the job has happened since.
  void halt_when_it_last_acted();
  [[nodiscard]] int64_t num_activations() const { return num_activations_; }
  [[nodiscard]] Signals& signals() { return signals_; }

 private:
  sc_core::sc_time origin_;
  int64_t end_cycle_ = 0;
  bool is_running_ = false;
  int64_t num_activations_ = 0;
  sc_core::sc_time last_activation_;
  std::exception_ptr error_;
  Signals signals_;
};

/// Base of all modules. A process is `void x_method() { guarded([this] { ... }); }`: an exception ends the job and reaches
/// the caller of the simulation, not SystemC.
class Module : public sc_core::sc_module {
 public:
  /// Forgets the last job. No event of it is left pending.
  virtual void reset() = 0;

 protected:
  Module(const sc_core::sc_module_name& name, JobClock& clock) : sc_core::sc_module(name), clock_(clock) {}
  [[nodiscard]] int64_t now() const { return clock_.now(); }
  [[nodiscard]] JobClock& clock() { return clock_; }
  /// Declares a signal of this module.
  SignalId declare(std::string name, SignalKind kind, std::string unit = {}) {
    return signals().declare({this->name(), std::move(name), kind, {}, std::move(unit)});
  }
  [[nodiscard]] Signals& signals() { return clock_.signals(); }
  /// The signal has this value when a job begins: for reset(), which comes before cycle 0.
  void show_at_start(SignalId signal, int64_t value) { signals().change(signal, 0, value); }
  /// The signal has this value from now on.
  void show(SignalId signal, int64_t value) { signals().change(signal, now(), value); }
  template <typename Body>
  void guarded(Body&& body) {
    if (!clock_.is_running()) return;
    clock_.count_activation();
    try {
      std::forward<Body>(body)();
    } catch (...) {
      clock_.fail(std::current_exception());
    }
  }

 private:
  JobClock& clock_;
};

}  // namespace vernier::kit
