// SPDX-License-Identifier: Apache-2.0
// Cuts a whole step into the commands that the machine takes: stripes of rows by blocks of output channels.
#pragma once

#include "compiler/passes/program.hpp"

#include <cstdint>
#include <vector>

namespace vernier::schedule {

/// Rows that a step can be cut along (1 when it cannot be).
int64_t num_rows(const passes::Step& step);
/// Channels between possible cuts of a MAC step, so that a block starts on a channel tile, an input block and an output
/// block.
int64_t channel_step(const spec::MacCommand& command, const spec::Datapath& datapath);

/// Rows [first_row, first_row + rows) of a step. The whole of it costs nothing.
passes::Step cut_rows(const passes::Step& step, int64_t first_row, int64_t rows);
/// Output channels [first, first + channels) of a MAC step whose weights are in Tiles order; `first` is a multiple of
/// channel_step.
passes::Step cut_channels(const passes::Step& step, int64_t first, int64_t channels, const spec::Datapath& datapath);

/// Bytes of packed weights of channels [0, channels); `channels` a multiple of channel_step, or all of them.
int64_t weight_bytes(const spec::MacCommand& command, int64_t channels, const spec::Datapath& datapath);

/// What a cut aims at.
struct CutLimits {
  int64_t max_stripes = 4;            // more only to keep within working_set_bytes
  int64_t min_accumulator_rows = 64;  // of a MAC stripe: a full bank
  int64_t min_vectors = 64;           // of a vector stripe
  int64_t working_set_bytes = 0;      // what a stripe reads and writes of feature maps, as far as rows allow
  int64_t weight_block_bytes = 0;     // packed weights of one block of channels (weights in external memory); 0: no limit
};

/// The commands of a step: blocks of channels, and stripes within each.
std::vector<passes::Step> cut(const passes::Step& step, const spec::Datapath& datapath, const CutLimits& limits);

}  // namespace vernier::schedule
