// SPDX-License-Identifier: Apache-2.0
// The activation stream of a convolution: for each weight tile (a step for each byte of the weights, whether it was loaded
// or not) the rows of the row tile; for each row what the assembler takes in, kActivationSegments segments a beat.
//
// Each pixel takes its bytes in runs, in the order of the reduction. A run is what a step has of the channels of one block
// of one tap; of the whole tap where its blocks follow each other in memory; of all taps along the columns of the kernel
// (along its rows where it has one column) where those follow each other as well, undilated. So its bytes follow each other,
// and one rotation brings them to their lanes; a byte that two taps share comes once for each. All pixels of the row take a
// run before one takes the next. A segment is up to N bytes from the lowest byte of this run that some pixel still lacks; it
// serves each pixel, as far as its run lies within the segment. All rows of a step have the same segments from their own
// address. A row of B beats takes max(B, bytes of an activation) cycles: its passes.
//
// Taps outside of the map, and pixels that fill up the last group of a row, are read like any other and masked: they add
// nothing. Their addresses may lie outside of the map, even outside of the memory.
#pragma once

#include "hw/sequence/mac_order.hpp"

#include <optional>
#include <vector>

namespace vernier::sequence {

/// A byte of operand element (pixel, element) of a row; `element` counts from the step's first.
struct ActivationByte {
  int64_t address;
  int16_t pixel;
  int16_t element;
  int16_t byte;     // of the element, the low one is 0
  int16_t segment;  // of the beat
  bool is_masked;
};

struct Segment {
  int64_t address;
  int64_t bytes;
};

struct ActivationBeat {
  MacPlace place;
  int64_t row = 0;  // accumulator row of the command
  std::vector<Segment> segments;
  std::vector<int64_t> words;  // that the segments touch, ascending
  std::vector<ActivationByte> bytes;
  bool is_last_of_row = false;
};

class ConvStream {
 public:
  /// Both are to outlive the stream. A command with mode Conv.
  ConvStream(const spec::MacCommand& command, const spec::Datapath& datapath);
  /// Replaces `beat` by the next one; false behind the last.
  bool next(ActivationBeat& beat);

 private:
  /// What a beat brings, by offset from the row's address.
  struct PlannedByte {
    int64_t offset;
    int16_t pixel, element, byte, segment;
  };
  struct PlannedBeat {
    std::vector<Segment> segments;  // at offsets
    std::vector<PlannedByte> bytes;
  };
  /// Position of an element's tap against tap (0, 0) of the same pixel.
  struct Tap {
    int64_t row, column;
  };
  struct PlannedRun {
    std::vector<PlannedByte> bytes;
    size_t num_taken = 0;
    [[nodiscard]] bool is_taken() const { return num_taken == bytes.size(); }
    [[nodiscard]] int64_t offset() const { return bytes[num_taken].offset; }
  };
  /// Whether an element of the step, which is not its first one, goes on with the run of the element before.
  [[nodiscard]] bool goes_on(int64_t element) const;
  void plan_step();
  /// In the order of the reduction; of each run what every pixel takes.
  [[nodiscard]] std::vector<std::vector<PlannedRun>> runs_of_step() const;
  void begin_row();
  [[nodiscard]] bool is_masked(const PlannedByte& byte) const;
  void move_on();

  const spec::MacCommand& command_;
  MacOrder order_;
  int64_t word_bytes_;
  std::optional<MacPlace> place_{MacPlace{}};
  int64_t row_ = 0;
  size_t next_beat_ = 0;  // of the row
  // The first output column of the row, the place in the map of tap (0, 0) of its first pixel, and the address of that
  // place.
  int64_t first_column_ = 0, input_row_ = 0, input_column_ = 0, address_ = 0;
  int64_t planned_step_ = -1;
  std::vector<PlannedBeat> plan_;  // of the step
  std::vector<Tap> taps_;          // of the step's elements
};

}  // namespace vernier::sequence
