// SPDX-License-Identifier: Apache-2.0
// Jobs of several networks on one machine: how long they waited and took, network by network. docs/reference/jobs.md defines
// every field with its unit; the names of the JSON, schema vernier-jobs/1, are the names there.
#pragma once

#include "sim/report/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::report {

/// Of a list of cycles, by nearest rank: the p-th percentile is the least value that at least p of 100 do not exceed.
struct Percentiles {
  int64_t median = 0, p90 = 0, p99 = 0, most = 0;
  bool operator==(const Percentiles&) const = default;
};
/// All zeros of an empty list.
Percentiles percentiles_of(std::vector<int64_t> values);

struct JobRow {
  int64_t network_idx = 0;
  int64_t arrival_cycle = -1, start_cycle = -1, end_cycle = -1, told_cycle = -1;  // -1: it did not happen
  int64_t busy_cycles = 0;                                                        // in which its streams ran
  std::string outcome;                                                            // "done", "fault", ...
  std::string detail{};                                                           // of one that went wrong, one line
};

struct JobNetwork {
  std::string model;  // file
  int64_t jobs = 0, jobs_done = 0;
  int64_t stream_cycles = 0;     // of one job, in which its streams ran
  Percentiles latency_cycles{};  // from arrival until the host knows the end, of jobs that are done
  Percentiles waiting_cycles{};  // from arrival to start
  double jobs_per_second = 0;    // done, from the first arrival of the network to the last end
  int64_t sram_base = 0, sram_bytes = 0, external_base = 0, external_bytes = 0;
  int64_t jobs_different = 0;  // whose outputs are not the reference's
};

struct JobTable {
  std::string tool_version, config, control, firmware;
  int64_t clock_hz = 0;
  int64_t inferences = 0, arrival_cycles = 0;  // of each network; between two of its jobs, 0: all come at once
  int64_t boot_cycles = 0;
  int64_t total_cycles = 0;  // from the first arrival to the last end
  int64_t busy_cycles = 0;   // in which a stream ran
  bool is_checked = false;
  std::vector<JobNetwork> networks;
  std::vector<JobRow> jobs;
};

/// Fills in what follows from `jobs`, for the table and for each network.
void add_figures(JobTable& table);
/// The JSON table with a newline at the end.
std::string to_json(const JobTable& table);
/// For people.
std::string to_text(const JobTable& table, const TextStyle& style);
/// In one line.
std::string to_summary(const JobTable& table);
/// A line with its end: which job was the first that did not end as it should, and why. Empty where all are done.
std::string first_not_done(const JobTable& table);

}  // namespace vernier::report
