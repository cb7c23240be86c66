// SPDX-License-Identifier: Apache-2.0
// A network on npu_core_sram: array and vector unit run all of its commands, both at once. The model says when each command
// starts at the earliest and what the DMA brings; values and cycles are the RTL's.
//
// What is compared: every byte that a copy of the DMA reads from the RTL's SRAM, and every byte that the model has written
// by the end. What an array or vector command reads needs no comparison of its own, because the RTL computes with it.
//
// Not modelled (D-034): a command may not start before the model starts it, so that a total is hardly below the model's.
// Commands keep each order that a token could have made in the model (whatever ended kTokenCycles before another one
// started), which is more than the tokens of the stream ask for. The fetch of commands takes no words of the SRAM here. A
// copy moves its bytes evenly over the cycles that the model gives it (docs/decisions/0038-networks-on-the-core.md).
#pragma once

#include "hw/base/indexed_vector.hpp"
#include "hw/package/package.hpp"
#include "hw/package/stream_commands.hpp"
#include "sim/cosim/block/mismatch.hpp"
#include "sim/cosim/core/core_sram_bench.hpp"
#include "sim/mem/storage.hpp"
#include "sim/units/command_record.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// A command on the RTL, and in the model. Cycles count from the start of the network.
struct CoreCommand {
  int32_t command_idx = -1;
  std::string_view unit;  // "mac_array", "vector_unit", "dma"
  int64_t start_cycle = -1, end_cycle = -1;
  int64_t model_start_cycle = -1, model_end_cycle = -1;
  [[nodiscard]] int64_t cycles() const { return end_cycle - start_cycle; }
  [[nodiscard]] int64_t model_cycles() const { return model_end_cycle - model_start_cycle; }
  /// How many per cent longer it took than in the model; of a command below kShortCycles, of so many cycles.
  [[nodiscard]] double percent_apart() const;
  static constexpr int64_t kShortCycles = 100;
};

struct CoreResult {
  int64_t total_cycles = 0, model_total_cycles = 0;  // until the last command has ended
  std::vector<CoreCommand> commands;                 // by command_idx
  int64_t compared_bytes = 0, wrong_bytes = 0;
  int64_t wrong_commands = 0;              // whose bytes are wrong
  std::vector<Mismatch> first_mismatches;  // one for each of the first kMostMismatches commands with wrong bytes
  std::vector<std::byte> sram;             // what the RTL left there

  static constexpr size_t kMostMismatches = 10;
  /// The array's or vector unit's command that is furthest from the model; null where there is none.
  [[nodiscard]] const CoreCommand* worst_command() const;
};

class CoreNetwork {
 public:
  using Commands = base::IndexedVector<int32_t, units::CommandRecord>;
  /// `records`: of a job of the model. All three outlive the object. Precondition: a package without control flow.
  CoreNetwork(const package::Package& package, const Commands& records);
  /// Of a second job with the same inputs: the SRAM at cycle 0, and after each command that has ended.
  void see_sram(int64_t cycle, const mem::StorageView& sram);
  [[nodiscard]] size_t num_jobs() const { return jobs_.size(); }
  /// Runs all commands. Bytes that copies bring to the external memory go there. Hang when the RTL stands still.
  CoreResult run(CoreSramBench& bench, mem::Storage& external, const CoreSramBench::Progress& progress = {}) const;

 private:
  [[nodiscard]] std::optional<CoreJob> job_of(int32_t command_idx) const;
  void add_order();
  void fill(size_t job, std::span<const std::byte> sram);
  void keep_last(const mem::StorageView& sram);
  [[nodiscard]] const spec::Command& command_of(size_t job) const;
  [[nodiscard]] std::string name_of_command(int32_t command_idx) const;
  void compare_reads(const std::vector<CoreEdges>& edges, CoreResult& result) const;
  void compare_sram(CoreResult& result) const;
  void carry_out(const std::vector<CoreEdges>& edges, mem::Storage& external) const;
  void add_wrong(CoreResult& result, int32_t command_idx, int64_t num_bytes, const Mismatch& first) const;

  const package::Package& package_;
  const Commands& records_;
  std::vector<package::StreamCommand> commands_;
  std::vector<CoreJob> jobs_;  // in the order in which the model starts them
  std::vector<int32_t> command_of_job_;
  std::vector<std::vector<std::byte>> index_lists_;  // by job, of gathers and scatters
  std::multimap<int64_t, size_t> dma_by_end_;        // jobs of the DMA by the model's end
  int64_t last_end_ = 0;
  std::vector<std::byte> first_sram_, last_sram_;
  std::vector<bool> is_last_written_;
};

}  // namespace vernier::cosim
