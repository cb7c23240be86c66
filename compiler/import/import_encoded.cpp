// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/import_encoded.hpp"

#include "compiler/import/aimet/apply_encodings.hpp"
#include "compiler/import/aimet/read_encodings.hpp"
#include "compiler/import/onnx/onnx.hpp"
#include "compiler/import/quantized/lower.hpp"
#include "hw/base/error.hpp"

#include <utility>

namespace vernier::import {

namespace {

void append(std::vector<Finding>& to, std::vector<Finding> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

ImportResult import_encoded(const std::string& file, std::span<const std::byte> bytes, FileFormat format,
                            const Options& options) {
  const EncodingsFile& encodings = *options.encodings;
  aimet::ReadEncodings read = aimet::read_encodings(encodings.text);
  ImportResult result;
  if (format != FileFormat::Onnx) {
    append(result.findings, read.findings.of_file(encodings.file));
    const base::UserError error(file, "is no ONNX file; encodings go with a float network in ONNX");
    result.findings.push_back({Finding::Severity::Error, error.what()});
    return result;
  }
  OnnxNetwork onnx = read_onnx(file, bytes);
  if (onnx.network) aimet::apply_encodings(read.encodings, *onnx.network, read.findings);
  if (onnx.network && read.is_complete()) {
    result = quantized::lower(file, *std::move(onnx.network), options);
  } else if (onnx.network) {
    result.findings = quantized::unknown_operators(file, *onnx.network);
  }
  append(result.findings, std::move(onnx.findings));
  append(result.findings, read.findings.of_file(encodings.file));
  return result;
}

}  // namespace vernier::import
