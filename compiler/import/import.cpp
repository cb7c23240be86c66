// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/import.hpp"

#include "compiler/import/file_format.hpp"
#include "compiler/import/import_encoded.hpp"
#include "compiler/import/mlir/mlir.hpp"
#include "compiler/import/onnx/onnx.hpp"
#include "compiler/import/tflite/tflite.hpp"
#include "compiler/import/tosa/tosa.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

#include <algorithm>
#include <utility>

namespace vernier::import {

namespace {

/// By the content; what is nothing that we know is told what a file of that name begins with.
FileFormat format_of_file(const std::string& file, std::span<const std::byte> bytes) {
  const FileFormat format = format_of(bytes);
  if (format != FileFormat::Unknown) return format;
  if (file.ends_with(".tflite")) return FileFormat::TfLite;
  return file.ends_with(".mlir") ? FileFormat::MlirText : FileFormat::Tosa;
}

}  // namespace

ImportResult import_network(const std::string& file, std::span<const std::byte> bytes, const Options& options) {
  const FileFormat format = format_of_file(file, bytes);
  if ((options.signature || options.tflite_rounding) && format != FileFormat::TfLite) {
    ImportResult refused;
    const base::UserError error(options.signature ? "--signature" : "--tflite-rounding",
                                "goes with networks of TensorFlow Lite, '{}' is none", file);
    refused.findings.push_back({Finding::Severity::Error, error.what()});
    return refused;
  }
  if (options.encodings) return import_encoded(file, bytes, format, options);
  if (format == FileFormat::Tosa) return import_tosa(file, bytes, options);
  if (format == FileFormat::Onnx) return import_onnx(file, bytes, options);
  if (format == FileFormat::TfLite) return import_tflite(file, bytes, options);
  if (format == FileFormat::MlirText) return import_mlir(file, bytes, options);
  ImportResult result;
  result.findings.push_back({Finding::Severity::Error, base::UserError(file, what_takes(format)).what()});
  return result;
}

ir::Graph take_graph(ImportResult& result) {
  if (result.graph) return std::move(*std::exchange(result.graph, std::nullopt));
  std::vector<std::string> errors;
  for (const Finding& finding : result.findings) {
    if (is_refusal(finding.severity)) errors.push_back(line_of(finding));
  }
  VERNIER_CHECK(!errors.empty(), "an import without a graph has an error");
  throw base::UserErrors(errors);
}

ir::Graph import_graph(const std::string& file, std::span<const std::byte> bytes, const ir::Level& level) {
  ImportResult result = import_network(file, bytes, {level, {}});
  return take_graph(result);
}

ir::Graph import_file(const std::filesystem::path& path, const ir::Level& level) {
  return import_graph(path.string(), base::read_file(path), level);
}

}  // namespace vernier::import
