// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/job_traffic.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace vernier::flow {

namespace {

std::string outcome_name(spec::JobOutcome outcome) {
  switch (outcome) {
    case spec::JobOutcome::Pending: return "pending";
    case spec::JobOutcome::Done: return "done";
    case spec::JobOutcome::Fault: return "fault";
    case spec::JobOutcome::Watchdog: return "watchdog";
    case spec::JobOutcome::Refused: return "refused";
    case spec::JobOutcome::Cancelled: return "cancelled";
    case spec::JobOutcome::TimedOut: return "timed out";
    case spec::JobOutcome::LimitReached: return "limit reached";
  }
  return "unknown";
}

/// One line that says where and why a job went wrong; empty for one that is done.
std::string detail_of(const soc::JobStatus& status) {
  if (const auto* fault = std::get_if<soc::Fault>(&status))
    return fmt::format("{}: {}", spec::to_string(fault->code), fault->detail);
  if (const auto* hang = std::get_if<soc::Hang>(&status)) return hang->wait_for.substr(0, hang->wait_for.find('\n'));
  return "";
}

}  // namespace

report::JobTable run_traffic(const config::MachineConfig& config, std::vector<TrafficNetwork> networks,
                             const TrafficPlan& plan, const std::function<void(int64_t done, int64_t all)>& progress) {
  soc::Device device(config, plan.device);
  report::JobTable table;
  table.config = config.name;
  table.clock_hz = config.clock_hz;
  table.control = plan.device.control == soc::Control::Cpu ? "cpu" : "direct";
  table.inferences = plan.inferences;
  table.arrival_cycles = plan.arrival_cycles;
  table.boot_cycles = device.boot_cycles();
  std::vector<int32_t> numbers;
  for (const TrafficNetwork& network : networks) {
    numbers.push_back(device.load(network.package, network.file));
    const soc::NetworkPlace place = device.place(numbers.back());
    report::JobNetwork row;
    row.model = network.file;
    row.sram_base = place.sram_base;
    row.sram_bytes = place.sram_bytes;
    row.external_base = place.external_base;
    row.external_bytes = place.external_bytes;
    table.networks.push_back(std::move(row));
    table.is_checked = table.is_checked || network.expected.has_value() || network.next_expected;
  }
  const int64_t begin = device.now();
  std::vector<std::pair<int32_t, size_t>> jobs;  // number of the job, index of its network
  for (int64_t i = 0; i < plan.inferences; ++i) {
    for (size_t n = 0; n < networks.size(); ++n) {
      soc::JobRequest request;
      request.network = numbers[n];
      request.inputs = networks[n].inputs;
      request.values = plan.values;
      request.arrival_cycle = begin + i * plan.arrival_cycles;
      jobs.emplace_back(device.submit(std::move(request)), n);
    }
  }
  const auto num_jobs = static_cast<int64_t>(jobs.size());
  for (const auto& [number, network] : jobs) {
    device.run_until_ended(number);
    if (!device.failure().empty()) throw soc::FirmwareError("firmware", device.failure());
    const soc::DeviceJob job = device.take(number);
    table.jobs.push_back({static_cast<int64_t>(network), job.arrival_cycle, job.start_cycle, job.end_cycle, job.told_cycle,
                          job.result ? job.result->cycles : 0, outcome_name(job.outcome),
                          job.result ? detail_of(job.result->status) : ""});
    std::optional<std::vector<base::Tensor>> next;
    if (networks[network].next_expected && job.outcome == spec::JobOutcome::Done) next = networks[network].next_expected();
    const std::optional<std::vector<base::Tensor>>& expected = next ? next : networks[network].expected;
    if (expected && job.outcome == spec::JobOutcome::Done && job.result->outputs != *expected)
      ++table.networks[network].jobs_different;
    if (progress) progress(static_cast<int64_t>(table.jobs.size()), num_jobs);
  }
  report::add_figures(table);
  return table;
}

}  // namespace vernier::flow
