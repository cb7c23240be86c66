// SPDX-License-Identifier: Apache-2.0
// The weight stream of a MAC command: the bytes of each weight tile, into the shadow tile, in the order in which they lie in
// the weight order: Tiles as packed; LaneMajor a lane after the other; TapMajor an element after the other. A beat has bytes
// of at most kWeightLoadWords words (or what the read port gives), of at most kWeightLoadRows tile rows (the lanes or the
// elements that follow each other) and of one tile only. A word of which a beat leaves some bytes is kept for the next.
#pragma once

#include "hw/sequence/mac_order.hpp"

#include <optional>
#include <vector>

namespace vernier::sequence {

/// A byte that goes into cell (lane, element) of the weight tile. Elements behind the end of the reduction are there too,
/// where the packed tile has zeros for them; where it has not, their cells keep what they had. `element` counts from the
/// step's first. Of int4 a cell takes half a byte with its sign, and the half byte that fills up a tap goes nowhere.
struct WeightByte {
  int64_t address;
  int16_t lane;
  int16_t element;
  int16_t half = 0;  // of int4: 0 the low half of the byte, 1 the high one
};

struct WeightBeat {
  MacPlace place;
  std::vector<int64_t> words;     // numbers of the SRAM words that are read, in their order
  std::vector<WeightByte> bytes;  // of those words and the one that was kept
  bool is_last_of_tile = false;
};

class WeightStream {
 public:
  /// Both are to outlive the stream.
  WeightStream(const spec::MacCommand& command, const spec::Datapath& datapath);
  /// Replaces `beat` by the next one; false behind the last.
  bool next(WeightBeat& beat);

 private:
  /// A byte of the weight tile's lines, in its order; `cell` if it is of the byte of weights that this tile has.
  struct Byte {
    WeightByte cell;
    bool is_of_tile;
  };
  void gather_tile();
  /// Of the tile that is gathered next.
  void find_next_place();
  /// Linear in both; not of packed int4.
  [[nodiscard]] int64_t address_of_weight(int64_t lane, int64_t element) const;
  /// The halves of bytes of a packed tile of int4.
  void gather_int4(int64_t lanes);

  const spec::MacCommand& command_;
  MacOrder order_;
  int64_t word_bytes_, beat_words_;
  std::optional<MacPlace> place_{MacPlace{}};  // of the tile that is gathered next
  MacPlace tile_;                              // of the gathered one
  std::vector<Byte> bytes_;
  size_t next_byte_ = 0;
  bool is_lane_wise_ = false;         // a tile row is a lane, else an element
  std::optional<int64_t> last_word_;  // that was read
};

}  // namespace vernier::sequence
