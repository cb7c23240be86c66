// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/mismatch_detail.hpp"

#include <string>

namespace vernier::flow {

report::RtlUse::MismatchDetail detail_of(const cosim::Mismatch& mismatch) {
  return {.kind = std::string(cosim::name_of(mismatch.kind)),
          .unit = mismatch.unit,
          .port = mismatch.port,
          .lane = mismatch.lane,
          .command = mismatch.command,
          .cycle = mismatch.cycle,
          .expected = {mismatch.expected.text, mismatch.expected.number},
          .actual = {mismatch.actual.text, mismatch.actual.number},
          .operands = mismatch.operands};
}

}  // namespace vernier::flow
