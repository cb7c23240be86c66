// SPDX-License-Identifier: Apache-2.0
#include "compiler/export/boundary_json.hpp"

#include "hw/base/checksum.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace vernier::exporter {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinities.
Json number_json(float number) {
  if (std::isfinite(number)) return number;
  return number > 0 ? "inf" : "-inf";
}

Json step_json(const package::HostStep& step) {
  Json json{{"operator", package::to_string(step.kind)}, {"name", step.name}};
  if (!step.operands.empty()) json["operands"] = step.operands;
  if (package::has_constant(step)) json["shape"] = step.shape;
  if (!step.numbers.empty()) {
    Json numbers = Json::array();
    for (const float number : step.numbers) numbers.push_back(number_json(number));
    json["numbers"] = std::move(numbers);
  }
  const bool is_named = step.kind >= package::HostOperator::Softmax && step.kind <= package::HostOperator::Reshape;
  if (is_named || !step.dimensions.empty()) json["dimensions"] = step.dimensions;
  return json;
}

Json range_json(const package::RangeRule& rule) {
  Json ranges = Json::array();
  for (const package::RangeRule::Range& range : rule.ranges) ranges.push_back({range.min, range.max});
  Json json{{"mode", package::kRangeModeNames[static_cast<size_t>(rule.mode)]},
            {"round_mode", rule.is_half_to_even ? "HALF_TO_EVEN" : "HALF_AWAY_FROM_ZERO"},
            {"narrow_range", rule.is_narrow},
            {"ensure_minimum_range", rule.ensure_minimum_range},
            {"ranges", std::move(ranges)}};
  if (rule.axis) json["axis"] = *rule.axis;
  return json;
}

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
    if (end.range) entry["quantize_v2"] = range_json(*end.range);
    if (!end.steps.empty()) {
      Json steps = Json::array();
      for (const package::HostStep& step : end.steps) steps.push_back(step_json(step));
      entry["float_shape"] = end.source_shape;
      entry["float_operators"] = std::move(steps);
    }
    if (!end.reads.empty()) entry["reads"] = end.reads;
    if (end.keeps_bits) entry["keeps_bits"] = true;
    if (end.rounds_away) entry["rounds_away"] = true;
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
