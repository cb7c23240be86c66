// SPDX-License-Identifier: Apache-2.0
#include "sim/report/comparison.hpp"

#include "hw/base/error.hpp"
#include "sim/report/json_parts.hpp"
#include "sim/report/layer_names.hpp"
#include "sim/report/page_texts.hpp"
#include "sim/report/web_page.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace vernier::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "vernier-report/1";

/// A report, with the file's name for what is wrong with it.
struct Reader {
  std::string file;
  Json json;

  [[nodiscard]] const Json& at(const Json& object, const std::string& name, bool is_right_type(const Json&),
                               const char* wanted) const {
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end() || !is_right_type(*found))
      throw base::UserError(file, "has no '{}' that is {}, expected a report of `vernier run` or `estimate`", name, wanted);
    return *found;
  }
  [[nodiscard]] const Json& object_at(const Json& object, const std::string& name) const {
    return at(
        object, name, [](const Json& j) { return j.is_object(); }, "an object");
  }
  [[nodiscard]] const Json& list_at(const Json& object, const std::string& name) const {
    return at(
        object, name, [](const Json& j) { return j.is_array(); }, "a list");
  }
  [[nodiscard]] int64_t integer_at(const Json& object, const std::string& name) const {
    return at(
               object, name, [](const Json& j) { return j.is_number_integer(); }, "an integer")
        .get<int64_t>();
  }
  [[nodiscard]] double number_at(const Json& object, const std::string& name) const {
    return at(
               object, name, [](const Json& j) { return j.is_number(); }, "a number")
        .get<double>();
  }
  [[nodiscard]] std::string text_at(const Json& object, const std::string& name) const {
    return at(
               object, name, [](const Json& j) { return j.is_string(); }, "a text")
        .get<std::string>();
  }
  [[nodiscard]] ComparedFigures figures_of(const Json& object, const std::string& cycles) const {
    ComparedFigures figures;
    figures.cycles = integer_at(object, cycles);
    figures.mac_utilization_percent = number_at(object, "mac_utilization_percent");
    figures.traffic = {integer_at(object, "sram_read_bytes"), integer_at(object, "sram_write_bytes"),
                       integer_at(object, "external_read_bytes"), integer_at(object, "external_write_bytes")};
    return figures;
  }
};

Reader read(const std::string& file, const std::string& text) {
  Reader reader{file, Json::parse(text, nullptr, false)};
  if (reader.json.is_discarded())
    throw base::UserError(file, "is no JSON, expected a report of `vernier run` or `estimate`");
  const std::string schema = reader.text_at(reader.json, "schema");
  if (schema != kSchema) throw base::UserError(file, "has schema '{}', expected {}", schema, kSchema);
  if (reader.integer_at(reader.object_at(reader.json, "totals"), "cycles") == 0)
    throw base::UserError(file, "has no cycles: backend '{}' is no machine", reader.text_at(reader.json, "backend"));
  return reader;
}

std::string shown(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// What a run was, by the names of the report.
std::vector<std::pair<std::string, std::string>> facts_of(const Reader& reader) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"model.name", reader.text_at(reader.object_at(reader.json, "model"), "name")},
      {"model.sha256", reader.text_at(reader.object_at(reader.json, "model"), "sha256")},
      {"tool_version", reader.text_at(reader.json, "tool_version")}};
  if (const auto run = reader.json.find("run"); run != reader.json.end() && run->contains("commit"))
    facts.emplace_back("run.commit", shown((*run)["commit"]));
  for (const auto& [name, value] : reader.object_at(reader.json, "config").items())
    facts.emplace_back("config." + name, shown(value));
  return facts;
}

void add_differences(Comparison& comparison, const std::vector<Reader>& readers) {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (size_t i = 0; i < readers.size(); ++i) {
    for (const auto& fact : facts_of(readers[i])) {
      auto entry = std::find_if(all.begin(), all.end(), [&](const auto& known) { return known.first == fact.first; });
      if (entry == all.end()) entry = all.insert(all.end(), {fact.first, std::vector<std::string>(readers.size())});
      entry->second[i] = fact.second;
    }
  }
  for (auto& fact : all) {
    const std::vector<std::string>& values = fact.second;
    const auto is_first = [&](const std::string& value) { return value == values.front(); };
    if (!std::all_of(values.begin(), values.end(), is_first)) comparison.differences.push_back(std::move(fact));
  }
}

