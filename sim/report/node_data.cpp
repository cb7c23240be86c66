// SPDX-License-Identifier: Apache-2.0
#include "sim/report/node_data.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace vernier::report {
namespace {

using Json = nlohmann::ordered_json;

enum class Figure : uint8_t { Cycles, Share, SramBytes, ExternalBytes, Bound };
struct FigureInfo {
  Figure figure;
  std::string_view infix, name;  // of the file; in the viewer's list
};
constexpr std::array<FigureInfo, 5> kFigures{{{Figure::Cycles, "", "cycles"},
                                              {Figure::Share, ".share", "share of cycles (%)"},
                                              {Figure::SramBytes, ".sram_bytes", "SRAM bytes"},
                                              {Figure::ExternalBytes, ".external_bytes", "external bytes"},
                                              {Figure::Bound, ".bound", "bound by"}}};
/// From the least to the greatest value.
constexpr std::string_view kLeastColor = "#ffffff", kGreatestColor = "#e34a33";
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kBoundColors{
    {{"compute", "#a6dba0"}, {"sram", "#d4b9da"}, {"external", "#fdb863"}, {"vector", "#9ecae1"}, {"control", "#d9d9d9"}}};
constexpr double kHundredths = 100;

Json result_of(const Report& report, const Layer& layer, Figure figure) {
  const Traffic& traffic = layer.traffic;
  switch (figure) {
    case Figure::Cycles: return {{"value", layer.attributed_cycles}};
    case Figure::Share: {
      const double percent =
          report.cycles == 0 ? 0 : 100.0 * static_cast<double>(layer.attributed_cycles) / static_cast<double>(report.cycles);
      return {{"value", std::round(percent * kHundredths) / kHundredths}};
    }
    case Figure::SramBytes: return {{"value", traffic.sram_read_bytes + traffic.sram_write_bytes}};
    case Figure::ExternalBytes: return {{"value", traffic.external_read_bytes + traffic.external_write_bytes}};
    case Figure::Bound: break;
  }
  for (const auto& [bound, color] : kBoundColors) {
    if (bound == layer.bound_by) return {{"value", layer.bound_by}, {"bgColor", color}};
  }
  return {{"value", layer.bound_by}};
}

/// Nodes of each layer by name, the one of its main operator first.
std::map<std::string, std::vector<const SourceGraph::Node*>> nodes_by_layer(const Report& report) {
  std::map<std::string, std::vector<const SourceGraph::Node*>> nodes;
  for (const SourceGraph::Node& node : report.source_graph.nodes) nodes[node.layer].push_back(&node);
  for (const Layer& layer : report.layers) {
    const auto found = nodes.find(layer.name);
    if (found == nodes.end()) continue;
    for (const SourceGraph::Node*& node : found->second) {
      if (node->kind != layer.main_operator.name) continue;
      std::swap(node, found->second.front());
      break;
    }
  }
  return nodes;
}

std::string text_of(const Report& report, const FigureInfo& info) {
  Json results = Json::object();
  const auto nodes = nodes_by_layer(report);
  for (const Layer& layer : report.layers) {
    const auto found = nodes.find(layer.name);
    if (found == nodes.end()) continue;
    for (const SourceGraph::Node* node : found->second) {
      results[node->key] = result_of(report, layer, info.figure);
      if (info.figure != Figure::Bound) break;
    }
  }
  Json data{{"name", info.name}, {"results", std::move(results)}};
  if (info.figure != Figure::Bound)
    data["gradient"] = {{{"stop", 0}, {"bgColor", kLeastColor}}, {{"stop", 1}, {"bgColor", kGreatestColor}}};
  Json file = Json::object();
  file[report.source_graph.name] = std::move(data);
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::vector<std::string> node_data_files(const std::string& file) {
  VERNIER_CHECK(file.ends_with(kNodeDataEnding), "'{}' is a file of node data", file);
  const std::string stem = file.substr(0, file.size() - kNodeDataEnding.size());
  std::vector<std::string> files;
  for (const FigureInfo& info : kFigures) files.push_back(fmt::format("{}{}{}", stem, info.infix, kNodeDataEnding));
  return files;
}

std::vector<NodeDataFile> node_data(const Report& report, const std::string& file) {
  const std::vector<std::string> names = node_data_files(file);
  std::vector<NodeDataFile> files;
  for (size_t i = 0; i < names.size(); ++i) files.push_back({names[i], text_of(report, kFigures[i])});
  return files;
}

std::vector<std::string> layers_without_node(const Report& report) {
  const auto nodes = nodes_by_layer(report);
  std::vector<std::string> names;
  for (const Layer& layer : report.layers) {
    if (layer.attributed_cycles > 0 && !nodes.contains(layer.name)) names.push_back(layer.name);
  }
  return names;
}

}  // namespace vernier::report
