// SPDX-License-Identifier: Apache-2.0
// A row of a table on its way from the process that made the run to the one that prints the table.
#pragma once

#include "sim/report/run_table.hpp"

#include <string>

namespace vernier::cli {

/// What the row of a run that came to its end has: figures, warnings and notes, and the machine; a line each.
std::string to_row_text(const report::TableRow& row);
/// Adds to `row` what to_row_text() wrote. InternalError for anything else.
void read_row_text(const std::string& text, report::TableRow& row);

}  // namespace vernier::cli
