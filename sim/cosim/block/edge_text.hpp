// SPDX-License-Identifier: Apache-2.0
// How messages say that something moved in another cycle than it had to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vernier::cosim {

/// "PORT 2 cycles later than hw/spec says", of a pipe; empty for 0 cycles. A number below 0 is early.
std::string away_from_spec(std::string_view port, int64_t late_cycles);

/// "WHAT 2 cycles later than ideal with 5 stalls", of a unit that ports may have kept waiting for `stall_cycles`; empty
/// where it is neither early nor later than these explain.
std::string away_from_ideal(std::string_view what, int64_t late_cycles, int64_t stall_cycles);

/// What an output does that follows an input inside a cycle: "follows INPUT inside a cycle".
std::string follows_inside_cycle(std::string_view input);

}  // namespace vernier::cosim
