// SPDX-License-Identifier: Apache-2.0
// What npu_core_sram is given to do: commands of the array and of the vector unit, and what the DMA moves.
#pragma once

#include "hw/spec/command.hpp"
#include "sim/kernels/kernels.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace vernier::cosim {

/// A command of the DMA. The test bench reads and writes words of the SRAM in its place, spread evenly over its cycles, and
/// fills the table slot.
struct DmaJob {
  static constexpr size_t kNumChannels = 2;
  struct Run {
    int64_t address = 0;  // first byte in SRAM
    std::vector<std::byte> bytes{};
  };
  size_t channel = 0;                  // commands of one channel follow each other
  std::vector<Run> writes{};           // bytes that the SRAM gets
  std::vector<Run> reads{};            // bytes that the SRAM is expected to have
  std::optional<size_t> table_slot{};  // that is filled
  kernels::TableSlot table{};
  int64_t cycles = 0;  // it takes at least
};

/// A command, the cycle before which it may not start, and commands that have to end before it does.
struct CoreJob {
  struct After {
    size_t job = 0;      // its number
    int64_t cycles = 0;  // from its end to this one's start at least
  };
  std::variant<spec::MacCommand, spec::VectorCommand, DmaJob> command;
  int64_t earliest_cycle = 0;
  std::vector<After> after{};

  /// The array, the vector unit, and the channels of the DMA: each has its jobs in order.
  static constexpr size_t kNumUnits = 2 + DmaJob::kNumChannels;
  [[nodiscard]] size_t unit() const {
    const auto* dma = std::get_if<DmaJob>(&command);
    return dma == nullptr ? command.index() : 2 + dma->channel;
  }
};

/// When a command has started and ended, counted from the first cycle of the run. The end of a command of the array is the
/// cycle in which its last result is written, and, of a slice without results, in which it takes its last beat. The end of a
/// command of the vector unit is the cycle in which the unit could take another one and no store waits.
struct CoreEdges {
  int64_t start = -1, end = -1;
  bool is_over = false;
  /// What the SRAM had where DmaJob::reads say so, in that order.
  std::vector<std::byte> read_bytes{};
  [[nodiscard]] int64_t cycles() const { return end - start; }
};

}  // namespace vernier::cosim
