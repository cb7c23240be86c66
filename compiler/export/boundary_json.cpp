// SPDX-License-Identifier: Apache-2.0
#include "compiler/export/boundary_json.hpp"

#include "hw/base/checksum.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace vernier::exporter {

namespace {

using Json = nlohmann::ordered_json;

Json ends_json(const std::vector<package::BoundaryEnd>& ends, const ir::Graph& graph, const std::vector<ir::TensorId>& ids) {
  Json list = Json::array();
  for (const package::BoundaryEnd& end : ends) {
    const auto found =
        std::find_if(ids.begin(), ids.end(), [&](ir::TensorId id) { return graph.tensor(id).name == end.tensor; });
    const std::string_view type = base::to_string(graph.tensor(*found).type);
    Json entry{{"tensor", end.tensor},
               {"is_float", end.is_float},
               {"codes", fmt::format("{}{}", end.is_signed ? "" : "u", type)},
               {"scale", end.scale},
               {"zero_point", end.zero_point}};
    if (end.rule) {
      entry["rounding"] = base::to_string(end.rule->rounding);
      entry["least"] = end.rule->least;
      entry["greatest"] = end.rule->greatest;
    }
    if (!end.channels.empty()) {
      Json channels = Json::array();
      for (const package::ChannelScale& one : end.channels) channels.push_back({one.scale, one.zero_point});
      entry["axis"] = end.axis;
      entry["channels"] = std::move(channels);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string to_boundary_json(const package::Boundary& boundary, const ir::Graph& graph, std::span<const std::byte> tosa) {
  Json json = Json::object();
  json["schema"] = "vernier-boundary/1";
  json["tosa_sha256"] = base::sha256_hex(tosa);
  json["inputs"] = ends_json(boundary.inputs, graph, graph.inputs);
  json["outputs"] = ends_json(boundary.outputs, graph, graph.outputs);
  return json.dump(2, ' ', true) + "\n";
}

}  // namespace vernier::exporter
