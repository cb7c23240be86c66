// SPDX-License-Identifier: Apache-2.0
// What of a wave a view lists, and in which groups: a group for each scope in which something happens within the window.
// Knows two habits of the RTL: the signals of a stream of data begin with one word, `out_value_o`, `out_valid_o`, and a mask
// has a bit for each element of the data that it goes with.
#pragma once

#include "sim/waves/wave.hpp"

#include <string>
#include <vector>

namespace vernier::waves {

/// A word of several elements, the element of the lowest bits first.
struct Lanes {
  size_t variable = 0;
  int num_lanes = 0, bits = 0;  // bits of each lane
};

struct Group {
  std::string name;
  bool is_closed = false;  // until somebody opens it
  std::vector<size_t> variables;
  std::vector<Lanes> words;   // of the results that leave a block
  std::vector<Group> groups;  // after the variables
};

/// What of RTL is wanted.
struct RtlView {
  int most_depth = 3;  // of scopes: npu, rtl0, the block; what lies deeper is in the viewer's tree
  int lane = -1;       // whose scopes, named like gen_lane[5], are there too where something moves, however deep; -1: none
};

/// First the units, which have layers. A group has what changes within the window; what says which command and layer is
/// there and in which state, also where it stays the same. A scope of many signals has a group for each stream; the streams
/// that leave the block are open.
std::vector<Group> view_groups(const Wave& wave, const Window& window, const RtlView& rtl = {});

}  // namespace vernier::waves
