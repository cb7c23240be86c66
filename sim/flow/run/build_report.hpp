// SPDX-License-Identifier: Apache-2.0
// From what the machine and the checker found to a report.
#pragma once

#include "hw/package/package.hpp"
#include "sim/check/checker.hpp"
#include "sim/report/report.hpp"
#include "sim/soc/npu.hpp"

#include <string>

namespace vernier::flow {

/// Model, configuration, layers (without cycles): what every back end reports. The caller adds the version of the program.
report::Report base_report(const package::Package& package, const std::string& file, const std::string& backend);
/// Adds cycles, traffic, units, stalls and what each layer is bound by.
void add_simulation(report::Report& report, const package::Package& package, const soc::JobResult& job);
/// Adds the outcome of the check; `list_folded` lists what no command materialises.
void add_check(report::Report& report, const package::Package& package, const check::Outcome& outcome, bool list_folded);

}  // namespace vernier::flow
