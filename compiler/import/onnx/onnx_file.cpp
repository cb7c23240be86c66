// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/onnx.hpp"
#include "compiler/import/onnx/onnx_reader.hpp"
#include "compiler/import/quantized/lower.hpp"

#include <algorithm>
#include <google/protobuf/stubs/logging.h>
#include <limits>

namespace vernier::import {

namespace {

void parse(onnx_file::Source& source, std::span<const std::byte> bytes, onnx::ModelProto& model) {
  constexpr size_t kMostBytes = std::numeric_limits<int>::max();
  google::protobuf::SetLogHandler(nullptr);  // what is wrong is told by findings
  if (bytes.size() > kMostBytes || !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    source.add_mistake("a damaged or truncated ONNX file ({} bytes)", bytes.size());
  } else if (!model.has_graph()) {
    source.add_mistake("an ONNX file without a graph");
  }
}

}  // namespace

OnnxNetwork read_onnx(const std::string& file, std::span<const std::byte> bytes) {
  onnx_file::Source source(file);
  onnx::ModelProto model;
  quantized::Network network;
  parse(source, bytes, model);
  if (source.mistakes().empty()) {
    network = onnx_file::read_network(source, model);
    const bool is_whole = source.mistakes().empty();
    onnx_file::resolve_qonnx(source, model, network);
    // Of a file that is refused the operators that there are not, too.
    if (!is_whole) {
      for (const Finding& finding : quantized::unknown_operators(file, network)) source.add_line(finding.text);
    }
  }
  if (source.mistakes().empty()) onnx_file::sort_nodes(source, network);
  OnnxNetwork result;
  if (source.mistakes().empty()) {
    result.network = std::move(network);
    for (const std::string& warning : source.warnings()) result.findings.push_back({Finding::Severity::Warning, warning});
  }
  for (const std::string& mistake : source.mistakes()) {
    if (result.findings.size() < ir::kMostMistakes) result.findings.push_back({Finding::Severity::Error, mistake});
  }
  return result;
}

SourceNodes onnx_nodes(const std::string& file, std::span<const std::byte> bytes) {
  onnx_file::Source source(file);
  onnx::ModelProto model;
  parse(source, bytes, model);
  VERNIER_CHECK(source.mistakes().empty(), "{} has been read before", file);
  const onnx::GraphProto& graph = model.graph();
  SourceNodes found;
  found.graph = graph.has_name() ? graph.name() : "<main>";
  // What the graph does to the ends (a transpose) is a layer of the end's name.
  const auto add_ends = [&](const auto& ends, const char* kind) {
    for (const onnx::ValueInfoProto& end : ends)
      found.nodes.push_back({fmt::format("[value] {}", end.name()), end.name(), kind});
  };
  add_ends(graph.input(), "Input");
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    if (node.op_type() == "Constant") continue;
    const std::string number = fmt::format("<node_{}>", i);
    const std::string first = node.output_size() > 0 ? node.output(0) : "";
    found.nodes.push_back(
        {node.name().empty() ? number : node.name(), node.name().empty() ? first : node.name(), node.op_type()});
  }
  add_ends(graph.output(), "Output");
  return found;
}

ImportResult import_onnx(const std::string& file, std::span<const std::byte> bytes, const Options& options) {
  OnnxNetwork read = read_onnx(file, bytes);
  ImportResult result;
  if (read.network) result = quantized::lower(file, *std::move(read.network), options);
  result.findings.insert(result.findings.end(), read.findings.begin(), read.findings.end());
  return result;
}

}  // namespace vernier::import
