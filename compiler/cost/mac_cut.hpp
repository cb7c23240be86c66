// SPDX-License-Identifier: Apache-2.0
// Parts of a MAC command: some of its output rows, columns or channels. Addresses move along with them.
#pragma once

#include "hw/spec/command.hpp"

#include <cstdint>

namespace vernier::cost {

/// The command keeps `count` output rows from `first` on, and of its input what these read.
void cut_rows(spec::MacCommand& command, int64_t first, int64_t count);
/// `first` is a multiple of the pixels that share the lanes.
void cut_columns(spec::MacCommand& command, int64_t first, int64_t count);
/// `first` is a multiple of a channel tile, lanes / pixels that share them.
void cut_channels(spec::MacCommand& command, int64_t first, int64_t count, const spec::Datapath& datapath);

}  // namespace vernier::cost
