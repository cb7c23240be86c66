// SPDX-License-Identifier: Apache-2.0
// The frame of a .tosa file: identifier, buffer verifier, version, the main block.
#include "compiler/import/tosa/tosa.hpp"
#include "compiler/import/tosa/tosa_edges.hpp"
#include "compiler/import/tosa/tosa_reader.hpp"

#include "tosa_generated.h"
#include <algorithm>
#include <cctype>

namespace vernier::import {

namespace {

constexpr uint32_t kMaxDepth = 16;         // graph, region, block, operator, attribute are five
constexpr uint32_t kMaxTables = 10000000;  // tables of 8 bytes or more

void check_frame(const Source& source, std::span<const std::byte> bytes) {
  if (bytes.empty()) source.fail("the file is empty, expected a TOSA flatbuffer");
  if (bytes.size() < 8) source.fail("{} bytes are too few for a TOSA flatbuffer", bytes.size());
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) source.fail("{} bytes, a flatbuffer has less than 2^31", bytes.size());
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  if (!tosa::TosaGraphBufferHasIdentifier(data)) {
    std::string found;
    for (size_t i = 4; i < 8; ++i) found += std::isprint(data[i]) != 0 ? static_cast<char>(data[i]) : '?';
    source.fail("not a TOSA flatbuffer: its identifier is '{}', expected 'TOSA'", found);
  }
  flatbuffers::Verifier verifier(data, bytes.size(), kMaxDepth, kMaxTables);
  if (!tosa::VerifyTosaGraphBuffer(verifier)) source.fail("a damaged or truncated TOSA flatbuffer ({} bytes)", bytes.size());
}

/// "1.1.0 draft"
std::string version_text(const tosa::Version& version) {
  return fmt::format("{}.{}.{}{}", version._major(), version._minor(), version._patch(), version._draft() ? " draft" : "");
}

/// Patch numbers and drafts change no integer operator.
void check_version(const Source& source, const tosa::Version* version) {
  if (version == nullptr) source.fail("the file has no TOSA version, allowed are 1.0.x and 1.1.x");
  if (version->_major() != 1 || (version->_minor() != 0 && version->_minor() != 1)) {
    source.fail("TOSA version {}, allowed are 1.0.x and 1.1.x: tosa-opt --tosa-attach-target=specification_version=1.0",
                version_text(*version));
  }
}

/// The region "main", or the first one where none has that name; it has a block.
const tosa::TosaRegion& main_region(const Source& source, const tosa::TosaGraph& graph) {
  if (graph.regions() == nullptr || graph.regions()->size() == 0) source.fail("the graph has no region, needed is one");
  const tosa::TosaRegion* main = graph.regions()->Get(0);
  for (const tosa::TosaRegion* region : *graph.regions()) {
    if (region->name() != nullptr && region->name()->string_view() == "main") {
      main = region;
      break;
    }
  }
  if (main->blocks() == nullptr || main->blocks()->size() == 0) source.fail("the main region has no block, needed is one");
  return *main;
}

/// The layer of each operator: its location, or the name of its first result.
std::vector<std::string> layer_names(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (const ir::Operator& op : graph.operators)
    names.push_back(op.location.empty() ? graph.tensor(op.outputs.at(0)).name : op.location);
  return names;
}

/// Formats are for float inputs without one; here each has one.
void refuse_formats(const ir::Graph& graph, const FloatEdges& edges, const Options& options) {
  std::vector<std::string> names;
  for (const ir::TensorId id : graph.inputs) names.push_back(graph.tensor(id).name);
  for (const auto& [name, format] : options.input_formats) {
    ir::check_input_name("--input-format", name, names);
    if (edges.inputs.contains(name))
      throw base::UserError("--input-format",
                            "input '{}' is quantized by the network itself, allowed are inputs without a quantizer", name);
    const auto id = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                 [&, &wanted = name](ir::TensorId input) { return graph.tensor(input).name == wanted; });
    throw base::UserError("--input-format", "input '{}' holds {}, allowed are inputs of float32", name,
                          base::to_string(graph.tensor(*id).type));
  }
}

