// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/cosim_command.hpp"

#include "hw/base/file.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/config/toml_config.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/version.hpp"
#include "sim/cosim/cosim.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::cli {

int cosim(const CosimCommand& command) {
  check_report_places(command.reports, {".json"});
  const config::MachineConfig config = config::load_config(command.config);
  cosim::CosimOptions options;
  options.unit = command.unit;
  options.config = config.name;
  options.lanes = config.datapath.lanes;
  options.vectors = command.vectors;
  options.seed = command.seed;
  cosim::CosimReport report;
  try {
    report = cosim::run_cosim(options);
  } catch (const cosim::Hang& hang) {
    print_text(stderr, fmt::format("vernier: {}: {}\n", command.unit, hang.what()));
    return kExitFault;
  }
  const std::string json = cosim::cosim_json(report, tool_version());
  const bool json_on_stdout = std::ranges::find(command.reports, "-") != command.reports.end();
  base::FileSet files;
  for (const std::string& file : command.reports) {
    if (file != "-") files.add_text(file, json);
  }
  files.commit();
  print_text(json_on_stdout ? stderr : stdout, cosim::cosim_text(report));
  if (json_on_stdout) print_text(stdout, json);
  return report.result.mismatches == 0 ? kExitSuccess : kExitMismatch;
}

}  // namespace vernier::cli
