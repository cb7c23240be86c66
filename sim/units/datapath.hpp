// SPDX-License-Identifier: Apache-2.0
// Where the units get the values of their commands from. The machine is built with one datapath: by default the kernels;
// a Verilated one can stand in its place, and time does not see the difference.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"
#include "sim/kernels/kernels.hpp"
#include "sim/units/mac_fault.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace vernier::units {

/// What a command finds at its start.
struct CommandOperands {
  int32_t command_idx;
  std::span<const std::byte> sram;
  const kernels::TableMemory& tables;
  std::vector<int64_t>* sums = nullptr;  // where a MAC command's go (kernels::SumsProbe::copy); nullptr: nobody wants them
};

/// Called when a MAC command starts, with the sums that its last product will leave: [out_row][out_column][out_channel].
using SumsObserver = std::function<void(int32_t command_idx, std::span<const int64_t> sums)>;

/// Called once for each command of a job with values, when it starts; what it leaves in `writes` is committed at its end.
/// Commands have been checked: well-formed, bytes in range and written, tables filled, a continued reduction has its
/// accumulators. Those are the datapath's own, from a slice of a reduction to the next.
class DatapathIf {
 public:
  DatapathIf() = default;
  DatapathIf(const DatapathIf&) = delete;
  DatapathIf& operator=(const DatapathIf&) = delete;
  virtual ~DatapathIf() = default;
  /// Accumulators that were kept are gone.
  virtual void reset() = 0;
  virtual void run_mac(const spec::MacCommand& command, const CommandOperands& operands, kernels::WriteSet& writes) = 0;
  virtual void run_vector(const spec::VectorCommand& command, const CommandOperands& operands,
                          kernels::WriteSet& writes) = 0;
  /// run_mac() with a wrong bit (mac_fault.hpp), which not every datapath can have.
  virtual std::optional<InjectedFault> run_mac_with_fault(const Injection& injection, const spec::MacCommand& command,
                                                          const CommandOperands& operands, mem::MemoryIf& sram,
                                                          kernels::WriteSet& writes);
};

/// Values from sim/kernels.
class KernelDatapath : public DatapathIf {
 public:
  explicit KernelDatapath(const config::MachineConfig& config) : datapath_(config.datapath) {}
  void reset() override { accumulators_ = kernels::Accumulators{}; }
  void run_mac(const spec::MacCommand& command, const CommandOperands& operands, kernels::WriteSet& writes) override {
    kernels::run_mac(command, datapath_, operands.sram, operands.tables, accumulators_, writes, {.copy = operands.sums});
  }
  void run_vector(const spec::VectorCommand& command, const CommandOperands& operands, kernels::WriteSet& writes) override {
    kernels::run_vector(command, datapath_, operands.sram, operands.tables, writes);
  }

  std::optional<InjectedFault> run_mac_with_fault(const Injection& injection, const spec::MacCommand& command,
                                                  const CommandOperands& operands, mem::MemoryIf& sram,
                                                  kernels::WriteSet& writes) override {
    FaultyRun run = units::run_mac_with_fault(injection, command, datapath_, sram, operands.tables, accumulators_, writes);
    if (operands.sums != nullptr) *operands.sums = std::move(run.sums);
    return run.injected;
  }

 private:
  spec::Datapath datapath_;
  kernels::Accumulators accumulators_;
};

inline std::optional<InjectedFault> DatapathIf::run_mac_with_fault(const Injection& /*injection*/,
                                                                   const spec::MacCommand& command,
                                                                   const CommandOperands& operands, mem::MemoryIf& /*sram*/,
                                                                   kernels::WriteSet& writes) {
  run_mac(command, operands, writes);
  return std::nullopt;
}

}  // namespace vernier::units
