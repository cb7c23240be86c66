// SPDX-License-Identifier: Apache-2.0
// ONNX files (protocol buffers of onnx.ModelProto), of opset 10 or newer.
#pragma once

#include "compiler/import/import_result.hpp"
#include "compiler/import/quantized/network.hpp"
#include "compiler/import/source_nodes.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vernier::import {

/// The file's network as it stands there, each node after those that it reads; none after an error.
struct OnnxNetwork {
  std::optional<quantized::Network> network;
  std::vector<Finding> findings;
};
OnnxNetwork read_onnx(const std::string& file, std::span<const std::byte> bytes);

/// A network in QDQ form: QuantizeLinear and DequantizeLinear around its operators. `file` names the file in findings; data
/// that the file keeps in other files is looked for in its folder, and nowhere else.
ImportResult import_onnx(const std::string& file, std::span<const std::byte> bytes, const Options& options);

/// source_nodes() of an ONNX file: nodes, one without a name by its number in the graph, and the ends.
SourceNodes onnx_nodes(const std::string& file, std::span<const std::byte> bytes);

}  // namespace vernier::import
