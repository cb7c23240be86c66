// SPDX-License-Identifier: Apache-2.0
// How a step could have been cut, for whoever looks at the schedule.
#pragma once

#include "compiler/cost/alternatives.hpp"
#include "compiler/schedule/tiling.hpp"

namespace vernier::schedule {

/// The tiling that was chosen for a step with that budget and those ends, and the next best.
cost::Alternatives alternatives_to(const Tiling& chosen, const passes::Step& step, StepTilings& tilings,
                                   int64_t budget_bytes, Ends ends);

}  // namespace vernier::schedule
