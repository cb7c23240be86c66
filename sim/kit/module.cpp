// SPDX-License-Identifier: Apache-2.0
#include "sim/kit/module.hpp"

namespace vernier::kit {

namespace {
uint64_t units_per_cycle() {
  static const uint64_t kUnits = sc_core::sc_time(1, kCycleUnit).value();
  return kUnits;
}
}  // namespace

sc_core::sc_time to_time(int64_t cycles) {
  return sc_core::sc_time::from_value(static_cast<uint64_t>(cycles) * units_per_cycle());
}

void JobClock::begin() {
  origin_ = last_activation_ = sc_core::sc_time_stamp();
  end_cycle_ = 0;
  is_running_ = true;
  num_activations_ = 0;
  error_ = nullptr;
}

void JobClock::halt() {
  if (!is_running_) return;
  end_cycle_ = now();
  is_running_ = false;
}

void JobClock::halt_when_it_last_acted() {
  if (!is_running_) return;
  end_cycle_ = static_cast<int64_t>((last_activation_ - origin_).value() / units_per_cycle());
  is_running_ = false;
}

int64_t JobClock::now() const {
  if (!is_running_) return end_cycle_;
  return static_cast<int64_t>((sc_core::sc_time_stamp() - origin_).value() / units_per_cycle());
}

void JobClock::fail(std::exception_ptr error) {
  if (!error_) error_ = std::move(error);
  halt();
}

void JobClock::rethrow_failure() {
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace vernier::kit
