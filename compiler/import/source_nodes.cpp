// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/source_nodes.hpp"

#include "compiler/import/file_format.hpp"
#include "compiler/import/onnx/onnx.hpp"
#include "compiler/import/tosa/tosa.hpp"
#include "hw/base/error.hpp"

namespace vernier::import {

SourceNodes source_nodes(const std::string& file, std::span<const std::byte> bytes) {
  const FileFormat format = format_of(bytes);
  if (format == FileFormat::Onnx) return onnx_nodes(file, bytes);
  if (format == FileFormat::Tosa) return tosa_nodes(file, bytes);
  throw base::UserError(file, "node data (.mx.json) are for TOSA flatbuffers and ONNX files, and this is none of them");
}

}  // namespace vernier::import
