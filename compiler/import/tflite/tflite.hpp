// SPDX-License-Identifier: Apache-2.0
// .tflite flatbuffers to graphs.
#pragma once

#include "compiler/import/import_result.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace vernier::import {

/// A TensorFlow Lite flatbuffer from memory: its first subgraph, quantized to int8. `file` names it in findings. Values are
/// those of LiteRT's reference kernels to the last bit (rounding.hpp). All that is not read is an error that names the
/// operator, the tensor and the type, together with all others of the file.
ImportResult import_tflite(const std::string& file, std::span<const std::byte> bytes, const Options& options);

}  // namespace vernier::import
