// SPDX-License-Identifier: Apache-2.0
// npu_core_sram with commands handed over at given cycles: what it leaves in the SRAM, and when each command starts and
// ends.
#pragma once

#include "hw/spec/command.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stream/table_driver.hpp"
#include "sim/kernels/kernels.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace vernier::cosim {

/// What the DMA does to the memory and the tables, as its command in the model does, in so many cycles at least.
struct OuterJob {
  struct Write {
    int64_t address;
    std::vector<std::byte> bytes;
  };
  std::vector<Write> writes;
  std::optional<size_t> table_slot;  // that is filled
  kernels::TableSlot table;
  int64_t cycles = 0;
};

/// A command, the cycle before which it may not start, and commands that have to end before it does.
struct CoreJob {
  struct After {
    size_t job;          // its number
    int64_t cycles = 0;  // from its end to this one's start at least
  };
  std::variant<spec::MacCommand, spec::VectorCommand, OuterJob> command;
  int64_t earliest_cycle = 0;
  std::vector<After> after;
};

/// When a command has started and ended, counted from the first cycle of the run. The end of a command of the array is the
/// cycle in which its last result is written, and, of a slice without results, in which it takes its last beat; that of a
/// command of the vector unit the cycle in which the unit could take another one and no store waits.
struct CoreEdges {
  int64_t start = -1, end = -1;
  bool is_over = false;
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
  CoreEdges run(const std::variant<spec::MacCommand, spec::VectorCommand, OuterJob>& command);

 private:
  /// A unit's commands of a run.
  struct Unit {
    Port prepare_valid, prepare_ready, prepare, start_valid, start_ready, start;
    std::vector<size_t> jobs;           // numbers
    std::vector<int64_t> given_cycles;  // of those that are prepared
    size_t num_started = 0, num_ended = 0;
  };
  /// An outer job that goes on.
  struct Outer {
    size_t job;
    size_t write = 0;                  // that goes on
    int64_t byte = 0, table_word = 0;  // that come next
  };
  void drive(Unit& unit, std::span<const CoreJob> jobs, int64_t now);
  /// Outer jobs in their order, each after the one before it.
  void drive_outer(std::span<const CoreJob> jobs, int64_t now);
  bool see_outer(std::span<const CoreJob> jobs, int64_t now);
  [[nodiscard]] bool may_start(const CoreJob& job, int64_t now) const;
  /// Whether a command was prepared or has started.
  bool see(Unit& unit, int64_t now);
  bool see_ends(std::span<const CoreJob> jobs, int64_t now);
  uint64_t put_words(int64_t address, std::span<const std::byte> bytes, int64_t first);
  [[nodiscard]] int64_t byte_after(int64_t address, int64_t num_bytes, int64_t first, int64_t num_words) const;
  void cycle();

  spec::Datapath datapath_;
  ClockedBlock block_;
  std::array<Unit, 2> units_;  // array, vector unit
  Port mem_valid_, mem_ready_, mem_write_, mem_word_, mem_mask_, mem_wdata_, mem_rdata_;
  TableFillPins table_;
  std::vector<CoreEdges> edges_;  // of the run
  std::vector<size_t> outer_jobs_;
  size_t num_outer_ended_ = 0;
  std::optional<Outer> outer_;
  Port mac_free_, mac_take_, mac_end_, vec_free_, vec_wait_;
};

}  // namespace vernier::cosim
