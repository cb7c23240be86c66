// SPDX-License-Identifier: Apache-2.0
// The banks under the array's epilogue: words that one row of accumulators writes in one cycle to one bank follow each
// other.
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

namespace vernier::timing {
namespace {

TEST_CASE("two pixels of a row of accumulators that are written to one bank take two cycles") {
  const config::MachineConfig config = machine("v256");
  spec::MacCommand command;  // 1x1, 16 to 8 channels, 4 x 16 pixels, two a row: 32 rows
  command.in_rows = command.out_rows = 4;
  command.in_columns = command.out_columns = 16;
  command.in_channels = command.reduction_end = 16;
  command.out_channels = 8;
  command.lane_split_log2 = 1;
  command.rescale = true;
  command.input = dense(1 << 20, 16, 16, 16);
  command.output = dense(2 << 20, 16, 8, 16);
  const auto drain_with = [&](int64_t pixel_pitch_words) {
    command.output.pixel_pitch_bytes = pixel_pitch_words * 16;
    command.output.row_pitch_bytes = 16 * command.output.pixel_pitch_bytes;
    return profile(command, config).drain;
  };
  const Phase apart = drain_with(1);
  constexpr int64_t kLatencies = spec::kMacPipelineCycles + spec::kRescalePipelineCycles;
  CHECK(apart.cycles == 32 + kLatencies);
  CHECK(stall_of(apart, Stall::BankConflict) == 0);
  for (const int64_t words : {int64_t{spec::kNumSramBanks}, int64_t{3 * spec::kNumSramBanks}}) {
    const Phase together = drain_with(words);
    CHECK(together.cycles == 2 * 32 + kLatencies);
    CHECK(stall_of(together, Stall::BankConflict) == 32);
    CHECK(demand_of(together, Resource::SramWrite) == 64);
  }
}

}  // namespace
}  // namespace vernier::timing
