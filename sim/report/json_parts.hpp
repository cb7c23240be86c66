// SPDX-License-Identifier: Apache-2.0
// Of the JSON report, what the HTML page takes by itself.
#pragma once

#include "sim/report/report.hpp"

#include <string>
#include <vector>

namespace vernier::report {

/// The JSON report with empty lists of commands and of blocks of SRAM, ASCII.
std::string to_json_without_lists(const Report& report);
/// A text as JSON in ASCII, with its quotes. What is not UTF-8 is replaced.
std::string json_text(const std::string& text);
std::string json_text(const std::vector<std::string>& texts);

}  // namespace vernier::report
