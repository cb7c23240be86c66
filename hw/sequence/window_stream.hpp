// SPDX-License-Identifier: Apache-2.0
// The activation stream of a depthwise command: for each weight tile the accumulator rows of the row tile; for each row its
// beats of up to kWindowWords words. With its last beat all words of the row are there, and it is multiplied; a row has a
// beat also where none is missing. A row of B beats takes max(B, bytes of an activation) cycles: its passes.
//
// A lane keeps a window of its step's taps. Where all positions that the P pixels of a row need fit in N taps, each lane
// keeps all of them; else each keeps what its own pixel needs. A row brings
//   all its positions           the first row of a window, and every row where the dilation along the line is more than 1
//   those that its lanes lack   every other row: what the row before did not need, at the begin of a line, too
// that lie in the map. A channel tile of one weight tile has one window for all its row tiles; else each weight tile of each
// row tile begins one.
//
// The positions of a row come by kernel row, then by pixel, then by kernel column, each where it is first: in ascending
// order of their addresses, unless columns are dilated. The words of a row are theirs in that order, on lines of odd numbers
// with the last one first. A word serves at most P positions that follow each other; it is read again for more. A beat takes
// words in that order: those of its row, then, in the last beat, those of the next row of the command, whatever line, step,
// row tile or channel tile that is of, as long as the positions that they belong to are no more than the taps that the row
// leaves free of N. With a memory of banks the first word that meets another one of the beat in its bank ends the beat.
//
// Pixels that fill up the last group of a row are read like any other, and masked. Padding is masked and not read.
#pragma once

#include "hw/sequence/mac_order.hpp"

#include <optional>
#include <vector>

namespace vernier::sequence {

/// Of input channel `channel`, counted from the first one of the channel tile: where output channels share an input channel,
/// several lanes take it.
struct WindowByte {
  int64_t address;
  int16_t channel;
  int16_t byte;  // of the element, the low one is 0
};

/// A position that enters, and what it is in its row: for which pixels it is which tap, `element` counted from the step's
/// first. Lanes that keep what all pixels need all take it; else those of the pixels named.
struct WindowPosition {
  struct Tap {
    int16_t pixel, element;
  };
  int64_t row, column;  // of the map
  std::vector<Tap> taps;
  std::vector<WindowByte> bytes;  // in this word
};

struct WindowWord {
  int64_t word;  // number of the SRAM word
  bool is_of_next_row;
  std::vector<WindowPosition> positions;  // one to P
};

/// A byte of the operand of lane (pixel, lane of the channel tile).
struct WindowOperand {
  int64_t address;
  int16_t pixel;
  int16_t lane;
  int16_t element;
  int16_t byte;
  bool is_masked;
};

/// A position of the input map, which may lie in its padding.
struct MapPosition {
  int64_t row, column;
  auto operator<=>(const MapPosition&) const = default;
};
/// The positions that a row multiplies, one for each element of the step and each pixel: pixel after pixel.
std::vector<MapPosition> window_operands(const spec::MacCommand& command, const MacOrder& order, const MacPlace& place,
                                         int64_t row);

struct WindowBeat {
  MacPlace place;
  int64_t row = 0;  // accumulator row of the command
  std::vector<WindowWord> words;
  bool is_last_of_row = false;
  std::vector<WindowOperand> operands;  // what the row multiplies, with its last beat
};

/// What the words come from: one in which any four words of a beat can be had, or the banks of the SRAM.
enum class WindowMemory : uint8_t { Ideal, Banked };

class WindowStream {
 public:
  /// Both are to outlive the stream. A command with mode Depthwise.
  WindowStream(const spec::MacCommand& command, const spec::Datapath& datapath, WindowMemory memory = WindowMemory::Ideal);
  /// Replaces `beat` by the next one; false after the last one.
  bool next(WindowBeat& beat);

 private:
  using Position = MapPosition;
  using Positions = std::vector<Position>;
  /// A row of the sequence, and whether a window begins with it.
  struct Turn {
    MacPlace place;
    int64_t row = 0;
    bool begins_window = true;
  };
  [[nodiscard]] Positions operands_of(const Turn& turn) const;
  [[nodiscard]] bool is_inside(const Position& at) const;
  /// The sets of positions that the lanes keep of such a row, each ascending: one, or one for each pixel.
  [[nodiscard]] std::vector<Positions> needed_for(const Positions& operands) const;
  [[nodiscard]] Positions in_order(const Positions& operands) const;
  /// The next row; none at the end of the command.
  [[nodiscard]] std::optional<Turn> after(const Turn& turn) const;
  /// The words of a row with such operands.
  std::vector<WindowWord> enter(const Turn& turn, const Positions& operands);
  /// A position and what of it lies in a word.
  struct Part {
    int64_t word;
    WindowPosition position;
  };
  void add_parts(const MacPlace& place, const Position& at, std::vector<Part>& parts) const;
  void add_taps(const Positions& operands, WindowPosition& position, const std::vector<Positions>& needed) const;
  void begin_row();
  void fill(WindowBeat& beat);
  void add_operands(WindowBeat& beat) const;

  const spec::MacCommand& command_;
  MacOrder order_;
  WindowMemory memory_;
  int64_t word_bytes_, line_rows_;
  std::optional<Turn> turn_{Turn{}}, next_turn_;  // this row, and the next one once this one is begun
  Positions operands_, next_operands_;            // theirs
  // What the lanes keep of the row whose words were gathered last.
  std::vector<Positions> held_;
  int64_t free_taps_ = 0;
  bool is_begun_ = false;               // the words of this row and of the next one are gathered
  std::vector<WindowWord> own_, next_;  // words of this row and of the next one
  size_t num_own_ = 0, num_next_ = 0;   // of them, those that have come
  Positions ahead_;                     // of the words of the next row that have come
};

}  // namespace vernier::sequence
