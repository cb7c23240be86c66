// SPDX-License-Identifier: Apache-2.0
#include "sim/report/job_table.hpp"

#include "hw/base/text.hpp"
#include "sim/report/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace vernier::report {

namespace {

/// The name of its file; with the folder where another one has that name too.
std::string short_name(const JobNetwork& network, const std::vector<JobNetwork>& all) {
  const std::filesystem::path path(network.model);
  const auto num_alike = std::count_if(all.begin(), all.end(), [&](const JobNetwork& other) {
    return std::filesystem::path(other.model).filename() == path.filename();
  });
  if (num_alike < 2) return base::printable(path.filename().string());
  return base::printable((path.parent_path().filename() / path.filename()).string());
}

/// Of the outputs of all jobs that are done.
std::string check_text(const JobTable& table) {
  int64_t num_done = 0, num_different = 0;
  for (const JobNetwork& network : table.networks) {
    num_done += network.jobs_done;
    num_different += network.jobs_different;
  }
  if (!table.is_checked || num_done == 0) return "skipped";
  if (num_different == 0) return "match";
  return fmt::format("MISMATCH, outputs of {} differ from the reference", base::counted(num_different, "job"));
}

int64_t nearest_rank(const std::vector<int64_t>& sorted, int64_t percent) {
  const auto count = static_cast<int64_t>(sorted.size());
  const int64_t rank = std::max<int64_t>(1, (percent * count + 99) / 100);
  return sorted[static_cast<size_t>(rank - 1)];
}

}  // namespace

Percentiles percentiles_of(std::vector<int64_t> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {nearest_rank(values, 50), nearest_rank(values, 90), nearest_rank(values, 99), values.back()};
}

void add_figures(JobTable& table) {
  int64_t first_arrival = INT64_MAX, last_end = 0;
  table.busy_cycles = 0;
  for (const JobRow& job : table.jobs) {
    first_arrival = std::min(first_arrival, job.arrival_cycle);
    last_end = std::max({last_end, job.told_cycle, job.end_cycle});
    table.busy_cycles += job.busy_cycles;
  }
  table.total_cycles = table.jobs.empty() ? 0 : last_end - first_arrival;
  for (size_t i = 0; i < table.networks.size(); ++i) {
    JobNetwork& network = table.networks[i];
    std::vector<int64_t> latencies, waits, streams;
    int64_t begin = INT64_MAX, end = 0;
    network.jobs = 0;
    for (const JobRow& job : table.jobs) {
      if (job.network_idx != static_cast<int64_t>(i)) continue;
      ++network.jobs;
      begin = std::min(begin, job.arrival_cycle);
      if (job.start_cycle >= 0) waits.push_back(job.start_cycle - job.arrival_cycle);
      if (job.outcome != "done") continue;
      end = std::max(end, job.told_cycle);
      latencies.push_back(job.told_cycle - job.arrival_cycle);
      streams.push_back(job.busy_cycles);
    }
    network.jobs_done = static_cast<int64_t>(latencies.size());
    network.stream_cycles = percentiles_of(std::move(streams)).median;
    network.latency_cycles = percentiles_of(std::move(latencies));
    network.waiting_cycles = percentiles_of(std::move(waits));
    if (network.jobs_done > 0 && end > begin)
      network.jobs_per_second =
          static_cast<double>(network.jobs_done) * static_cast<double>(table.clock_hz) / static_cast<double>(end - begin);
  }
}

