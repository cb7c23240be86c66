// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figures.hpp"
#include "sim/report/layer_story.hpp"

#include <nlohmann/json.hpp>

namespace vernier::report {
namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const std::vector<std::pair<std::string, int64_t>>& counts) {
  Json json = Json::object();
  for (const auto& [name, cycles] : counts) json[name] = cycles;
  return json;
}

Json optional_json(const std::optional<int64_t>& number) { return number ? Json(*number) : Json(nullptr); }

Json operands_json(const std::vector<StoryOperand>& operands) {
  Json json = Json::array();
  for (const StoryOperand& operand : operands) {
    json.push_back(
        {{"tensor", operand.name}, {"type", operand.type}, {"shape", operand.shape}, {"is_constant", operand.is_constant}});
  }
  return json;
}

Json operators_json(const LayerStory& story) {
  Json json = Json::array();
  for (const StoryOperator& op : story.operators) {
    json.push_back({{"name", op.name},
                    {"source_name", op.source_name},
                    {"inputs", operands_json(op.inputs)},
                    {"outputs", operands_json(op.outputs)},
                    {"becomes", op.becomes}});
  }
  return json;
}

Json choices_json(const LayerStory& story) {
  Json json = Json::array();
  for (const StoryChoice& choice : story.choices) {
    Json ways = Json::array();
    for (const StoryWay& way : choice.ways)
      ways.push_back({{"what", way.what}, {"cycles", optional_json(way.cycles)}, {"is_chosen", way.is_chosen}});
    json.push_back({{"step", choice.step}, {"of", choice.of}, {"rule", choice.rule}, {"ways", ways}});
  }
  return json;
}

Json places_json(const LayerStory& story) {
  Json json = Json::array();
  for (const StoryPlace& place : story.places) {
    json.push_back({{"tensor", place.tensor},
                    {"role", place.role},
                    {"is_written", place.is_written},
                    {"memory", place.is_sram ? "sram" : "external"},
                    {"begin_byte", place.begin_byte},
                    {"end_byte", place.end_byte},
                    {"first_cycle", place.first_cycle},
                    {"end_cycle", place.end_cycle},
                    {"num_places", place.num_places}});
  }
  return json;
}

Json units_json(const LayerStory& story) {
  Json json = Json::array();
  for (const StoryUnit& unit : story.units) {
    json.push_back({{"unit", unit.unit},
                    {"commands", unit.commands},
                    {"busy_cycles", unit.busy_cycles},
                    {"stall_cycles", counts_json(unit.stall_cycles)},
                    {"wait_cycles", counts_json(unit.wait_cycles)}});
  }
  return json;
}

}  // namespace

std::string to_json(const LayerStory& story) {
  const Report& report = story.report;
  const Layer& layer = story.layer();
  Json json = Json::object();
  json["schema"] = "vernier-explain/1";
  json["tool_version"] = report.tool_version;
  json["model"] = {{"file", report.model_file}, {"sha256", report.model_sha256}, {"name", report.model_name}};
  json["config"] = {{"name", report.config.name}, {"optimize", report.optimize}};
  json["layer_idx"] = story.layer_idx;
  json["name"] = layer.name;
  json["short_name"] = story.short_name;
  json["total_cycles"] = report.cycles;
  json["attributed_cycles"] = layer.attributed_cycles;
  json["share_percent"] = rounded(share_percent(layer, report));
  json["attributed_cycles_by"] = counts_json(layer.attributed_cycles_by);
  json["first_cycle"] = layer.first_cycle;
  json["last_cycle"] = layer.last_cycle;
  json["macs"] = layer.macs;
  json["mac_utilization_percent"] = rounded(utilization_percent(layer.macs, layer.working_cycles, report.config));
  json["bound_by"] = layer.bound_by;
  json["bound_detail"] = layer.bound_detail;
  json["operators"] = operators_json(story);
  json["choices"] = choices_json(story);
  json["choices_note"] = story.choices_note;
  json["places"] = places_json(story);
  json["units"] = units_json(story);
  json["savings"] = Json::array();
  for (const StorySaving& saving : story.savings)
    json["savings"].push_back({{"words", saving.words}, {"most_cycles", optional_json(saving.most_cycles)}});
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace vernier::report
