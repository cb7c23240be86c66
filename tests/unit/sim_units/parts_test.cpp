// SPDX-License-Identifier: Apache-2.0
// The parts of the units that need no simulation.
#include "hw/spec/machine.hpp"
#include "sim/units/copy_walk.hpp"
#include "sim/units/lanes_tracker.hpp"
#include "sim/units/self_overlap.hpp"
#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>

#include <utility>

using namespace vernier;
using namespace vernier::units;

TEST_CASE("A copy's runs merge where both sides continue") {
  spec::DmaCommand dma;
  dma.run_bytes = 4;
  dma.counts = {1, 2, 3, 5, 2};
  dma.src = {{base::MemorySpace::Sram, 1000}, {0, 500, 100, 8, 4}};
  dma.dst = {{base::MemorySpace::Sram, 0}, {0, 120, 40, 8, 4}};
  const CopyWalk walk(dma);
  CHECK(walk.run_bytes() == 4 * 2 * 5);  // the third loop jumps at the source
  CHECK(walk.num_runs() == 6);
  std::vector<std::pair<int64_t, int64_t>> runs;
  walk.for_each([&](int64_t src, int64_t dst) { runs.emplace_back(src, dst); });
  CHECK(runs ==
        std::vector<std::pair<int64_t, int64_t>>{{1000, 0}, {1100, 40}, {1200, 80}, {1500, 120}, {1600, 160}, {1700, 200}});
}

TEST_CASE("Lanes are busy a cycle a vector, waiting while in use, idle otherwise") {
  LanesTracker tracker;
  tracker.begin_use(10);
  tracker.begin_use(15);
  CHECK_FALSE(tracker.end_use(4, 20).has_value());  // somebody uses them still
  const auto use = tracker.end_use(6, 30);
  REQUIRE(use.has_value());
  CHECK(std::tuple(use->start_cycle, use->end_cycle, use->busy_cycles) == std::tuple(10, 30, 4 + 6));
  tracker.begin_use(40);
  tracker.end_use(5, 45);
  tracker.begin_use(50);
  tracker.finish(60);
  kit::Statistics node("rescale_unit");
  tracker.report(node);
  CHECK(node.value("busy_cycles") == 4 + 6 + 5);
  CHECK(node.value("idle_cycles") == 10 + 10 + 5);
  CHECK(node.value("stall_cycles/waiting_for_operands") == 10 + 10);
  CHECK(node.sum() == 60);
}

TEST_CASE("In-place work is same element on same element") {
  const spec::Datapath datapath = spec::kPresets[1].datapath;
  const auto overlap = [&](const spec::Command& command) {
    return find_self_overlap(command, package::ranges_of(command, datapath)).has_value();
  };
  CHECK_FALSE(overlap(support::vector_add(0, 0, 40, 1)));
  CHECK_FALSE(overlap(support::vector_add(0, 40, 40, 1)));
  CHECK(overlap(support::vector_add(0, 39, 40, 1)));

  spec::Command wide = support::vector_add(0, 0, 40, 1);  // another type
  std::get<spec::VectorCommand>(wide.body).streams[1].type = base::ElementType::Int16;
  std::get<spec::VectorCommand>(wide.body).streams[1].lane_stride_bytes = 2;
  CHECK(overlap(wide));

  // The same bytes in another order.
  spec::DmaCommand square;
  square.src = {support::sram(0), {0, 0, 0, 4, 1}};
  square.dst = {support::sram(0), {0, 0, 0, 1, 4}};
  square.counts = {1, 1, 1, 4, 4};
  CHECK(overlap({{spec::Queue::Dma0, 0, 0}, square}));
  square.dst.strides_bytes = square.src.strides_bytes;
  CHECK_FALSE(overlap({{spec::Queue::Dma0, 0, 0}, square}));

  const config::MachineConfig config = config::preset_config("v256", "test");
  spec::MacCommand mac = support::pointwise(config, 1, 4, 0, 1024, 2048, 4096);
  mac.residual = true;
  mac.addend = mac.output;
  CHECK_FALSE(overlap({{spec::Queue::MacArray, 0, 0}, mac}));
  mac.addend.base += 1;
  CHECK(overlap({{spec::Queue::MacArray, 0, 0}, mac}));
  mac.residual = false;
  mac.input = mac.output;
  CHECK(overlap({{spec::Queue::MacArray, 0, 0}, mac}));
}
