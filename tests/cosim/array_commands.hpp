// SPDX-License-Identifier: Apache-2.0
// What tests of the array share: a command by hand, and a comparison that has to be without any difference.
#pragma once

#include "sim/cosim/array_lock_step.hpp"

namespace vernier::cosim {

inline constexpr spec::Datapath kN8{8, 4, 2};

inline const spec::RtlBlock& mac_array() { return spec::kRtlBlocks[2]; }
inline const spec::RtlBlock& datapath() { return spec::kRtlBlocks[3]; }

/// Whether this program has RTL; where it has none a test says that it checks nothing.
bool has_rtl();

void check_equal(const LockStepResult& result);

/// 3 x 3 pixels of `channels` channels, 1 x 1, to `out_channels`, int8 through the rescale unit.
ArrayCommand pointwise(const spec::Datapath& datapath, int64_t channels, int64_t out_channels);

/// The same with an addend, with or without a table.
ArrayCommand with_residual(const spec::Datapath& datapath, int64_t channels, int64_t out_channels, bool has_table);

}  // namespace vernier::cosim
