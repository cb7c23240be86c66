// SPDX-License-Identifier: Apache-2.0
// How Python calls sim/flow: one call at a time, without Python's own lock, and with an end when Ctrl-C is pressed.
#pragma once

#include "python/binding/interrupts.hpp"

#include <mutex>
#include <nanobind/nanobind.h>
#include <optional>

namespace vernier::python {

/// SystemC has one context in a process: whoever simulates has this lock.
std::mutex& one_at_a_time();

/// work(observer), while other threads of Python run. KeyboardInterrupt after a Ctrl-C.
template <typename Work>
auto without_python(const Work& work) {
  std::optional<decltype(work(flow::Observer{}))> result;
  {
    const nanobind::gil_scoped_release released;
    const std::lock_guard lock(one_at_a_time());
    const InterruptWatch watch;
    try {
      result.emplace(work(watch.observer()));
    } catch (const Interrupted&) {  // Python raises it below
    }
  }
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  if (!result) {  // the program's own handler of the signal raised nothing
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nanobind::python_error();
  }
  return *std::move(result);
}

}  // namespace vernier::python
