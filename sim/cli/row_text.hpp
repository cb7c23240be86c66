// SPDX-License-Identifier: Apache-2.0
// A row of a table on its way from the process that made the run to the one that prints the table.
#pragma once

#include "sim/report/run_table.hpp"

#include <string>

namespace vernier::cli {

/// The figures, warnings and notes of a run, and the machine that it had; a line each.
std::string to_row_text(const report::Report& report);
/// Adds to `row` what to_row_text() wrote. InternalError for anything else.
void read_row_text(const std::string& text, report::TableRow& row);

}  // namespace vernier::cli
