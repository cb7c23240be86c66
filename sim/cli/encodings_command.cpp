// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/encodings_command.hpp"

#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace vernier::cli {
namespace {

/// "vernier: FILE:12: warning: tensor x: ..." for each finding.
void print_findings(const std::vector<std::string>& findings) {
  std::string lines;
  for (const std::string& finding : findings) lines += fmt::format("vernier: {}\n", base::printable(finding));
  if (!lines.empty()) print_text(stderr, lines);
}

int check(const EncodingsCommand& command) {
  const flow::CheckedEncodings checked = flow::check_encodings(command.input, command.model, command.open);
  print_findings(checked.findings);
  if (!checked.is_legal) return kExitBadInput;
  const std::string fits = command.model ? fmt::format("; they fit {}", base::printable(*command.model)) : "";
  print_text(stdout, fmt::format("{}: version {}, {}{}\n", base::printable(command.input), checked.summary.version,
                                 flow::to_text(checked.summary), fits));
  return kExitSuccess;
}

/// What is lost and what is assumed.
int print_written(const EncodingsCommand& command, const flow::WrittenEncodings& written) {
  print_findings(written.findings);
  if (!written.is_written) return kExitBadInput;
  std::string lines;
  for (const std::string& line : written.lost)
    lines += base::printable(fmt::format("vernier: {}: lost in {}: {}", command.output, command.version, line)) + "\n";
  for (const std::string& line : written.assumed)
    lines += base::printable(fmt::format("vernier: {}: assumed for {}: {}", command.output, command.version, line)) + "\n";
  if (!lines.empty()) print_text(stderr, lines);
  print_text(stdout, fmt::format("{}: version {}, {}\n", base::printable(command.output), command.version,
                                 base::counted(written.num_tensors, "tensor")));
  return kExitSuccess;
}

}  // namespace

int encodings(const EncodingsCommand& command) {
  constexpr std::array kActivities{"checking encodings", "converting encodings", "writing encodings"};
  set_activity(kActivities.at(static_cast<size_t>(command.action)));
  return with_memory_errors(command.input, [&] {
    switch (command.action) {
      case EncodingsCommand::Action::Check: return check(command);
      case EncodingsCommand::Action::Convert:
        return print_written(command, flow::convert_encodings(command.input, command.output, command.version));
      case EncodingsCommand::Action::Export: break;
    }
    return print_written(command, flow::export_encodings(command.input, command.output, command.version, command.open));
  });
}

}  // namespace vernier::cli
