// SPDX-License-Identifier: Apache-2.0
// The layers of a report as node data of Google's Model Explorer: a file for each figure, since a file holds one value a
// node.
#pragma once

#include "sim/report/report.hpp"

#include <string>
#include <vector>

namespace vernier::report {

/// What FILE.mx.json is asked for as, whatever the figure.
inline constexpr std::string_view kNodeDataEnding = ".mx.json";

/// A file and what it holds.
struct NodeDataFile {
  std::string file, text;
};
/// The files that go with FILE.mx.json, which has the cycles: FILE.share.mx.json, FILE.sram_bytes.mx.json,
/// FILE.external_bytes.mx.json and FILE.bound.mx.json.
std::vector<std::string> node_data_files(const std::string& file);
/// What is in them, of a report with a source graph. Figures of a layer stand at the node of its main operator alone, so
/// that groups of nodes add up; what bounds it stands at all of its nodes.
std::vector<NodeDataFile> node_data(const Report& report, const std::string& file);
/// Layers that took cycles and have no node in the source graph.
std::vector<std::string> layers_without_node(const Report& report);

}  // namespace vernier::report
