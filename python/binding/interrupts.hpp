// SPDX-License-Identifier: Apache-2.0
// Ctrl-C while the library works. Python only notes the signal then, and would look at it after the end of a long
// simulation.
#pragma once

#include "sim/flow/observer.hpp"

#include <csignal>

namespace vernier::python {

/// What a sink of the observer throws; whoever catches it asks Python for the exception that belongs to the signal.
struct Interrupted {};

/// While it lives, SIGINT is noted here and handed on to Python's own handler. It does so only in the main thread, the one
/// in which Python raises KeyboardInterrupt, and only where Python handles the signal. One lives at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// Its sinks throw Interrupted once the signal has come: as a phase begins, and some times a second of a simulation.
  [[nodiscard]] flow::Observer observer() const;

 private:
  bool is_watching_ = false;
  struct sigaction former_ {};
};

}  // namespace vernier::python
