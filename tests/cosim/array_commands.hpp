// SPDX-License-Identifier: Apache-2.0
// Commands by hand that tests of the array share.
#pragma once

#include "sim/cosim/lockstep/array_lock_step.hpp"

namespace vernier::cosim {

inline constexpr spec::Datapath kN8{8, 4, 2};

inline const spec::RtlBlock& mac_array() { return *spec::rtl_block_of_unit("mac_array"); }
inline const spec::RtlBlock& datapath() { return *spec::rtl_block_of_unit("datapath"); }

/// 3 x 3 pixels of `channels` channels, 1 x 1, to `out_channels`, int8 through the rescale unit.
Work pointwise(const spec::Datapath& datapath, int64_t channels, int64_t out_channels);

/// 3 x 3 pixels of N channels, depthwise, 2 x 2 taps.
Work depthwise(const spec::Datapath& datapath);

/// The same as pointwise() with an addend, with or without a table.
Work with_residual(const spec::Datapath& datapath, int64_t channels, int64_t out_channels, bool has_table);

/// One pixel of `steps` N channels to `channel_tiles` N, int8 through the rescale unit, all that it reads and writes dense.
Work fully_connected(const spec::Datapath& datapath, int64_t steps, int64_t channel_tiles);

/// Fills both banks in all rows and lanes and every cell of the weight tile with the largest numbers that there are.
Work full_array(const spec::Datapath& datapath);

/// A depthwise command of the largest elements, whose windows keep them.
Work full_windows(const spec::Datapath& datapath);

}  // namespace vernier::cosim
