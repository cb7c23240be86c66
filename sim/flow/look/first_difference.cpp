// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/first_difference.hpp"

#include "sim/cosim/array_streams.hpp"
#include "sim/cosim/sampled_command.hpp"
#include "sim/flow/look/accumulator_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace vernier::flow {
namespace {

/// Cycles before and behind the command that a wave of its surroundings has.
constexpr int64_t kMarginCycles = 100;

}  // namespace

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
    if (output_address(mac, datapath.lanes, static_cast<int64_t>(i)) != address) continue;
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
