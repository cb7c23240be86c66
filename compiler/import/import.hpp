// SPDX-License-Identifier: Apache-2.0
// Files to graphs. File-format types never leave this folder.
#pragma once

#include "compiler/ir/graph.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vernier::import {

struct Options {
  ir::Level level = ir::kLevel8k;
  ir::OpenShapes open;  // for dimensions that the file leaves open (-1)
};

struct Imported {
  ir::Graph graph;
  std::vector<std::string> open_inputs;  // names of the graph inputs whose first dimension the file leaves open
};

/// Reads any supported file (today: .tosa flatbuffers, TOSA 1.0.x) and verifies the graph. UserError on anything wrong.
ir::Graph import_file(const std::filesystem::path& path, const ir::Level& level);

/// A TOSA 1.0.x flatbuffer from memory; `file` names it in messages. Verified: structure, types, shapes, ERROR_IFs, level.
Imported import_tosa(const std::string& file, std::span<const std::byte> bytes, const Options& options);
/// The same with a batch of 1 where it is open.
ir::Graph import_tosa(const std::string& file, std::span<const std::byte> bytes, const ir::Level& level);

}  // namespace vernier::import
