// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/encodings_command.hpp"

#include "compiler/export/aimet/write_encodings.hpp"
#include "compiler/import/aimet/read_encodings.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/places.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::cli {
namespace {

using namespace import::aimet;

/// "vernier: FILE:12: warning: tensor x: ..." for each finding.
void print_findings(const std::string& file, const Findings& findings) {
  std::string lines;
  for (const Finding& finding : findings.sorted()) {
    const std::string where = finding.line > 0 ? fmt::format("{}:{}", file, finding.line) : file;
    lines += fmt::format("vernier: {}\n",
                         base::printable(fmt::format("{}: {}: {}", where, name_of(finding.severity), finding.text)));
  }
  if (findings.num_left_out() > 0)
    lines += fmt::format("vernier: {}: {} more\n", base::printable(file), base::counted(findings.num_left_out(), "finding"));
  if (!lines.empty()) print_text(stderr, lines);
}

/// "11 tensors (7 activations, 4 parameters; 4 per channel)".
std::string summary_of(const Encodings& encodings) {
  const auto counted = [&](auto is_counted) {
    return std::count_if(encodings.tensors.begin(), encodings.tensors.end(), is_counted);
  };
  const auto activations = counted([](const Encoding& encoding) { return encoding.role == Role::Activation; });
  const auto parameters = counted([](const Encoding& encoding) { return encoding.role == Role::Parameter; });
  const auto per_channel = counted([](const Encoding& encoding) { return encoding.is_per_channel(); });
  std::string text = base::counted(static_cast<int64_t>(encodings.tensors.size()), "tensor");
  const std::string roles = encodings.version == Version::V200
                                ? "activations and parameters are not told apart"
                                : base::counted(activations, "activation") + ", " + base::counted(parameters, "parameter");
  return fmt::format("{} ({}; {} per channel)", text, roles, per_channel);
}

int check(const EncodingsCommand& command) {
  ReadEncodings read = read_encodings(read_encodings_text(command.input));
  for (const Encoding& encoding : read.encodings.tensors) {
    if (const auto refusal = refusal_of(encoding))
      read.findings.add(Severity::Unsupported, encoding.line,
                        fmt::format("tensor {}: {}", clipped(encoding.name), *refusal));
  }
  print_findings(command.input, read.findings);
  if (!read.is_complete()) return kExitBadInput;
  print_text(stdout, fmt::format("{}: version {}, {}\n", base::printable(command.input), name_of(read.encodings.version),
                                 summary_of(read.encodings)));
  return kExitSuccess;
}

int convert(const EncodingsCommand& command) {
  refuse_overwriting({{"FILE", command.input}}, {{"-o", command.output}});
  const ReadEncodings read = read_encodings(read_encodings_text(command.input));
  print_findings(command.input, read.findings);
  if (!read.is_complete()) return kExitBadInput;
  const auto version = std::find(kVersionNames.begin(), kVersionNames.end(), command.version) - kVersionNames.begin();
  const export_aimet::WrittenEncodings written =
      export_aimet::write_encodings(read.encodings, static_cast<Version>(version));
  base::write_text_file(command.output, written.text);
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
  const bool is_check = command.action == EncodingsCommand::Action::Check;
  set_activity(is_check ? "checking encodings" : "converting encodings");
  return with_memory_errors(command.input, [&] { return is_check ? check(command) : convert(command); });
}

}  // namespace vernier::cli
