// SPDX-License-Identifier: Apache-2.0
// A float network with an encodings file.
#pragma once

#include "compiler/import/file_format.hpp"
#include "compiler/import/import_result.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace vernier::import {

/// A float ONNX network, quantized as options.encodings say. What is wrong with either file is told together; findings of
/// the encodings begin with their file and line. A finding of a network of another format.
ImportResult import_encoded(const std::string& file, std::span<const std::byte> bytes, FileFormat format,
                            const Options& options);

}  // namespace vernier::import
