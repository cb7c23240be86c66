// SPDX-License-Identifier: Apache-2.0
// What an importer is asked for, and what it gives: the same for every format.
#pragma once

#include "compiler/ir/graph.hpp"
#include "hw/package/boundary.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vernier::import {

/// An encodings file of AIMET, which says how a float network is quantized: its name, for findings, and its text.
struct EncodingsFile {
  std::string file, text;
};

struct Options {
  ir::Level level = ir::kLevel8k;
  ir::OpenShapes open;                                    // for dimensions that the file leaves open (-1)
  std::optional<EncodingsFile> encodings = std::nullopt;  // of a float network
};

/// Something that a file is told, in one line that begins with the file's name. A note says what was taken for granted.
struct Finding {
  enum class Severity { Note, Warning, Error } severity = Severity::Error;
  std::string text;
  bool operator==(const Finding&) const = default;
};

struct ImportResult {
  std::optional<ir::Graph> graph;        // verified; absent when a finding is an error
  package::Boundary boundary;            // of the graph: what its ends are in the source
  std::vector<std::string> names;        // of the source's layers, by operator of the graph; those of one layer share theirs
  std::vector<Finding> findings;         // of a step of the import all at once, up to ir::kMostMistakes errors
  std::vector<std::string> open_inputs;  // names of the graph inputs whose first dimension the file leaves open
  bool is_whole_tosa = false;            // the file is TOSA 1.0, and the graph has nothing that it does not say
};

}  // namespace vernier::import
