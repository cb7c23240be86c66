// SPDX-License-Identifier: Apache-2.0
#include "sim/report/command_remarks.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/disassembler.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace vernier::report {
namespace {

using base::with_thousands;
using Json = nlohmann::ordered_json;

/// "busy 380, weight_load 15"
std::string counts_text(int64_t busy_cycles, const Json& counts) {
  std::string text = busy_cycles > 0 ? fmt::format("busy {}", with_thousands(busy_cycles)) : "";
  for (const auto& [name, cycles] : counts.items())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, with_thousands(cycles.get<int64_t>()));
  return text;
}

std::string remark_of(const Json& command) {
  const auto start = command.at("start_cycle").get<int64_t>(), end = command.at("end_cycle").get<int64_t>();
  const std::string flight = counts_text(command.at("busy_cycles").get<int64_t>(), command.at("stall_cycles"));
  const std::string waits = counts_text(0, command.at("wait_cycles"));
  return fmt::format("cycles {} to {}{}{}", with_thousands(start), with_thousands(end), flight.empty() ? "" : ": " + flight,
                     waits.empty() ? "" : "; waited: " + waits);
}

/// Names of units as a report has them, of a command as it is listed.
std::string unit_of(const package::ListedCommand& command) {
  static const std::map<std::string, std::string> kNames{
      {"mac", "mac_array"}, {"vec", "vector_unit"}, {"dma", "dma"}, {"end", "command_processor"}};
  const auto found = kNames.find(command.unit);
  return found == kNames.end() ? "" : found->second;
}

/// What does not fit, as an end of a sentence that begins with the file; empty when all does.
std::string misfit(const Json& json, const package::Package& package) {
  const Json& config = json.at("config");
  if (json.at("model").at("sha256") != package.model_sha256) return "a run of another network";
  const auto machine = config.at("name").get<std::string>();
  if (machine != package.config.name) return fmt::format("a run on {}, the package is for {}", machine, package.config.name);
  const auto optimize = config.at("optimize").get<int64_t>();
  if (optimize != package.optimize)
    return fmt::format("a run at --optimize {}, the package is for {}", optimize, package.optimize);
  if (!package.flow.steps.empty()) return "several streams, which one list of commands cannot show";
  const Json& commands = json.at("commands");
  if (commands.empty()) return "a run without cycles, of backend reference";
  const std::vector<package::ListedCommand> listed = package::list_commands(package);
  if (commands.size() != listed.size())
    return fmt::format("a run of {} commands, the package has {}", commands.size(), listed.size());
  for (size_t i = 0; i < listed.size(); ++i) {
    if (commands[i].at("unit") != unit_of(listed[i])) return fmt::format("a run of other commands, from command {} on", i);
  }
  return "";
}

bool is_run_report(const Json& json) { return json.is_object() && json.value("schema", Json()) == "vernier-report/1"; }

}  // namespace

bool is_run_report(const std::string& text) { return is_run_report(Json::parse(text, nullptr, false)); }

std::vector<std::string> command_remarks(const std::string& file, const std::string& text, const package::Package& package) {
  const Json json = Json::parse(text, nullptr, false);
  if (!is_run_report(json)) throw base::UserError(file, "is no JSON report of a run (schema vernier-report/1)");
  try {
    if (const std::string what = misfit(json, package); !what.empty())
      throw base::UserError(file, "is the report of {}", what);
    std::vector<std::string> remarks;
    for (const Json& command : json.at("commands")) remarks.push_back(remark_of(command));
    return remarks;
  } catch (const Json::exception& error) {
    throw base::UserError(file, "is a damaged report: {}", error.what());
  }
}

}  // namespace vernier::report
