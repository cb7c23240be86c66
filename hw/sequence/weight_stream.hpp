// SPDX-License-Identifier: Apache-2.0
// The weight stream of a MAC command: the words of each weight tile, into the shadow tile, in the order in which they lie in
// the weight order: Tiles as packed; LaneMajor a lane after the other; TapMajor an element after the other. Words follow
// each other in that order, kWeightLoadWords (or what the read port gives) a beat; a beat has words of one tile only.
#pragma once

#include "hw/sequence/mac_order.hpp"

#include <optional>
#include <vector>

namespace vernier::sequence {

/// A byte that goes into cell (lane, element) of the weight tile. Elements behind the end of the reduction are there too,
/// where the packed tile has zeros for them; where it has not, their cells keep what they had. `element` counts from the
/// step's first.
struct WeightByte {
  int64_t address;
  int16_t lane;
  int16_t element;
};

struct WeightBeat {
  MacPlace place;
  std::vector<int64_t> words;     // numbers of SRAM words, in their order
  std::vector<WeightByte> bytes;  // of those words, the ones that this tile holds
  bool is_last_of_tile = false;
};

class WeightStream {
 public:
  /// Both are to outlive the stream.
  WeightStream(const spec::MacCommand& command, const spec::Datapath& datapath);
  /// Replaces `beat` by the next one; false behind the last.
  bool next(WeightBeat& beat);

 private:
  /// A word, and where its bytes end in bytes_.
  struct Word {
    int64_t number;
    size_t bytes_end;
  };
  void gather_tile();
  void gather_element(int64_t lane, int64_t element);
  [[nodiscard]] int64_t address_of_weight(int64_t lane, int64_t element) const;

  const spec::MacCommand& command_;
  MacOrder order_;
  int64_t word_bytes_, beat_words_;
  std::optional<MacPlace> place_{MacPlace{}};  // of the tile that is gathered next
  MacPlace tile_;                              // of the gathered one
  std::vector<Word> words_;
  std::vector<WeightByte> bytes_;
  size_t next_word_ = 0;
};

}  // namespace vernier::sequence
