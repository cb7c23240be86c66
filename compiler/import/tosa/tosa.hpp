// SPDX-License-Identifier: Apache-2.0
// .tosa flatbuffers to graphs.
#pragma once

#include "compiler/import/import_result.hpp"
#include "compiler/import/source_nodes.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace vernier::import {

/// A TOSA flatbuffer from memory: 1.0.x, or 1.1.x (draft or not) by the tables of 1.0, with a warning; what 1.1 adds is
/// refused by name, all of it together. `file` names it in findings. Verified: structure, types, shapes, ERROR_IFs, level.
/// An operator gives its layer the name of its location, or of its first result.
ImportResult import_tosa(const std::string& file, std::span<const std::byte> bytes, const Options& options);

/// source_nodes() of a .tosa file: operators of the main block, numbered in it with the constants.
SourceNodes tosa_nodes(const std::string& file, std::span<const std::byte> bytes);

}  // namespace vernier::import
