// SPDX-License-Identifier: Apache-2.0
// How slow the external memory may be before a program slows down.
#pragma once

#include "hw/base/ratio.hpp"
#include "hw/package/package.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <optional>

namespace vernier::explain {

/// Of the bandwidths k/64 times that of the package (k/16 from 5,000 commands on, k/4 from 50,000), the least found at which
/// its commands, unchanged, take at most 1 % more cycles than in `job`. None when the job moved no byte outside.
///
/// Found by halving, between the bytes of the job over its cycles, which no less can do, and the package's own bandwidth. So
/// it costs at most 6 (4, 2) simulations with values off, and none where the bandwidth is used in full.
std::optional<base::Ratio> least_external_bandwidth(const package::Package& package, const soc::JobResult& job);

}  // namespace vernier::explain