std::string to_json(const JobTable& table) {
  using Json = nlohmann::ordered_json;
  const auto percentiles = [](const Percentiles& p) {
    return Json{{"median", p.median}, {"p90", p.p90}, {"p99", p.p99}, {"most", p.most}};
  };
  Json json = {{"schema", "vernier-jobs/1"},
               {"tool_version", table.tool_version},
               {"config", table.config},
               {"clock_hz", table.clock_hz},
               {"control", table.control},
               {"firmware", table.firmware.empty() ? Json(nullptr) : Json(table.firmware)},
               {"inferences", table.inferences},
               {"arrival_cycles", table.arrival_cycles},
               {"boot_cycles", table.boot_cycles},
               {"total_cycles", table.total_cycles},
               {"busy_cycles", table.busy_cycles},
               {"check", check_text(table).starts_with("MISMATCH") ? "mismatch" : check_text(table)},
               {"networks", Json::array()},
               {"jobs", Json::array()}};
  for (const JobNetwork& network : table.networks) {
    json["networks"].push_back({{"model", network.model},
                                {"jobs", network.jobs},
                                {"jobs_done", network.jobs_done},
                                {"jobs_different", network.jobs_different},
                                {"stream_cycles", network.stream_cycles},
                                {"latency_cycles", percentiles(network.latency_cycles)},
                                {"waiting_cycles", percentiles(network.waiting_cycles)},
                                {"jobs_per_second", network.jobs_per_second},
                                {"sram_base", network.sram_base},
                                {"sram_bytes", network.sram_bytes},
                                {"external_base", network.external_base},
                                {"external_bytes", network.external_bytes}});
  }
  for (const JobRow& job : table.jobs) {
    json["jobs"].push_back({{"network_idx", job.network_idx},
                            {"arrival_cycle", job.arrival_cycle},
                            {"start_cycle", job.start_cycle},
                            {"end_cycle", job.end_cycle},
                            {"told_cycle", job.told_cycle},
                            {"busy_cycles", job.busy_cycles},
                            {"outcome", job.outcome},
                            {"detail", job.detail.empty() ? Json(nullptr) : Json(job.detail)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(const JobTable& table, const TextStyle& style) {
  using base::with_thousands;
  std::string text =
      fmt::format("{} of each of {} on {} ({} MHz), control {}: {}\n\n", base::counted(table.inferences, "job"),
                  base::counted(static_cast<int64_t>(table.networks.size()), "network"), base::printable(table.config),
                  table.clock_hz / 1'000'000, table.control,
                  table.arrival_cycles == 0 ? "all come at once"
                                            : fmt::format("one every {} cycles", with_thousands(table.arrival_cycles)));
  Table rows(style.width_columns);
  rows.add_column("network", {Align::Left, 0, 40, 12});
  for (const char* heading : {"done", "cycles", "latency", "p90", "p99", "waiting", "p99", "jobs/s"})
    rows.add_column(heading, {Align::Right});
  for (const JobNetwork& network : table.networks) {
    rows.add_row({short_name(network, table.networks), with_thousands(network.jobs_done),
                  with_thousands(network.stream_cycles), with_thousands(network.latency_cycles.median),
                  with_thousands(network.latency_cycles.p90), with_thousands(network.latency_cycles.p99),
                  with_thousands(network.waiting_cycles.median), with_thousands(network.waiting_cycles.p99),
                  fmt::format("{:.0f}", network.jobs_per_second)});
  }
  for (const std::string& line : rows.lines()) text += line + "\n";
  text += "\nlatency: cycles from the arrival of a job until the host knows its end, the median; waiting: until its start\n";
  return text + "total    " + to_summary(table) + "\n" + first_not_done(table);
}

std::string first_not_done(const JobTable& table) {
  const auto bad =
      std::find_if(table.jobs.begin(), table.jobs.end(), [](const JobRow& job) { return job.outcome != "done"; });
  if (bad == table.jobs.end()) return "";
  return fmt::format("first that is not done: job {} of {}, {}{}\n", bad - table.jobs.begin(),
                     short_name(table.networks[static_cast<size_t>(bad->network_idx)], table.networks), bad->outcome,
                     bad->detail.empty() ? "" : ": " + base::printable(bad->detail));
}

std::string to_summary(const JobTable& table) {
  int64_t num_jobs = 0, num_done = 0;
  for (const JobNetwork& network : table.networks) {
    num_jobs += network.jobs;
    num_done += network.jobs_done;
  }
  const double busy_percent = table.total_cycles == 0
                                  ? 0.0
                                  : 100.0 * static_cast<double>(table.busy_cycles) / static_cast<double>(table.total_cycles);
  return fmt::format("{} of {} done in {} cycles, in {:.1f}% of which the NPU ran; check {}", base::with_thousands(num_done),
                     base::counted(num_jobs, "job"), base::with_thousands(table.total_cycles), busy_percent,
                     check_text(table));
}

}  // namespace vernier::report
