// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/first_difference.hpp"

#include "sim/cosim/replay/sampled_command.hpp"
#include "sim/cosim/stream/array_streams.hpp"
#include "sim/flow/look/accumulator_dump.hpp"
#include "sim/flow/look/traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

namespace vernier::flow {
namespace {

/// Cycles before and after the command that a wave of its surroundings has.
constexpr int64_t kMarginCycles = 100;

using OnStart = std::function<void(const spec::MacCommand&, const units::CommandOperands&)>;

/// Tells when one command starts, a MAC command.
class WatchedDatapath : public units::KernelDatapath {
 public:
  WatchedDatapath(const config::MachineConfig& config, int64_t command_idx, OnStart on_start)
      : units::KernelDatapath(config), command_idx_(command_idx), on_start_(std::move(on_start)) {}
  void run_mac(const spec::MacCommand& command, const units::CommandOperands& operands, kernels::WriteSet& writes) override {
    if (operands.command_idx == command_idx_) on_start_(command, operands);
    units::KernelDatapath::run_mac(command, operands, writes);
  }
  std::optional<units::InjectedFault> run_mac_with_fault(const units::Injection& injection, const spec::MacCommand& command,
                                                         const units::CommandOperands& operands, mem::MemoryIf& sram,
                                                         kernels::WriteSet& writes) override {
    if (operands.command_idx == command_idx_) on_start_(command, operands);
    return units::KernelDatapath::run_mac_with_fault(injection, command, operands, sram, writes);
  }

 private:
  int64_t command_idx_;
  OnStart on_start_;
};

/// What a job leaves of the one command.
struct Found {
  std::optional<cosim::Work> command;
  kernels::TableMemory tables;
  std::vector<int64_t> machine_sums;
};

/// A datapath that keeps the operands of a command as it finds them when it starts.
std::unique_ptr<units::DatapathIf> datapath_of(const package::Package& package, int64_t command_idx, Found& found) {
  const spec::Datapath& machine = package.config.datapath;
  return std::make_unique<WatchedDatapath>(
      package.config, command_idx,
      [&found, machine](const spec::MacCommand& command, const units::CommandOperands& operands) {
        if (!command.first) return;  // its sums began in another command
        found.command = cosim::sample_command(command, machine, operands.sram);
        found.tables = operands.tables;
      });
}

/// The element's sum on the machine, beside the one that its operands give.
std::string text_of_sums(const Found& found, const spec::Datapath& datapath, const cosim::ArrayTraffic& traffic,
                         int64_t address) {
  const spec::MacCommand& mac = found.command->mac();
  std::vector<int64_t> sums;
  kernels::Accumulators accumulators;
  kernels::WriteSet writes;
  kernels::run_mac(mac, datapath, found.command->bytes, found.tables, accumulators, writes, {.copy = &sums});
  for (size_t i = 0; i < sums.size() && i < found.machine_sums.size(); ++i) {
    if (output_address(mac, datapath.lanes, static_cast<int64_t>(i)) != address) continue;
    const int64_t machine = found.machine_sums[i];
    if (machine == sums[i]) return ". The accumulator was the same on the machine";
    return fmt::format(". On the machine the accumulator was {}: {}", machine,
                       traffic.explain_epilogue(static_cast<int64_t>(i) % mac.out_channels, machine));
  }
  return "";
}

/// What DifferenceLook::operands says.
std::string text_of(const Found& found, const package::Package& package, const check::Difference& difference) {
  if (!found.command || !found.command->mac().last) return "";
  const auto piece = std::find_if(package.pieces.begin(), package.pieces.end(), [&](const package::Piece& candidate) {
    return candidate.command_idx == difference.origin.command_idx &&
           package.tensors[candidate.tensor_idx].name == difference.tensor;
  });
  if (piece == package.pieces.end()) return "";
  const int64_t address =
      package::offset_of(piece->placement, difference.coordinates, package.tensors[piece->tensor_idx].type);
  kernels::Accumulators accumulators;
  cosim::ArrayTraffic traffic(*found.command, package.config.datapath, found.tables, accumulators);
  for (cosim::ArrayRow row; traffic.next_row(row);) {
    const auto place = std::find(row.addresses.begin(), row.addresses.end(), address);
    if (place == row.addresses.end()) continue;
    const auto i = static_cast<size_t>(place - row.addresses.begin());
    const int64_t value = row.values[i];
    std::string_view verdict = "neither value: both the operands and what was made of them are to be looked at";
    if (value == difference.expected) verdict = "the expected value: they are right, and it went wrong within the command";
    if (value == difference.actual) verdict = "the found value: they were wrong when the command started";
    return fmt::format("{}. These operands give {}, {}{}", traffic.explain(row, row.lanes[i]), value, verdict,
                       text_of_sums(found, package.config.datapath, traffic, address));
  }
  return "";
}

}  // namespace

DifferenceLook look_into(const DifferenceRequest& request, base::FileSet& files) {
  const int64_t command_idx = request.first.origin.command_idx;
  Found found;
  soc::Npu npu(request.package.config, datapath_of(request.package, command_idx, found));
  TraceOptions options;
  if (!request.wave_file.empty()) options.waves = {request.wave_file};
  Traces traces(options, request.package);
  soc::JobOptions job_options;
  job_options.watcher = traces.begin_job();
  job_options.injection = request.injection;
  job_options.on_sums = [&](int32_t summed_idx, std::span<const int64_t> sums) {
    if (summed_idx == command_idx) found.machine_sums.assign(sums.begin(), sums.end());
  };
  const soc::JobResult job = npu.run(request.package, request.inputs, job_options);
  DifferenceLook look{text_of(found, request.package, request.first), window_around(job, command_idx)};
  if (request.wave_file.empty()) return look;
  traces.mark(request.first.origin.cycle);
  traces.set_window(look.window);
  traces.add(files, npu.signals(), job);
  return look;
}

std::string first_difference_file(const std::string& folder, const std::string& model) {
  const std::string name = std::filesystem::path(model).filename().string();
  return (std::filesystem::path(folder) / (name + ".first-difference." + (waves::has_fst_writer() ? "fst" : "vcd")))
      .string();
}

waves::Window window_around(const soc::JobResult& job, int64_t command_idx) {
  if (command_idx < 0) return {0, job.cycles};
  const units::CommandRecord& command = job.commands[command_idx];
  const int64_t end = command.end_cycle < 0 ? job.cycles : command.end_cycle;
  return {std::max<int64_t>(command.start_cycle - kMarginCycles, 0), std::min(end + kMarginCycles, job.cycles)};
}

}  // namespace vernier::flow
