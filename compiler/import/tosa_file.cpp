// SPDX-License-Identifier: Apache-2.0
// The frame of a .tosa file: identifier, buffer verifier, version, the main block.
#include "compiler/import/import.hpp"
#include "compiler/import/tosa_reader.hpp"

#include "tosa_generated.h"
#include <algorithm>
#include <cctype>

namespace vernier::import {

namespace {

constexpr uint32_t kMaxDepth = 16;         // graph, region, block, operator, attribute are five
constexpr uint32_t kMaxTables = 10000000;  // tables of 8 bytes or more

void check_frame(const Source& source, std::span<const std::byte> bytes) {
  if (bytes.empty()) source.fail("the file is empty, expected a TOSA flatbuffer");
  if (const std::string foreign = foreign_file(bytes); !foreign.empty()) source.fail("{}", foreign);
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

void check_version(const Source& source, const tosa::Version* version) {
  if (version == nullptr) source.fail("the file has no TOSA version, allowed is 1.0.x");
  if (version->_major() != 1 || version->_minor() != 0) {
    source.fail("TOSA version {}.{}.{}{}, allowed is 1.0.x: tosa-opt --tosa-attach-target=specification_version=1.0",
                version->_major(), version->_minor(), version->_patch(), version->_draft() ? " draft" : "");
  }
}

/// The first block of the region "main", or of the first region where none has that name.
const tosa::TosaBasicBlock& main_block(const Source& source, const tosa::TosaGraph& graph) {
  if (graph.regions() == nullptr || graph.regions()->size() == 0) source.fail("the graph has no region, needed is one");
  const tosa::TosaRegion* main = graph.regions()->Get(0);
  for (const tosa::TosaRegion* region : *graph.regions()) {
    if (region->name() != nullptr && region->name()->string_view() == "main") {
      main = region;
      break;
    }
  }
  if (main->blocks() == nullptr || main->blocks()->size() == 0) source.fail("the main region has no block, needed is one");
  return *main->blocks()->Get(0);
}

}  // namespace

void Source::charge(uint64_t bytes) {
  if (bytes > budget_bytes_) fail("pieces of the file overlap: it unpacks to more than 64 times its size");
  budget_bytes_ -= bytes;
}

Imported import_tosa(const std::string& file, std::span<const std::byte> bytes, const Options& options) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 8 != 0) {
    const std::vector<std::byte> aligned(bytes.begin(), bytes.end());
    return import_tosa(file, aligned, options);
  }
  Source source(file, bytes.size());
  check_frame(source, bytes);
  const tosa::TosaGraph& tosa_graph = *tosa::GetTosaGraph(bytes.data());
  check_version(source, tosa_graph.version());
  Imported imported{read_block(source, main_block(source, tosa_graph)), {}};
  imported.open_inputs = ir::complete_shapes(imported.graph, file, options.level, options.open);
  ir::verify(imported.graph, file, options.level);
  return imported;
}

ir::Graph import_tosa(const std::string& file, std::span<const std::byte> bytes, const ir::Level& level) {
  return import_tosa(file, bytes, Options{level, {}}).graph;
}

}  // namespace vernier::import
