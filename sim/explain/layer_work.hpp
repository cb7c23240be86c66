// SPDX-License-Identifier: Apache-2.0
// What the commands of each layer do, added up from their fields: what the array multiplies and what it multiplies in vain,
// and the largest command of each kind. What bound_detail.hpp puts into words.
#pragma once

#include "hw/package/package.hpp"
#include "sim/soc/npu.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace vernier::explain {

/// Why the array has more MACs to do than the layer: what each of these fills up to a whole.
enum class Waste : uint8_t {
  Reduction,  // elements of the reduction, to steps of N; of a depthwise window, taps
  Channels,   // output channels, to blocks of the lanes of a pixel
  Pixels,     // pixels of a row, to groups that share the lanes
  Passes,     // 16-bit operands: each byte of one with each byte of the other
  Operands,   // rows that take more than a cycle until their operands are there: segments, windows
};
constexpr size_t kNumWastes = 5;

struct ArrayWork {
  int64_t macs = 0;        // of its commands; those in padding included
  int64_t array_macs = 0;  // what the array can do in their busy cycles
  struct Wasted {
    int64_t macs = 0;  // of array_macs
    int64_t most = 0;  // of one command, which is `command`
    spec::MacCommand command;
  };
  std::array<Wasted, kNumWastes> wasted;
};

/// Of several commands: how many, what they move, and the one in flight longest.
template <typename Command>
struct Several {
  int64_t num_commands = 0;
  timing::Traffic traffic;
  int64_t longest_cycles = -1;
  int64_t longest_busy_cycles = 0;
  std::optional<Command> longest;
};

struct LayerWork {
  ArrayWork array;
  Several<spec::MacCommand> mac;
  Several<spec::VectorCommand> vector;
  Several<spec::DmaCommand> copies, loads, stores;  // inside SRAM, from outside, to the outside
};

/// By layer.
std::vector<LayerWork> work_of_layers(const package::Package& package, const soc::JobResult& job);

}  // namespace vernier::explain
