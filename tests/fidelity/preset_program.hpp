// SPDX-License-Identifier: Apache-2.0
// What programs have in common that measure a size on RTL for one preset: PROGRAM PRESET.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

namespace vernier::fidelity {

constexpr int kSkipped = 77;  // exit code: the program was built without RTL

/// The exit code: that of `measure`, or 1 with a line on the standard error where it throws or there is not one argument.
inline int run_for_preset(std::string_view program, int argc, char** argv, int (*measure)(const std::string& preset)) {
  try {
    if (argc == 2) return measure(argv[1]);
    fmt::print(stderr, "{}: {} arguments, expected one: a preset\n", program, argc - 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
  }
  return EXIT_FAILURE;
}

}  // namespace vernier::fidelity
