// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/files/encodings.hpp"

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
#include "sim/flow/files/places.hpp"
#include "sim/flow/model/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace vernier::flow {
namespace {

namespace aimet = import::aimet;
using ReadOptions = import::Options;  // clang-format takes a line that begins with import for a directive

std::vector<std::string> lines_of(const std::vector<import::Finding>& findings) {
  std::vector<std::string> lines;
  for (const import::Finding& finding : findings) lines.push_back(import::line_of(finding));
  return lines;
}

[[noreturn]] void refuse_findings(const std::vector<import::Finding>& findings) {
  std::vector<std::string> lines;
  for (const import::Finding& finding : findings) lines.push_back(finding.text);
  throw base::UserErrors(lines);
}

EncodingsSummary summary_of(const aimet::Encodings& encodings) {
  const auto counted = [&](auto is_counted) { return std::ranges::count_if(encodings.tensors, is_counted); };
  EncodingsSummary summary{.version = std::string(aimet::name_of(encodings.version))};
  summary.num_tensors = std::ssize(encodings.tensors);
  summary.num_activations = counted([](const auto& encoding) { return encoding.role == aimet::Role::Activation; });
  summary.num_parameters = counted([](const auto& encoding) { return encoding.role == aimet::Role::Parameter; });
  summary.num_per_channel = counted([](const auto& encoding) { return encoding.is_per_channel(); });
  summary.has_roles = encodings.version != aimet::Version::V200;
  return summary;
}

/// How the network is read.
ReadOptions options_of(const OpenDimensions& open) {
  ReadOptions options;
  options.open.batch = open.batch;
  options.open.named = open.shapes;
  return options;
}

CheckedEncodings check_with_model(const std::string& file, const std::string& model, const OpenDimensions& open) {
  ReadOptions options = options_of(open);
  options.encodings = {file, aimet::read_encodings_text(file)};
  const import::ImportResult result = import::import_network(model, base::read_file(model), options);
  CheckedEncodings checked{.findings = lines_of(result.findings), .is_legal = result.graph.has_value()};
  if (checked.is_legal) checked.summary = summary_of(aimet::read_encodings(options.encodings->text).encodings);
  return checked;
}

aimet::Version version_of(const std::string& name) {
  check_choice("--version", name, encodings_versions());
  return static_cast<aimet::Version>(std::ranges::find(aimet::kVersionNames, name) - aimet::kVersionNames.begin());
}

/// Writes the file; `lost` is what cannot be said before the version is looked at.
WrittenEncodings write(const aimet::Encodings& encodings, const std::string& output, const std::string& version,
                       const std::vector<std::string>& lost) {
  export_aimet::WrittenEncodings made = export_aimet::write_encodings(encodings, version_of(version));
  base::write_text_file(output, made.text);
  WrittenEncodings written{.is_written = true, .num_tensors = made.num_tensors, .lost = lost, .assumed = made.assumed};
  written.lost.insert(written.lost.end(), made.lost.begin(), made.lost.end());
  return written;
}

}  // namespace

std::vector<std::string> encodings_versions() { return {aimet::kVersionNames.begin(), aimet::kVersionNames.end()}; }

std::string to_text(const EncodingsSummary& summary) {
  const std::string roles = summary.has_roles ? base::counted(summary.num_activations, "activation") + ", " +
                                                    base::counted(summary.num_parameters, "parameter")
                                              : "activations and parameters are not told apart";
  return fmt::format("{} ({}; {} per channel)", base::counted(summary.num_tensors, "tensor"), roles,
                     summary.num_per_channel);
}

CheckedEncodings check_encodings(const std::string& file, const std::optional<std::string>& model,
                                 const OpenDimensions& open) {
  if (model) return check_with_model(file, *model, open);
  aimet::ReadEncodings read = aimet::read_encodings(aimet::read_encodings_text(file));
  for (const aimet::Encoding& encoding : read.encodings.tensors) {
    if (const auto refusal = aimet::refusal_of(encoding))
      read.findings.add(aimet::Severity::Unsupported, encoding.line,
                        fmt::format("tensor {}: {}", aimet::clipped(encoding.name), *refusal));
  }
  return {lines_of(read.findings.of_file(file)), read.is_complete(), summary_of(read.encodings)};
}

WrittenEncodings convert_encodings(const std::string& file, const std::string& output, const std::string& version) {
  refuse_overwriting({{"FILE", file}}, {{"-o", output}});
  const aimet::ReadEncodings read = aimet::read_encodings(aimet::read_encodings_text(file));
  WrittenEncodings written;
  if (read.is_complete()) written = write(read.encodings, output, version, {});
  written.findings = lines_of(read.findings.of_file(file));
  return written;
}

WrittenEncodings export_encodings(const std::string& model, const std::string& output, const std::string& version,
                                  const OpenDimensions& open) {
  refuse_overwriting({{"MODEL", model}}, {{"-o", output}});
  const std::vector<std::byte> bytes = base::read_file(model);
  if (import::format_of(bytes) != import::FileFormat::Onnx)
    throw base::UserError(model, "is no ONNX file; encodings are those of a quantized network in ONNX");
  import::OnnxNetwork onnx = import::read_onnx(model, bytes);
  if (!onnx.network) refuse_findings(onnx.findings);
  const std::vector<import::Finding> mistakes = import::quantized::settle_shapes(model, *onnx.network, options_of(open));
  if (!mistakes.empty()) refuse_findings(mistakes);
  const aimet::NetworkEncodings found = aimet::encodings_of(*onnx.network, version_of(version));
  if (found.encodings.tensors.empty()) {
    std::vector<std::string> lines{base::UserError(model, "has no quantizer that encodings can say").what()};
    lines.insert(lines.end(), found.lost.begin(), found.lost.end());
    throw base::UserErrors(lines);
  }
  return write(found.encodings, output, version, found.lost);
}

}  // namespace vernier::flow
