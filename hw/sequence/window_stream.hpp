// SPDX-License-Identifier: Apache-2.0
// The activations of a depthwise command: for each weight tile the accumulator rows of the row tile; for each row the words
// that enter the windows with it, and what each lane multiplies.
//
// A lane keeps a window of its step's taps. Where all that the P pixels of a row need fits in N taps (extent along the line
// x places across it), each lane keeps that; else each keeps what its own pixel needs. Words that enter are those of
//   the first row of a window      all its positions
//   a row behind one of its line   the positions that no earlier row of the line needed, if the window's extent fits in N
//   taps,
//                                  else those that the row before did not need
//   the first row of a next line   the positions that the last row of the line before did not need
// and lie in the map. With one weight tile for each channel tile a window goes on through all row tiles; else each weight
// tile of each row tile begins with one of its own. Pixels that fill up the last group of a row are read like any other, and
// masked.
#pragma once

#include "hw/sequence/mac_order.hpp"

#include <optional>
#include <set>
#include <vector>

namespace vernier::sequence {

/// A byte of the operand of lane (pixel, lane of the channel tile); `element` counts from the step's first tap.
struct WindowByte {
  int64_t address;
  int16_t pixel;
  int16_t lane;
  int16_t element;
  int16_t byte;
  bool is_masked;
};

struct WindowRow {
  MacPlace place;
  int64_t row = 0;             // accumulator row of the command
  std::vector<int64_t> words;  // that enter, ascending
  std::vector<WindowByte> bytes;
};

class WindowStream {
 public:
  /// Both are to outlive the stream. A command with mode Depthwise.
  WindowStream(const spec::MacCommand& command, const spec::Datapath& datapath);
  /// Replaces `row` by the next one; false behind the last.
  bool next(WindowRow& row);

 private:
  struct Position {
    int64_t row, column;
    auto operator<=>(const Position&) const = default;
  };
  using Positions = std::set<Position>;
  [[nodiscard]] Position position_of(const MacRow& row, int64_t pixel, int64_t element) const;
  [[nodiscard]] bool is_inside(const Position& at) const;
  [[nodiscard]] std::vector<Positions> needed_by(const MacRow& row, bool is_shared) const;
  [[nodiscard]] bool fits(const Positions& positions) const;
  void enter(const MacRow& row, WindowRow& into);
  void add_bytes(const MacRow& row, WindowRow& into) const;
  void move_on();

  const spec::MacCommand& command_;
  MacOrder order_;
  int64_t word_bytes_, line_rows_;
  std::optional<MacPlace> place_{MacPlace{}};
  int64_t row_ = 0;
  bool is_empty_ = true;  // a window begins with the next row
  // What the windows hold that a row may find there: one set, or one for each pixel.
  std::vector<Positions> held_;
};

}  // namespace vernier::sequence