void add_layers(Comparison& comparison, const Reader& reader, size_t run, size_t num_runs) {
  std::map<std::string, size_t> seen;  // how many layers of that name
  for (const Json& layer : reader.list_at(reader.json, "layers")) {
    const std::string name = reader.text_at(layer, "name");
    size_t before = seen[name]++;
    auto entry = std::find_if(comparison.layers.begin(), comparison.layers.end(),
                              [&](const ComparedLayer& known) { return known.name == name && before-- == 0; });
    if (entry == comparison.layers.end()) {
      entry = comparison.layers.insert(entry, ComparedLayer{name, {}, {}});
      entry->runs.resize(num_runs);
      entry->bound_details.resize(num_runs);
    }
    entry->runs[run] = reader.figures_of(layer, "attributed_cycles");
    if (layer.contains("bound_detail")) entry->bound_details[run] = reader.text_at(layer, "bound_detail");
  }
}

Json figures_json(const ComparedFigures& figures) {
  return {{"cycles", figures.cycles},
          {"mac_utilization_percent", figures.mac_utilization_percent},
          {"sram_read_bytes", figures.traffic.sram_read_bytes},
          {"sram_write_bytes", figures.traffic.sram_write_bytes},
          {"external_read_bytes", figures.traffic.external_read_bytes},
          {"external_write_bytes", figures.traffic.external_write_bytes}};
}

}  // namespace

Comparison compare(const std::vector<std::pair<std::string, std::string>>& reports) {
  std::vector<Reader> readers;
  for (const auto& [file, text] : reports) readers.push_back(read(file, text));
  Comparison comparison;
  for (size_t i = 0; i < readers.size(); ++i) {
    const Json& totals = readers[i].object_at(readers[i].json, "totals");
    comparison.files.push_back(readers[i].file);
    comparison.totals.push_back(readers[i].figures_of(totals, "cycles"));
    comparison.totals.back().seconds = readers[i].number_at(totals, "seconds");
    add_layers(comparison, readers[i], i, readers.size());
  }
  add_differences(comparison, readers);
  return comparison;
}

std::string to_json(const Comparison& comparison, const std::string& tool_version) {
  Json json = {{"schema", "vernier-compare/1"}, {"tool_version", tool_version}, {"runs", Json::array()}};
  for (size_t i = 0; i < comparison.files.size(); ++i) {
    Json run = figures_json(comparison.totals[i]);
    run["file"] = comparison.files[i];
    run["seconds"] = comparison.totals[i].seconds;
    json["runs"].push_back(std::move(run));
  }
  json["differences"] = Json::array();
  for (const auto& [name, values] : comparison.differences)
    json["differences"].push_back({{"name", name}, {"values", values}});
  json["layers"] = Json::array();
  for (const ComparedLayer& layer : comparison.layers) {
    Json runs = Json::array();
    for (size_t i = 0; i < layer.runs.size(); ++i) {
      runs.push_back(nullptr);
      if (!layer.runs[i]) continue;
      runs.back() = figures_json(*layer.runs[i]);
      runs.back()["bound_detail"] = layer.bound_details[i];
    }
    json["layers"].push_back({{"name", layer.name}, {"runs", std::move(runs)}});
  }
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string to_html(const Comparison& comparison, const std::string& tool_version) {
  std::vector<std::string> names;
  for (const ComparedLayer& layer : comparison.layers) names.push_back(layer.name);
  return web_page(
      fmt::format("{} runs compared", comparison.files.size()), kCompareScript,
      {{"comparison", to_json(comparison, tool_version)}, {"short_names", json_text(shorten_layer_names(names).names)}});
}

}  // namespace vernier::report
