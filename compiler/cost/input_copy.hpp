// SPDX-License-Identifier: Apache-2.0
// Whether a depthwise command does better on a copy of its map, in which the words of a window lie in different banks.
// A dense map of 64 channels has all columns of a pixel row in two of eight banks (v256), of 128 channels in one: the array
// then takes two or three cycles where a copy by the DMA, made block by block while the array works on the block before,
// costs little more than its first block.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>
#include <optional>

namespace vernier::cost {

/// The copy, and how the two units share the work: both take block after block, of output rows or of channels.
struct InputCopy {
  int64_t pixel_pitch_bytes = 0, row_pitch_bytes = 0;
  bool is_by_channels = false;  // else by rows
  int64_t first = 0;            // channels, or output rows, that the array begins with on the map as it lies; may be 0
  int64_t block = 0;            // of all blocks behind these but the last
  int64_t most_tile_rows = 0;   // of a row tile: few leave a short drain between blocks, many load weights less often,
  bool slide_rows = false;      // which leaves more of the read port to the copies
  int64_t cycles = 0;           // estimate of both, from the first copy's start to the last drain's end
  int64_t cycles_without = 0;   // of the command as it is
  [[nodiscard]] int64_t extent(const spec::MacCommand& command) const {
    return is_by_channels ? command.out_channels : command.out_rows;
  }
  [[nodiscard]] int64_t size_bytes(const spec::MacCommand& command) const { return command.in_rows * row_pitch_bytes; }
};

/// What the block of `count` rows or channels from `at` on reads and no block before it does, to a copy at address 0. None
/// where that is nothing.
std::optional<spec::DmaCommand> copy_for_block(const spec::MacCommand& command, const InputCopy& copy, int64_t at,
                                               int64_t count);

/// The array's part of a block on the copy, but of the last one, beside which nothing is copied: row tiles and slide as
/// chosen.
spec::MacCommand tuned_for_copies(spec::MacCommand block, const InputCopy& copy);

/// The command on the copy, which is at address 0.
spec::MacCommand on_copy(spec::MacCommand command, const InputCopy& copy);

/// None where the command takes fewer cycles as it is (or is not depthwise, or its map is in planes), or where the copy
/// would be larger than `most_bytes`.
std::optional<InputCopy> choose_input_copy(const spec::MacCommand& command, const config::MachineConfig& config,
                                           int64_t most_bytes);

}  // namespace vernier::cost
