// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/source_nodes.hpp"

#include "compiler/import/file_format.hpp"
#include "compiler/import/onnx/onnx.hpp"
#include "compiler/import/tosa/tosa.hpp"

namespace vernier::import {

SourceNodes source_nodes(const std::string& file, std::span<const std::byte> bytes) {
  return format_of(bytes) == FileFormat::Onnx ? onnx_nodes(file, bytes) : tosa_nodes(file, bytes);
}

}  // namespace vernier::import
