// SPDX-License-Identifier: Apache-2.0
// What the activation operand of the array costs: a step of a row tile, in cycles, bank conflicts and words.
//
// Conv. The assembler takes kActivationSegments segments a cycle, unaligned, of up to N bytes. A pixel's step is runs, in
// the order of the reduction: a block of a tap; a tap whose blocks follow each other in memory; all taps of a kernel row, or
// of a kernel of one column, that follow each other as well (dense NHWC: kernel_columns x in_channels); where narrow maps
// have a byte in two taps it is read for each. The P pixels of a row take a run before they take the next. A segment starts
// at the lowest byte of this run that some pixel still lacks, and serves all, each as far as it reaches: a pixel rotates it
// once.
//   cycles a row = max(passes, ceil(segments / kActivationSegments))
// Passes are the bytes of an activation: a row is assembled once, and multiplied once for each. The words of one cycle that
// share a bank come a cycle later each, unless the row's passes hide them; what that costs the command is said in
// bank_play.hpp.
//   v256, dense, 3 channels, 3x3: step 0 (r 0..15) is runs of 9 and 7 bytes: 2 segments, 1 cycle a row.
//   v256, the same for two pixels, 6 bytes apart: step 1 is runs of 2 and 9 bytes each; one segment takes both runs of 2.
//   v256, int16: a step is 32 bytes, 2 segments: 2 cycles a row, the passes.
//   v256, kernel 10x4, 1 channel, rows of 10 bytes: 4 runs of 4 bytes a step: 2 cycles a row.
//
// Depthwise: mac_windows.hpp.
//
// Not modelled: positions in padding, and pixels that fill up a last group, cost as if read: too much by at most the rows of
// steps that meet one (padding_cycles, D-007).
#pragma once

#include "hw/timing/mac_windows.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vernier::timing {

class MacActivation {
 public:
  MacActivation(const spec::MacCommand& command, const spec::Datapath& datapath, const MacShape& shape);
  /// The rows of the tile, with one weight tile: those of each line of a depthwise command by themselves, else all in one.
  /// To be asked in the order of the sequence; valid until the next question.
  std::span<const AccessCost> costs(int64_t channel_tile, int64_t row_tile, int64_t step);
  /// Adds the beats of the rows of which costs() was asked last, and returns their number; without `to` it only counts.
  int64_t add_beats(int64_t row_tile, int64_t step, BankPlay* to);
  /// Their sum.
  AccessCost cost(int64_t channel_tile, int64_t row_tile, int64_t step);
  /// Additional cycles of the command's first row. Where a row needs segments of more than one cycle, its first ones are
  /// taken while the high bytes of the row before are multiplied, from a second operand register; the first row has none
  /// before it.
  [[nodiscard]] int64_t first_row_cycles() const { return shape_.passes > 1 && has_long_first_row_ ? 1 : 0; }
  /// What all rows of steps that meet padding, or a pixel that fills up a last group, cost at most.
  [[nodiscard]] int64_t padding_cycles() const;

 private:
  void prepare_conv();
  /// Accumulator rows of which the steps take a tap outside of the map, or whose last pixels fill up a group.
  [[nodiscard]] int64_t rows_in_padding(int64_t first_step, int64_t last_step) const;
  /// Bytes of a pixel that one rotation brings to their lanes.
  struct PixelRun {
    int64_t begin, bytes;
  };
  /// From element `r` of the reduction to the end of its run, however long the step is.
  [[nodiscard]] int64_t run_elements(int64_t r) const;
  /// What the first pixel of a row needs, in the order of the reduction.
  [[nodiscard]] std::vector<PixelRun> conv_runs(int64_t step) const;
  [[nodiscard]] std::vector<Run> conv_segments(int64_t step) const;
  [[nodiscard]] AccessCost conv_row(const std::vector<Run>& segments, int64_t residue, std::vector<int64_t>& words) const;

  const spec::MacCommand& command_;
  const MacShape& shape_;
  int64_t word_bytes_, period_bytes_, read_words_;
  std::vector<std::vector<AccessCost>> conv_;  // [class of row tile][step]
  std::vector<int64_t> most_slots_;            // of the read port, that a row of the step takes
  std::vector<size_t> class_of_tile_;
  bool has_long_first_row_ = false;    // in segments of more than one cycle
  std::optional<MacWindows> windows_;  // depthwise
  // Conv: segments of a step, and the beats of a row with them by where it begins.
  std::vector<std::vector<Run>> segments_;
  std::vector<std::vector<std::vector<BankBeat>>> beats_;  // [step][residue], made when they are asked for
};

}  // namespace vernier::timing
