// SPDX-License-Identifier: Apache-2.0
// Somebody with ports on a block that another one clocks.
#pragma once

namespace vernier::cosim {

class CycleGuest {
 public:
  CycleGuest() = default;
  CycleGuest(const CycleGuest&) = delete;
  CycleGuest& operator=(const CycleGuest&) = delete;
  virtual ~CycleGuest() = default;
  /// Sets its inputs of the cycle that begins.
  virtual void drive(bool is_enabled) = 0;
  /// Before the edge, when outputs have settled.
  virtual void see() = 0;
  /// After it.
  virtual void finish() = 0;
  /// The block was reset.
  virtual void was_reset() = 0;
};

}  // namespace vernier::cosim
