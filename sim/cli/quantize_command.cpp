// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/quantize_command.hpp"

#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace vernier::cli {
namespace {

/// "output_min -1 -2": the shortest digits that give the same float32 again.
std::string range_line(std::string_view name, const std::vector<float>& values) {
  std::string line(name);
  for (const float value : values) line += fmt::format(" {}", value);
  return line + "\n";
}

}  // namespace

int quantize(const QuantizeCommand& command) {
  set_activity(command.is_dequantize ? "dequantizing" : "quantizing");
  return with_memory_errors(command.input, [&] {
    const flow::QuantizeResult result = flow::quantize(command);
    for (const std::string& warning : result.warnings)
      print_text(stderr, fmt::format("vernier: warning: {}\n", base::printable(warning)));
    if (!command.is_dequantize)
      print_text(stdout, range_line("output_min", result.min) + range_line("output_max", result.max));
    return kExitSuccess;
  });
}

}  // namespace vernier::cli
