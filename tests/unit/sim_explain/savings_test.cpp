// SPDX-License-Identifier: Apache-2.0
// What would make a layer faster: every figure counted by hand.
#include "tests/unit/sim_explain/made_job.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::explain;
using timing::Stall;
using units::Cause;

namespace {

/// 64 pixels of a 1x1 convolution on v256.
spec::MacCommand convolution(int64_t reduction, int64_t channels) {
  spec::MacCommand mac = support::pointwise(config::preset_config("v256", "test"), 4, 16, 0, 0, 0, 0);
  mac.in_channels = mac.reduction_end = reduction;
  mac.input.pixel_pitch_bytes = 16;
  mac.out_channels = channels;
  return mac;
}
spec::Command copy(int64_t run_bytes) {
  spec::DmaCommand dma;
  dma.run_bytes = run_bytes;
  return {{spec::Queue::Dma0, 0, 0}, dma};
}

constexpr int64_t kLong = 1'000'000;  // cycles of a job that limits nothing

TEST_CASE("savings: lanes without a channel, and multipliers without an element, each of what is left") {
  // 64 pixels x 2 blocks x 1 step: 128 cycles. Of 32 lanes 17 have a channel; of 16 multipliers of a lane 12 have an
  // element.
  const std::vector<Saving> found = MadeJob().add(convolution(12, 17), 128).counts(Cause::Array, 128).savings(kLong);
  REQUIRE(found.size() == 2);
  CHECK(found[0].words == "17 output channels fill 2 blocks of 16: 47 % of the lanes idle");
  CHECK(found[0].most_cycles == 60);  // 128 x 15 / 32
  CHECK(found[1].words == "a reduction of 12 in a step of 16: 25 % of the multipliers of a lane idle");
  CHECK(found[1].most_cycles == 32);
}

TEST_CASE("savings: nothing is left over where the array is full") {
  CHECK(MadeJob().add(convolution(16, 32), 128).counts(Cause::Array, 128).savings(kLong).empty());
}

TEST_CASE("savings: stalls of the array are added up, the largest first, without what is less than 1 %") {
  MadeJob job;
  job.add(convolution(16, 32), 128).stalls(Stall::PipelineFill, 11).stalls(Stall::WeightLoad, 300);
  job.add(convolution(16, 32), 128).stalls(Stall::WeightLoad, 41).stalls(Stall::RescaleContention, 6);
  const std::vector<Saving> found = job.counts(Cause::Array, 650).savings(kLong);
  REQUIRE(found.size() == 2);
  CHECK(found[0].most_cycles == 341);
  CHECK(found[0].words.starts_with("weight_load: a weight tile takes "));
  CHECK(found[1].most_cycles == 11);
  CHECK(job.savings(340)[0].most_cycles == 340);  // no more than the run has
}

TEST_CASE("savings: copies count with the whole of their flights, outside and inside SRAM apart") {
  MadeJob job;
  job.add(copy(64), 4, 120, {0, 64, 64, 0}).add(copy(32), 2, 107, {32, 0, 0, 32}).add(copy(160), 10, 14, {160, 160, 0, 0});
  const std::vector<Saving> found = job.counts(Cause::WaitsForLoad, 200).savings(kLong);
  REQUIRE(found.size() == 2);
  CHECK(found[0].most_cycles == 227);
  CHECK(
      found[0].words ==
      "loads 64 B, stores 32 B in 2 transfers, each with a latency of 100 cycles: nothing of it where weights and maps stay "
      "in SRAM");
  CHECK(found[1].most_cycles == 14);
}

TEST_CASE("savings: where bytes take longer than latencies, and where loads of others are waited for, bandwidth helps") {
  MadeJob own;
  own.add(copy(64), 4, 400, {0, 64, 6400, 0});
  std::vector<Saving> found = own.counts(Cause::WaitsForLoad, 400).savings(kLong);
  REQUIRE(found.size() == 1);
  CHECK(
      found[0].words ==
      "loads 6,400 B at 16 B per cycle: less of it with more bandwidth, nothing of it where weights and maps stay in SRAM");
  CHECK(found[0].most_cycles == 400);

  MadeJob others;
  others.add(copy(64), 4, 104, {0, 64, 64, 0});
  found = others.counts(Cause::WaitsForLoad, 2000).savings(kLong);
  REQUIRE(found.size() == 1);
  CHECK(found[0].words ==
        "waits for loads of other layers at 16 B per cycle, its own are 64 B: less of it with more bandwidth, nothing of it "
        "where weights and maps stay in SRAM");
  CHECK(found[0].most_cycles == 2000);

  found = MadeJob().add(convolution(16, 32), 128).counts(Cause::WaitsForLoad, 300).savings(kLong);
  REQUIRE(found.size() == 1);
  CHECK(found[0].words ==
        "waits for a load of another layer: less of it with more bandwidth, nothing of it where weights and maps stay in "
        "SRAM");
}

TEST_CASE("savings: a hidden layer shortens nothing") {
  const std::vector<Saving> found = MadeJob().add(convolution(12, 17), 128).savings(kLong);
  REQUIRE(found.size() == 1);
  CHECK(found[0].words == "all of it is hidden behind other layers: what makes it faster shortens no run");
  CHECK_FALSE(found[0].most_cycles);
}

}  // namespace
