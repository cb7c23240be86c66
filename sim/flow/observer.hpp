// SPDX-License-Identifier: Apache-2.0
// What a function of this library tells while it works. Nothing is printed here: a program shows it on a terminal, a
// notebook in a bar, a test keeps it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace vernier::flow {

/// Every sink may be empty. What a sink throws comes out of the function that called it, no matter how deep in a simulation
/// it was, and no file is left: this is how a caller interrupts long work.
struct Observer {
  std::function<void(const std::string& text)> on_phase{};                   // what begins now: "compiling"
  std::function<void(const std::string& text)> on_detail{};                  // how far it has come, some times a second
  std::function<void(int64_t cycle, const std::string& line)> on_console{};  // a line of the control CPU's firmware
  std::function<void(const std::string& line)> on_debugger{};                // who is waited for, and who has gone

  void phase(const std::string& text) const {
    if (on_phase) on_phase(text);
  }
};

}  // namespace vernier::flow
