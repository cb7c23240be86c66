// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/failure.hpp"

#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"

#include <fmt/format.h>

#include <string>
#include <variant>

namespace vernier::cli {

int print_failure(const flow::Failure& failure) {
  std::string text;
  for (const std::string& note : failure.notes) text += fmt::format("note: {}\n", note);
  if (!failure.injected.empty()) text += fmt::format("vernier: injected: {}\n", failure.injected);
  for (const std::string& message : flow::messages(failure)) text += fmt::format("vernier: {}\n", message);
  const auto* rtl = std::get_if<flow::RtlFailure>(&failure.cause);
  if (rtl != nullptr && !rtl->replay.empty()) text += rtl->replay + "\n";
  print_text(stderr, text);
  return exit_code_of(failure.verdict());
}

}  // namespace vernier::cli
