// SPDX-License-Identifier: Apache-2.0
// Both reports as JSON, "vernier-cosim/1": of a unit and of a network.
#include "sim/cosim/network/cosim.hpp"
#include "sim/cosim/network/network_result.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace vernier::cosim {
namespace {

using Json = nlohmann::ordered_json;

/// Names from files may hold any bytes.
std::string text_of_json(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

/// With four decimals.
double rounded_percent(double percent) { return std::round(10'000 * percent) / 10'000; }

Json value_json(const Shown& value) { return value.number ? Json(*value.number) : text_or_null(value.text); }

Json texts_json(const std::vector<Mismatch>& mismatches) {
  Json json = Json::array();
  for (const Mismatch& mismatch : mismatches) json.push_back(mismatch.print());
  return json;
}

Json details_json(const std::vector<Mismatch>& mismatches) {
  const auto number_or_null = [](int64_t number) { return number < 0 ? Json(nullptr) : Json(number); };
  Json json = Json::array();
  for (const Mismatch& mismatch : mismatches) {
    json.push_back({{"kind", name_of(mismatch.kind)},
                    {"unit", mismatch.unit},
                    {"port", text_or_null(mismatch.port)},
                    {"lane", number_or_null(mismatch.lane)},
                    {"command", text_or_null(mismatch.command)},
                    {"cycle", number_or_null(mismatch.cycle)},
                    {"expected", value_json(mismatch.expected)},
                    {"actual", value_json(mismatch.actual)},
                    {"operands", text_or_null(mismatch.operands)}});
  }
  return json;
}

Json group_json(const NetworkGroup& group) {
  return {{"group", group.name},
          {"commands", group.commands},
          {"macs", group.macs},
          {"vectors", group.vectors},
          {"commands_different", group.commands_different},
          {"mismatches", group.mismatches},
          {"cycle_mismatches", group.cycle_mismatches},
          {"first_mismatch", group.first_mismatch ? Json(group.first_mismatch->print()) : Json(nullptr)},
          {"without_rtl", text_or_null(group.without_rtl)}};
}

}  // namespace

std::string cosim_json(const CosimReport& report, std::string_view tool_version) {
  const LockStepResult& result = report.result;
  Json groups = Json::array();
  for (const LockStepResult::Group& group : result.groups)
    groups.push_back({{"group", group.name}, {"vectors", group.vectors}, {"mismatches", group.mismatches}});
  return text_of_json({{"schema", "vernier-cosim/1"},
                       {"tool_version", tool_version},
                       {"unit", report.options.unit},
                       {"config", report.options.config},
                       {"lanes", report.options.lanes},
                       {"seed", report.options.seed},
                       {"result", result.mismatches == 0 ? "match" : "mismatch"},
                       {"vectors", result.vectors},
                       {"mismatches", result.mismatches},
                       {"cycle_mismatches", result.cycle_mismatches},
                       {"model_cycles", result.model_cycles},
                       {"rtl_cycles", result.rtl_cycles},
                       {"latency_cycles", report.latency_cycles},
                       {"commands_compared", result.commands},
                       {"commands_without_rtl", 0},
                       {"coverage_bins", report.bins_legal},
                       {"coverage_bins_hit", report.bins_hit},
                       {"coverage_percent", rounded_percent(report.coverage_percent())},
                       {"groups", groups},
                       {"replay", text_or_null(report.replay_file)},
                       {"first_mismatches", texts_json(result.first_mismatches)},
                       {"mismatch_details", details_json(result.first_mismatches)}});
}

std::string network_json(const NetworkReport& report, std::string_view tool_version) {
  const NetworkResult& result = report.result;
  Json groups = Json::array();
  for (const NetworkGroup& group : result.groups) groups.push_back(group_json(group));
  const EndToEnd& end = report.end_to_end;
  return text_of_json({{"schema", "vernier-cosim/1"},
                       {"tool_version", tool_version},
                       {"unit", "datapath"},
                       {"model", report.model},
                       {"config", report.config},
                       {"lanes", report.lanes},
                       {"seed", report.seed},
                       {"result", report.outcome()},
                       {"vectors", result.vectors()},
                       {"mismatches", result.mismatches()},
                       {"cycle_mismatches", result.cycle_mismatches()},
                       {"model_cycles", result.model_cycles},
                       {"rtl_cycles", result.rtl_cycles},
                       {"commands_compared", result.commands_compared()},
                       {"commands_different", result.commands_different()},
                       {"commands_without_rtl", result.commands - result.commands_compared()},
                       {"pairs_compared", result.pairs},
                       {"macs", result.macs},
                       {"macs_compared", result.macs_compared},
                       {"coverage_bins", result.bins_legal},
                       {"coverage_bins_hit", result.bins_hit},
                       {"coverage_percent", rounded_percent(result.coverage_percent())},
                       {"unused", text_or_null(report.unused)},
                       {"replay", text_or_null(report.replay_file)},
                       {"groups", groups},
                       {"first_mismatches", texts_json(result.first_mismatches)},
                       {"mismatch_details", details_json(result.first_mismatches)},
                       {"check",
                        {{"result", end.elements_different == 0 ? "match" : "mismatch"},
                         {"elements_compared", end.elements_compared},
                         {"elements_different", end.elements_different},
                         {"first_difference", text_or_null(end.first_difference)}}}});
}

}  // namespace vernier::cosim
