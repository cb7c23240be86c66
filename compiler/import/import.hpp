// SPDX-License-Identifier: Apache-2.0
// Files to graphs. File-format types never leave this folder.
#pragma once

#include "compiler/import/import_result.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace vernier::import {

/// A network of any supported format, told by its content: .tosa flatbuffers, ONNX and TensorFlow Lite. `file` names it in
/// the findings; external data of an ONNX file lies in its folder. Nothing that is wrong with the file is thrown.
ImportResult import_network(const std::string& file, std::span<const std::byte> bytes, const Options& options);

/// The graph of a result, moved out of it. UserErrors, with the line of each error, when there is none.
ir::Graph take_graph(ImportResult& result);

/// Both, for who wants nothing but the graph.
ir::Graph import_graph(const std::string& file, std::span<const std::byte> bytes, const ir::Level& level);
ir::Graph import_file(const std::filesystem::path& path, const ir::Level& level);

}  // namespace vernier::import
