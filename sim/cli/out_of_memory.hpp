// SPDX-License-Identifier: Apache-2.0
// Memory that could not be had is no mistake of the program: one line that says how much, and what for.
#pragma once

#include "hw/base/error.hpp"

#include <new>
#include <string>
#include <string_view>

namespace vernier::cli {

/// What the program is at: "compiling". For the message.
void set_activity(std::string_view activity);

/// "out of memory while compiling: 4,194,304 B could not be had; ..."
std::string out_of_memory_text();

/// Runs a command on `subject`; std::bad_alloc becomes an EnvironmentError that names it.
template <typename Command>
int with_memory_errors(const std::string& subject, Command&& command) {
  try {
    return command();
  } catch (const std::bad_alloc&) {
    throw base::EnvironmentError(subject, "{}", out_of_memory_text());
  }
}

}  // namespace vernier::cli
