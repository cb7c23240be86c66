// SPDX-License-Identifier: Apache-2.0
// `vernier compare`: compares the JSON reports of several runs.
#pragma once

#include "sim/report/comparison.hpp"

#include <string>
#include <vector>

namespace vernier::flow {

struct CompareRequest {
  std::vector<std::string> files{};         // two or more; the first is what the others are compared with
  std::vector<std::string> report_files{};  // FILE.json or .html
};

/// UserError for a file that is no such report, and for runs that cannot be compared.
report::Comparison compare(const CompareRequest& request);

}  // namespace vernier::flow