/// Everything up to the first step with a mistake.
void read(Source& source, std::span<const std::byte> bytes, const Options& options, ImportResult& result) {
  check_frame(source, bytes);
  const tosa::TosaGraph& tosa_graph = *tosa::GetTosaGraph(bytes.data());
  check_version(source, tosa_graph.version());
  const tosa::TosaRegion& region = main_region(source, tosa_graph);
  const tosa::TosaBasicBlock& block = *region.blocks()->Get(0);
  const std::vector<NamedBlock> regions = list_regions(tosa_graph, region, block);
  std::vector<const tosa::TosaBasicBlock*> blocks{&block};
  for (const NamedBlock& named : regions) blocks.push_back(named.block);
  const std::string version = version_text(*tosa_graph.version());
  if (const std::string newer = newer_parts(tosa_graph, blocks); !newer.empty())
    source.fail("TOSA {} with what TOSA 1.0 does not have: {}", version, newer);
  const bool is_1p0 = tosa_graph.version()->_minor() == 0;
  if (!is_1p0) {
    const base::UserError warning(source.file(), "TOSA {} is read by the tables of TOSA 1.0", version);
    result.findings.push_back({Finding::Severity::Warning, warning.what()});
  }
  FloatEdges edges;
  source.attempt([&] { edges = find_float_edges(source, block); });
  if (!source.mistakes().empty()) return;
  VariableList variables;
  ir::Graph graph = read_block(source, block, edges, variables);
  if (!source.mistakes().empty()) return;
  read_regions(source, regions, variables, graph);
  if (!source.mistakes().empty()) return;
  graph.variables = variables.release();
  ir::CompletedShapes completed = ir::complete_shapes(graph, source.file(), options.level, options.open);
  for (const std::string& mistake : ir::find_mistakes(graph, source.file(), options.level)) source.add_mistake(mistake);
  if (!source.mistakes().empty()) return;
  ir::judge_regions(graph, source.file(), options.level);
  refuse_formats(graph, edges, options);
  const bool has_edges = !edges.operators.empty();
  finish_boundary(source, graph, edges.boundary);
  for (const std::string& line : wrapping_inputs(graph, edges.boundary)) {
    const base::UserError warning(source.file(), std::string_view(line));
    result.findings.push_back({Finding::Severity::Warning, warning.what()});
  }
  add_unsigned_inputs(graph, edges.boundary);
  result.boundary = std::move(edges.boundary);
  result.names = layer_names(graph);
  result.graph = std::move(graph);
  result.open_inputs = std::move(completed.open_inputs);
  result.is_whole_tosa = is_1p0 && !completed.has_changes && !has_edges;
}

}  // namespace

void Source::charge(uint64_t bytes) {
  if (bytes > budget_bytes_)
    throw LastMistake(file_, "pieces of the file overlap: it unpacks to more than 64 times its size");
  budget_bytes_ -= bytes;
}

void Source::add_mistake(const std::string& line) {
  if (std::find(mistakes_.begin(), mistakes_.end(), line) != mistakes_.end()) return;
  if (mistakes_.size() == ir::kMostMistakes)
    throw LastMistake(file_, "there are more mistakes than these {}", ir::kMostMistakes);
  mistakes_.push_back(line);
}

SourceNodes tosa_nodes(const std::string& file, std::span<const std::byte> bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 8 != 0) {
    const std::vector<std::byte> aligned(bytes.begin(), bytes.end());
    return tosa_nodes(file, aligned);
  }
  const Source source(file, bytes.size());
  check_frame(source, bytes);
  const tosa::TosaRegion& region = main_region(source, *tosa::GetTosaGraph(bytes.data()));
  SourceNodes found;
  if (region.name() != nullptr) found.graph = region.name()->str();
  const auto* operators = region.blocks()->Get(0)->operators();
  for (size_t i = 0; operators != nullptr && i < operators->size(); ++i) {
    const tosa::TosaOperator& op = *operators->Get(static_cast<flatbuffers::uoffset_t>(i));
    if (op.op() == tosa::Op::CONST || op.op() == tosa::Op::CONST_SHAPE) continue;
    std::string layer;
    if (op.location() != nullptr && op.location()->text() != nullptr)
      layer = location_name(op.location()->text()->string_view());
    if (layer.empty() && op.outputs() != nullptr && op.outputs()->size() > 0) layer = op.outputs()->Get(0)->str();
    found.nodes.push_back({fmt::format("{}/op{}", found.graph, i), layer, tosa::EnumNameOp(op.op())});
  }
  return found;
}

ImportResult import_tosa(const std::string& file, std::span<const std::byte> bytes, const Options& options) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 8 != 0) {
    const std::vector<std::byte> aligned(bytes.begin(), bytes.end());
    return import_tosa(file, aligned, options);
  }
  ImportResult result;
  Source source(file, bytes.size());
  std::vector<std::string> errors;
  try {
    read(source, bytes, options, result);
  } catch (const base::UserError& error) {
    errors.emplace_back(error.what());
  }
  errors.insert(errors.begin(), source.mistakes().begin(), source.mistakes().end());
  for (std::string& error : errors) result.findings.push_back({Finding::Severity::Error, std::move(error)});
  return result;
}

}  // namespace vernier::import
