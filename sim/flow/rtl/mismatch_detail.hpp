// SPDX-License-Identifier: Apache-2.0
// A mismatch of RTL as a report has it.
#pragma once

#include "sim/cosim/block/mismatch.hpp"
#include "sim/report/report.hpp"

namespace vernier::flow {

report::RtlUse::MismatchDetail detail_of(const cosim::Mismatch& mismatch);

}  // namespace vernier::flow
