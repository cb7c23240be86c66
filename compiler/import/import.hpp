// SPDX-License-Identifier: Apache-2.0
// Files to graphs. File-format types never leave this folder.
#pragma once

#include "compiler/ir/graph.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace vernier::import {

/// Reads any supported file (today: .tosa flatbuffers, TOSA 1.0.x) and verifies the graph. UserError on anything wrong.
ir::Graph import_file(const std::filesystem::path& path, const ir::Level& level);

/// A TOSA 1.0.x flatbuffer from memory; `file` names it in messages. Verified: structure, types, shapes, ERROR_IFs, level.
ir::Graph import_tosa(const std::string& file, std::span<const std::byte> bytes, const ir::Level& level);

}  // namespace vernier::import
