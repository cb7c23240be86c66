// SPDX-License-Identifier: Apache-2.0
// What a JSON report says of each command, for the commands of the package that it was made with.
#pragma once

#include "hw/package/package.hpp"

#include <string>
#include <vector>

namespace vernier::report {

/// Whether `text` is the JSON report of a run (schema vernier-report/1).
bool is_run_report(const std::string& text);

/// By command_idx: "cycles 117 to 512: busy 380, weight_load 15; waited: dma 20". UserError, which names `file`, unless
/// `text` is a report (schema vernier-report/1) of a run of this package that has cycles: the same network, the same
/// machine and --optimize, the same units in the same order.
std::vector<std::string> command_remarks(const std::string& file, const std::string& text, const package::Package& package);

}  // namespace vernier::report
