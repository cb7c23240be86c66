// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/files/disassemble.hpp"

#include "hw/base/file.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/report_files.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/model/choices.hpp"
#include "sim/flow/model/layer_choice.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/command_remarks.hpp"
#include "sim/report/layer_names.hpp"
#include "sim/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace vernier::flow {
namespace {

/// The commands of --layer and --unit; empty where neither is given.
std::function<bool(const package::ListedCommand&)> filter_of(const DisasmRequest& request, const package::Package& package) {
  const std::map<std::string, std::string> long_names{{"mac_array", "mac"}, {"vector_unit", "vec"}};
  std::optional<std::string> unit = request.unit;
  if (unit && long_names.contains(*unit)) unit = long_names.at(*unit);
  std::optional<int64_t> layer_idx;
  if (request.layer) layer_idx = choose_layer("--layer", *request.layer, package);
  if (!unit && !layer_idx) return {};
  return [unit, layer_idx](const package::ListedCommand& listed) {
    return (!unit || listed.unit == *unit) && (!layer_idx || listed.layer_idx == *layer_idx);
  };
}

}  // namespace

Disassembly disassemble(const DisasmRequest& request) {
  if (request.unit) check_choice("--unit", *request.unit, {"mac", "vec", "dma", "mac_array", "vector_unit"});
  check_report_places(request.report_files, {".json"});
  std::vector<Place> read{{"PACKAGE", request.package}};
  if (request.cycles) read.push_back({"--cycles", *request.cycles});
  refuse_overwriting(read, places_of("--report", request.report_files));
  Disassembly result{.package = package::from_bytes(request.package, base::read_file(request.package))};
  result.is_wanted = filter_of(request, result.package);
  if (request.cycles)
    result.remarks = report::command_remarks(*request.cycles, base::read_text_file(*request.cycles), result.package);
  base::FileSet files;
  add_texts(files, request.report_files, [&] { return to_json(result); });
  files.commit();
  return result;
}

std::string to_text(const Disassembly& disassembly, int64_t columns) {
  const package::Package& package = disassembly.package;
  package::DisassemblyStyle style;
  style.width_columns = columns;
  // Names leave room for what they stand before.
  std::vector<std::string> names;
  for (const package::LayerEntry& layer : package.layers) names.push_back(layer.name);
  const int64_t name_columns = std::clamp<int64_t>(columns / 3, 16, 48);
  for (const std::string& name : report::fit_names(report::shorten_layer_names(names).names, name_columns))
    style.layer_names.push_back(fmt::format("{} {}", style.layer_names.size(), name));
  style.is_wanted = disassembly.is_wanted;
  style.remarks = disassembly.remarks;
  style.has_legend = true;
  return package::disassemble(package, style);
}

std::string to_json(const Disassembly& disassembly) {
  return report::to_json(disassembly.package, tool_version(), disassembly.is_wanted);
}

}  // namespace vernier::flow
