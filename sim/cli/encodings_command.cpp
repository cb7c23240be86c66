// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/encodings_command.hpp"

#include "compiler/export/aimet/write_encodings.hpp"
#include "compiler/import/aimet/network_encodings.hpp"
#include "compiler/import/aimet/read_encodings.hpp"
#include "compiler/import/file_format.hpp"
#include "compiler/import/import.hpp"
#include "compiler/import/onnx/onnx.hpp"
#include "compiler/import/quantized/lower.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vernier::cli {
namespace {

using namespace import::aimet;

/// "vernier: FILE:12: warning: tensor x: ..." for each finding.
void print_findings(const std::vector<import::Finding>& findings) {
  std::string lines;
  for (const import::Finding& finding : findings)
    lines += fmt::format("vernier: {}\n", base::printable(import::line_of(finding)));
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

/// How the network is read: sizes for its open dimensions.
import::Options import_options(const EncodingsCommand& command){import::Options options;
options.open.batch = command.machine.batch;
options.open.named = command.machine.shapes;
return options;
}  // namespace

[[noreturn]] void refuse(const std::vector<import::Finding>& findings) {
  std::vector<std::string> lines;
  for (const import::Finding& finding : findings) lines.push_back(finding.text);
  throw base::UserErrors(lines);
}

/// The encodings with their network: what is wrong with either, and what has to be derived.
int check_with_model(const EncodingsCommand& command) {
  import::Options options = import_options(command);
  options.encodings = {command.input, read_encodings_text(command.input)};
  const import::ImportResult result = import::import_network(*command.model, base::read_file(*command.model), options);
  print_findings(result.findings);
  if (!result.graph) return kExitBadInput;
  const ReadEncodings read = read_encodings(options.encodings->text);
  print_text(stdout,
             fmt::format("{}: version {}, {}; they fit {}\n", base::printable(command.input),
                         name_of(read.encodings.version), summary_of(read.encodings), base::printable(*command.model)));
  return kExitSuccess;
}

int check(const EncodingsCommand& command) {
  if (command.model) return check_with_model(command);
  ReadEncodings read = read_encodings(read_encodings_text(command.input));
  for (const Encoding& encoding : read.encodings.tensors) {
    if (const auto refusal = refusal_of(encoding))
      read.findings.add(Severity::Unsupported, encoding.line,
                        fmt::format("tensor {}: {}", clipped(encoding.name), *refusal));
  }
  print_findings(read.findings.of_file(command.input));
  if (!read.is_complete()) return kExitBadInput;
  print_text(stdout, fmt::format("{}: version {}, {}\n", base::printable(command.input), name_of(read.encodings.version),
                                 summary_of(read.encodings)));
  return kExitSuccess;
}

Version version_of(const EncodingsCommand& command) {
  return static_cast<Version>(std::find(kVersionNames.begin(), kVersionNames.end(), command.version) -
                              kVersionNames.begin());
}

/// Writes the file; says what is lost, the lines in `lost` first, and what is assumed.
int write(const EncodingsCommand& command, const Encodings& encodings, const std::vector<std::string>& lost) {
  export_aimet::WrittenEncodings written = export_aimet::write_encodings(encodings, version_of(command));
  written.lost.insert(written.lost.begin(), lost.begin(), lost.end());
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

int convert(const EncodingsCommand& command) {
  refuse_overwriting({{"FILE", command.input}}, {{"-o", command.output}});
  const ReadEncodings read = read_encodings(read_encodings_text(command.input));
  print_findings(read.findings.of_file(command.input));
  if (!read.is_complete()) return kExitBadInput;
  return write(command, read.encodings, {});
}

int export_model(const EncodingsCommand& command) {
  refuse_overwriting({{"MODEL", command.input}}, {{"-o", command.output}});
  const std::vector<std::byte> bytes = base::read_file(command.input);
  if (import::format_of(bytes) != import::FileFormat::Onnx)
    throw base::UserError(command.input, "is no ONNX file; encodings are those of a quantized network in ONNX");
  import::OnnxNetwork onnx = import::read_onnx(command.input, bytes);
  if (!onnx.network) refuse(onnx.findings);
  const std::vector<import::Finding> mistakes =
      import::quantized::settle_shapes(command.input, *onnx.network, import_options(command));
  if (!mistakes.empty()) refuse(mistakes);
  const NetworkEncodings found = encodings_of(*onnx.network, version_of(command));
  if (found.encodings.tensors.empty()) {
    std::vector<std::string> lines{base::UserError(command.input, "has no quantizer that encodings can say").what()};
    lines.insert(lines.end(), found.lost.begin(), found.lost.end());
    throw base::UserErrors(lines);
  }
  return write(command, found.encodings, found.lost);
}

}  // namespace vernier::cli

int encodings(const EncodingsCommand& command) {
  constexpr std::array kActivities{"checking encodings", "converting encodings", "writing encodings"};
  set_activity(kActivities.at(static_cast<size_t>(command.action)));
  return with_memory_errors(command.input, [&] {
    switch (command.action) {
      case EncodingsCommand::Action::Check: return check(command);
      case EncodingsCommand::Action::Convert: return convert(command);
      case EncodingsCommand::Action::Export: break;
    }
    return export_model(command);
  });
}

}  // namespace vernier::cli
