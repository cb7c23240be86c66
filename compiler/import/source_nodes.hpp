// SPDX-License-Identifier: Apache-2.0
// The nodes of a network's file under the keys that Google's Model Explorer gives them (tosa-adapter-model-explorer 0.1.0,
// model-explorer-onnx 0.4.2), and the layer of each: where a report can be laid over the graph that its reader sees.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace vernier::import {

struct SourceNode {
  std::string key;    // "main/op3" of a .tosa file, the node's name of an ONNX file
  std::string layer;  // as ImportResult::names has it
  std::string kind;   // "CONV2D", "Conv"
};
struct SourceNodes {
  std::string graph;              // the name of the region, or of the ONNX graph
  std::vector<SourceNode> nodes;  // in the order of the file, without constants
};
/// Of a file that import_network() has read without an error; `file` names it in messages.
SourceNodes source_nodes(const std::string& file, std::span<const std::byte> bytes);

}  // namespace vernier::import
