// SPDX-License-Identifier: Apache-2.0
// npu_core_sram with commands handed over at given cycles: what it leaves in the SRAM, and when each command starts and ends.
#pragma once

#include "hw/spec/command.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/kernels/kernels.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace vernier::cosim {

/// A command, and the cycle before which it may not start.
struct CoreJob {
  std::variant<spec::MacCommand, spec::VectorCommand> command;
  int64_t earliest_cycle = 0;
};

/// When a command has started and ended, counted from the first cycle of the run. The end of a command of the array is the
/// cycle in which its last result is written, and, of a slice without results, in which it takes its last beat; that of a
/// command of the vector unit the cycle in which the unit could take another one and no store waits.
struct CoreEdges {
  int64_t start = -1, end = -1;
  [[nodiscard]] int64_t cycles() const { return end - start; }
};

class CoreSramBench {
 public:
  explicit CoreSramBench(int lanes);
  CoreSramBench(std::unique_ptr<RtlBlock> block, int lanes);
  [[nodiscard]] const spec::Datapath& datapath() const { return datapath_; }
  void set_tables(const kernels::TableMemory& tables);
  /// Through the outer port, with nothing else going on.
  void write(int64_t address, std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> read(int64_t address, int64_t num_bytes);
  /// Jobs of each unit in their order, each prepared as early as there is room. Hang when nothing goes on for long.
  std::vector<CoreEdges> run(std::span<const CoreJob> jobs);
  /// One command by itself.
  CoreEdges run(const std::variant<spec::MacCommand, spec::VectorCommand>& command);

 private:
  /// A unit's commands of a run.
  struct Unit {
    Port prepare_valid, prepare_ready, prepare, start_valid, start_ready, start;
    std::vector<size_t> jobs;           // numbers
    std::vector<int64_t> given_cycles;  // of those that are prepared
    size_t num_started = 0, num_ended = 0;
  };
  void drive(Unit& unit, std::span<const CoreJob> jobs, int64_t now);
  /// Whether a command was prepared or has started.
  bool see(Unit& unit, int64_t now, std::vector<CoreEdges>& edges);
  bool see_ends(std::span<const CoreJob> jobs, int64_t now, std::vector<CoreEdges>& edges);
  /// Words from `first` on, at most as many as the outer port has. `bytes`: of all words; none for a read.
  void access(int64_t first_word, int64_t num_words, bool is_write);
  void cycle();

  spec::Datapath datapath_;
  ClockedBlock block_;
  std::array<Unit, 2> units_;  // array, vector unit
  Port mem_valid_, mem_ready_, mem_write_, mem_word_, mem_mask_, mem_wdata_, mem_rdata_;
  Port mac_free_, mac_take_, mac_end_, vec_free_, vec_wait_;
};

}  // namespace vernier::cosim
