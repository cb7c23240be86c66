// SPDX-License-Identifier: Apache-2.0
// npu_core_sram with commands handed over at given cycles: what it leaves in the SRAM, and when each command starts and
// ends.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/core/core_job.hpp"
#include "sim/cosim/core/dma_port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace vernier::cosim {

class CoreSramBench {
 public:
  /// Told now and then: the cycle of the run, and how many jobs have ended.
  using Progress = std::function<void(int64_t cycle, size_t num_ended)>;
  static constexpr int64_t kProgressCycles = 4096;  // between two calls

  /// On the block of this program, which has to be built in.
  explicit CoreSramBench(int lanes);
  CoreSramBench(std::unique_ptr<RtlBlock> block, int lanes);
  [[nodiscard]] const spec::Datapath& datapath() const { return datapath_; }
  /// Clears the machine: reset, and no table is there. The SRAM keeps what it has.
  void reset() { block_.reset(); }
  void set_tables(const kernels::TableMemory& tables);
  /// Through the outer port, with nothing else going on.
  void write(int64_t address, std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> read(int64_t address, int64_t num_bytes);
  /// Jobs of each unit in their order, each prepared as early as there is room. Hang when nothing goes on for long.
  std::vector<CoreEdges> run(std::span<const CoreJob> jobs, const Progress& progress = {});
  /// One command by itself.
  CoreEdges run(const decltype(CoreJob::command)& command);

 private:
  /// A unit's commands of a run.
  struct Unit {
    Port prepare_valid, prepare_ready, prepare, start_valid, start_ready, start;
    std::vector<size_t> jobs;           // numbers
    std::vector<int64_t> given_cycles;  // of those that are prepared
    size_t num_started = 0, num_ended = 0;
    [[nodiscard]] bool is_over() const { return num_ended == jobs.size(); }
  };
  /// Commands of a channel of the DMA.
  struct Channel {
    std::vector<size_t> jobs;  // numbers
    size_t num_ended = 0;
    [[nodiscard]] bool is_over() const { return num_ended == jobs.size(); }
  };
  void begin(std::span<const CoreJob> jobs);
  void drive(Unit& unit, std::span<const CoreJob> jobs, int64_t now);
  /// Each channel's jobs in their order, each after the one before it.
  void start_dma(std::span<const CoreJob> jobs, int64_t now);
  void end_dma(int64_t now);
  [[nodiscard]] bool may_start(const CoreJob& job, int64_t now) const;
  /// Whether a command was prepared or has started.
  bool see(Unit& unit, int64_t now);
  bool see_ends(std::span<const CoreJob> jobs, int64_t now);
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] size_t num_ended() const;

  spec::Datapath datapath_;
  ClockedBlock block_;
  std::array<Unit, 2> units_;  // array, vector unit
  std::array<Channel, DmaJob::kNumChannels> channels_;
  DmaPort dma_;
  std::vector<CoreEdges> edges_;  // of the run
  Port mac_free_, mac_take_, mac_end_, vec_free_, vec_wait_;
};

}  // namespace vernier::cosim
