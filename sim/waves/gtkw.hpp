// SPDX-License-Identifier: Apache-2.0
// GTKWave's save file for a wave: the signals that change in the window, in groups, with radix and colours.
#pragma once

#include "sim/waves/view_groups.hpp"

#include <string>
#include <vector>

namespace vernier::waves {

/// `wave_file` as it stands on the command line; the view names its last part, which lies beside it. `markers` are cycles,
/// the first of them the primary marker.
std::string gtkwave_view(const Wave& wave, const std::string& wave_file, const Window& window,
                         const std::vector<int64_t>& markers = {}, const RtlView& rtl = {});

}  // namespace vernier::waves
