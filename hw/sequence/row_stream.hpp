// SPDX-License-Identifier: Apache-2.0
// The streams of a MAC command's epilogue: a beat of parameters for each channel tile, and for each accumulator row of each
// row tile a beat of results and, with a residual, one of addends. Rows come in the order of the sequence, so that those of
// every second line of a depthwise command run backwards. A slice that is not the last has none of them.
#pragma once

#include "hw/sequence/mac_order.hpp"

#include <optional>
#include <vector>

namespace vernier::sequence {

/// Bias, multiplier and shift of the output channel that lane `lane` of the channel tile has.
struct ParameterBeat {
  struct Channel {
    int64_t address;  // of kChannelParameterBytes
    int16_t lane;
  };
  int64_t channel_tile = 0;
  std::vector<int64_t> words;
  std::vector<Channel> channels;
};

class ParameterStream {
 public:
  ParameterStream(const spec::MacCommand& command, const spec::Datapath& datapath);
  bool next(ParameterBeat& beat);

 private:
  const spec::MacCommand& command_;
  MacOrder order_;
  int64_t word_bytes_;
  int64_t channel_tile_ = 0;
};

/// An element of a row: lane `pixel` x T + `lane` of the array.
struct RowElement {
  int64_t address;
  int16_t pixel;
  int16_t lane;  // of the channel tile
};

struct RowBeat {
  MacPlace place;
  int64_t row = 0;                   // accumulator row of the command
  std::vector<int64_t> words;        // that the elements touch, ascending
  std::vector<RowElement> elements;  // pixels that fill up the last group of a row, and unused lanes, have none
  bool is_last_of_tile = false;      // the row tile's last row
};

class RowStream {
 public:
  static RowStream of_results(const spec::MacCommand& command, const spec::Datapath& datapath) {
    return {command, datapath, command.output, command.last};
  }
  static RowStream of_addends(const spec::MacCommand& command, const spec::Datapath& datapath) {
    return {command, datapath, command.addend, command.last && command.residual};
  }
  /// Replaces `beat` by the next one; false behind the last.
  bool next(RowBeat& beat);

 private:
  RowStream(const spec::MacCommand& command, const spec::Datapath& datapath, const spec::FeatureMap& map, bool has_beats);
  const spec::MacCommand& command_;
  const spec::FeatureMap& map_;
  MacOrder order_;
  int64_t word_bytes_;
  std::optional<MacPlace> place_;
  int64_t row_ = 0;
};

}  // namespace vernier::sequence
