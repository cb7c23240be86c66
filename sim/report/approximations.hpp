// SPDX-License-Identifier: Apache-2.0
// What the cycles of a run leave out or simplify, with the error that this can make. A report lists the approximations that
// its run touches; each is explained in the header of the unit concerned and in
// docs/architecture/approximations.md.
#pragma once

#include "hw/package/package.hpp"
#include "sim/report/report.hpp"
#include "sim/soc/npu.hpp"

#include <vector>

namespace vernier::report {

/// Those that the run touches, the most important one first. Four of them are counted, command by command, from what
/// hw/timing charges for it: such an approximation is touched when its bound is not 0.
std::vector<Approximation> approximations(const package::Package& package, const soc::JobResult& job);

}  // namespace vernier::report
