// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/first_difference.hpp"

#include "sim/cosim/array_streams.hpp"
#include "sim/cosim/sampled_command.hpp"
#include "sim/flow/accumulator_dump.hpp"
#include "sim/flow/to_checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace vernier::cli {
namespace {

/// Cycles before and behind the command that a wave of its surroundings has.
constexpr int64_t kMarginCycles = 100;

struct WatchedRun {
  soc::JobResult job;
  check::Checker values;
};

WatchedRun run(soc::Npu& npu, const package::Package& package, const std::vector<base::Tensor>& inputs,
               const soc::FirmwareProgram* firmware, const std::optional<units::Injection>& injection) {
  WatchedRun result;
  soc::JobOptions options;
  options.firmware = firmware;
  options.injection = injection;
  options.on_piece = flow::pieces_to(result.values, package);
  result.job = npu.run(package, inputs, options);
  if (result.job.is_done()) flow::add_outputs(result.values, package, result.job);
  return result;
}

}  // namespace

ChosenFault choose_fault(const flow::InjectionRequest& request, soc::Npu& npu, const package::Package& package,
                         const std::vector<base::Tensor>& inputs, const soc::FirmwareProgram* firmware) {
  const WatchedRun clean = run(npu, package, inputs, firmware, {});
  const bool is_of_control_system = units::is_of_control_system(request.site);
  if (is_of_control_system && !clean.job.control)
    throw base::UserError("--inject", "without the fault the firmware does not end the job");
  const flow::InjectionPlan plan = flow::plan_injection(request, package, clean.job);
  for (const units::Injection& candidate : plan.candidates) {
    const WatchedRun faulty = run(npu, package, inputs, firmware, candidate);
    if (!faulty.job.injected) continue;
    const bool may_change_nothing = is_of_control_system && plan.candidates.size() == 1;
    if (!may_change_nothing && faulty.job.is_done() && faulty.values.has_same_values(clean.values)) continue;
    units::Injection chosen = candidate;
    chosen.index = faulty.job.injected->index;
    chosen.bit = faulty.job.injected->bit;
    return {chosen, flow::to_string(chosen, *faulty.job.injected)};
  }
  const std::string reason = plan.reason.empty() ? "nothing that it can reach changes a value" : plan.reason;
  return {{}, fmt::format("{}@{} hits nothing live: {}", flow::kind_of(request.site), request.cycle, reason)};
}

/// What a job leaves of the one command.
struct OperandsOf::Found {
  std::optional<cosim::ArrayCommand> command;
  kernels::TableMemory tables;
  std::vector<int64_t> machine_sums;
};

namespace {

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

}  // namespace

OperandsOf::OperandsOf(const package::Package& package, const check::Difference& difference)
    : package_(package), difference_(difference), found_(std::make_shared<Found>()) {}
OperandsOf::~OperandsOf() = default;

std::unique_ptr<units::DatapathIf> OperandsOf::datapath() {
  const spec::Datapath& machine = package_.config.datapath;
  return std::make_unique<WatchedDatapath>(
      package_.config, difference_.origin.command_idx,
      [found = found_, machine](const spec::MacCommand& command, const units::CommandOperands& operands) {
        if (!command.first) return;  // its sums began in another command
        found->command = cosim::sample_command(command, machine, operands.sram);
        found->tables = operands.tables;
      });
}

void OperandsOf::take_sums(int32_t command_idx, std::span<const int64_t> sums) {
  if (command_idx == difference_.origin.command_idx) found_->machine_sums.assign(sums.begin(), sums.end());
}

/// The element's sum on the machine, beside the one that its operands give.
std::string OperandsOf::text_of_sums(const cosim::ArrayTraffic& traffic, int64_t address) const {
  const spec::MacCommand& mac = found_->command->command;
  const spec::Datapath& datapath = package_.config.datapath;
  std::vector<int64_t> sums;
  kernels::Accumulators accumulators;
  kernels::WriteSet writes;
  kernels::run_mac(mac, datapath, found_->command->sram, found_->tables, accumulators, writes, {.copy = &sums});
  for (size_t i = 0; i < sums.size() && i < found_->machine_sums.size(); ++i) {
    if (flow::output_address(mac, datapath.lanes, static_cast<int64_t>(i)) != address) continue;
    const int64_t machine = found_->machine_sums[i];
    if (machine == sums[i]) return ". The accumulator was the same on the machine";
    return fmt::format(". On the machine the accumulator was {}: {}", machine,
                       traffic.explain_epilogue(static_cast<int64_t>(i) % mac.out_channels, machine));
  }
  return "";
}

std::string OperandsOf::text() const {
  if (!found_->command || !found_->command->command.last) return "";
  const auto piece = std::find_if(package_.pieces.begin(), package_.pieces.end(), [&](const package::Piece& candidate) {
    return candidate.command_idx == difference_.origin.command_idx &&
           package_.tensors[candidate.tensor_idx].name == difference_.tensor;
  });
  if (piece == package_.pieces.end()) return "";
  const int64_t address =
      package::offset_of(piece->placement, difference_.coordinates, package_.tensors[piece->tensor_idx].type);
  kernels::Accumulators accumulators;
  cosim::ArrayTraffic traffic(*found_->command, package_.config.datapath, found_->tables, accumulators);
  for (cosim::ArrayRow row; traffic.next_row(row);) {
    const auto place = std::find(row.addresses.begin(), row.addresses.end(), address);
    if (place == row.addresses.end()) continue;
    const auto i = static_cast<size_t>(place - row.addresses.begin());
    const int64_t value = row.values[i];
    std::string_view verdict = "neither value: both the operands and what was made of them are to be looked at";
    if (value == difference_.expected) verdict = "the expected value: they are right, and it went wrong within the command";
    if (value == difference_.actual) verdict = "the found value: they were wrong when the command started";
    return fmt::format("{}. These operands give {}, {}{}", traffic.explain(row, row.lanes[i]), value, verdict,
                       text_of_sums(traffic, address));
  }
  return "";
}

std::string first_difference_file(const std::string& model) {
  return std::filesystem::path(model).filename().string() + ".first-difference." + (waves::has_fst_writer() ? "fst" : "vcd");
}

waves::Window window_around(const soc::JobResult& job, int64_t command_idx) {
  if (command_idx < 0) return {0, job.cycles};
  const units::CommandRecord& command = job.commands[command_idx];
  const int64_t end = command.end_cycle < 0 ? job.cycles : command.end_cycle;
  return {std::max<int64_t>(command.start_cycle - kMarginCycles, 0), std::min(end + kMarginCycles, job.cycles)};
}

}  // namespace vernier::cli
