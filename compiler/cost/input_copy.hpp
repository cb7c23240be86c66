// SPDX-License-Identifier: Apache-2.0
// Whether a command of the array does better on a copy of its map, which the DMA lays out part by part while the array works
// on the part before. Three causes, all of maps that lie dense (a graph's input, a part of a concatenation):
// - the words of a depthwise window meet in a bank: of 64 channels all columns of a pixel row lie in two of eight (v256), of
//   128 in one, so that the array takes two or three cycles where the copy, pixels an odd number of words apart, takes one;
// - the rows of a convolution's window meet in a bank, or its channels are a slice of wider pixels: the copy has rows of its
//   own pitch and nothing between the pixels;
// - kernel rows of a few bytes: a vector of N reduction elements has more pieces than the assembler takes a cycle. The copy
//   then has the taps of a kernel row side by side, for each output column its own, and row under row: one piece.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::cost {

/// What the parts are parts of: the output's rows, columns or channels.
enum class CopyAxis : uint8_t { Rows, Columns, Channels };

/// A part of the output, which one command of the array computes.
struct CopyPart {
  int64_t begin = 0, count = 0;
  bool is_copied = false;  // else the array reads the map as it lies: only the first part may
  int64_t row_tile_rows = 0;
  bool slide_rows = false;
};

/// The copy, and how the two units share the work.
struct InputCopy {
  spec::MacCommand command;        // all of it, on the copy, which begins at address 0
  CopyAxis axis = CopyAxis::Rows;  // Columns: taps of kernel rows side by side; else pixels, with another pitch
  int64_t size_bytes = 0;
  std::vector<CopyPart> parts;  // one after the other, they make the output
  int64_t cycles = 0;           // estimate of both units, from the first start to the last drain's end
  int64_t cycles_without = 0;   // of the command as it is
};

/// The copy with which `command` takes the fewest cycles, with the lane split that it then has. None where it takes fewer as
/// it is, where its map lies in planes, or where the copy would be larger than `most_bytes`.
std::optional<InputCopy> choose_input_copy(const spec::MacCommand& command, const config::MachineConfig& config,
                                           int64_t most_bytes);

/// `command`'s part, on the copy or on the map; its lane split is the copy's. `command` may be another image of the one for
/// which the copy was chosen, here and below.
spec::MacCommand command_of_part(const spec::MacCommand& command, const InputCopy& copy, const CopyPart& part,
                                 const spec::Datapath& datapath);

/// What the part reads and no copied part before it, from `command`'s map to a copy at address 0. Empty where that is
/// nothing.
std::vector<spec::DmaCommand> copies_of_part(const spec::MacCommand& command, const InputCopy& copy, size_t part);

/// "copied, 3 parts of 32 + 32 + 16 channels, the first as it lies".
std::string describe(const InputCopy& copy);

}  // namespace vernier::cost
