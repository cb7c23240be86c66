// SPDX-License-Identifier: Apache-2.0
// Several runs as one table. The program makes each in a process of its own; here are the rows, and the same table without
// processes.
#pragma once

#include "sim/flow/observer.hpp"
#include "sim/flow/run/run.hpp"
#include "sim/report/run_table.hpp"

#include <string>
#include <vector>

namespace vernier::flow {

/// The request once for each combination of a model and a machine, the machine changing fastest. No report is written for
/// one of several runs, and nothing is worked out that only a report of its own would show.
std::vector<RunRequest> combinations(const RunRequest& request, const std::vector<std::string>& models,
                                     const std::vector<MachineOptions>& machines);

/// UserError for what is for one run alone, such as a file of its outputs; and where a report of the table takes the place
/// of what the runs read.
void check_several(const std::vector<RunRequest>& requests, const std::vector<std::string>& reports);

/// What is known of a run before it is made. UserError for everything that is wrong with its machine.
report::TableRow row_of(const RunRequest& request);
/// What became of it.
void fill_row(report::TableRow& row, const RunResult& result);

/// Writes the table: .json or .csv.
void write_reports(const report::RunTable& table, const std::vector<std::string>& reports);

/// Makes the runs one after the other. A run that fails is a row with its line, also where the request or the model is
/// wrong.
report::RunTable run_several(const std::vector<RunRequest>& requests, const Observer& observer = {});

}  // namespace vernier::flow
