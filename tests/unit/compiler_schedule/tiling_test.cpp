// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/tilings_of_steps.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/range.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <random>

namespace vernier::schedule {
namespace {

using passes::AddressField;

/// A convolution over planes of 16 channels, everything outside.
passes::Step convolution(int64_t size, int64_t in_channels, int64_t out_channels, int64_t kernel) {
  spec::MacCommand mac;
  mac.in_channels = in_channels;
  mac.out_channels = out_channels;
  mac.kernel_rows = mac.kernel_columns = kernel;
  mac.in_rows = mac.out_rows = size;
  mac.in_columns = mac.out_columns = size;
  mac.origin_row = mac.origin_column = -(kernel / 2);
  mac.reduction_end = kernel * kernel * in_channels;
  mac.input = {0, 16 * size, 16, 16 * size * size, base::ElementType::Int8};
  mac.output = {0, 16 * size, 16, 16 * size * size, base::ElementType::Int8};
  mac.rescale = true;
  mac.clamp_min = -128;
  mac.clamp_max = 127;
  passes::Step step;
  step.command = {{spec::Queue::MacArray, 0, 0}, mac};
  step.operands = {{AddressField::Input, 0, 0},
                   {AddressField::Weights, 0, 1},
                   {AddressField::Parameters, 0, 2},
                   {AddressField::Output, 0, 3}};
  return step;
}

const OperandSet kAll{0, 1, 2, 3};

/// A step's tilings on v256-port8.
struct Tilings {
  explicit Tilings(const passes::Step& cut) : step(cut) {}
  passes::Step step;
  config::MachineConfig config = config::preset_config("v256-port8", "test");
  KnownTimes times{config};
  StepTilings all{step, config, times, kAll};
};

// The search stops behind the few largest stripes that fit, so that a smaller one that was better may be missed with more
// room; the scheduler therefore also tries plans for parts of the SRAM.
TEST_CASE("a tiling keeps within its budget, and more room costs little more") {
  const auto seed = GENERATE(range(0U, 12U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<int64_t> values) { return values[random() % values.size()]; };
  Tilings tilings(convolution(pick({1, 7, 14, 28, 56}), pick({16, 64, 256}), pick({16, 64, 512}), pick({1, 1, 3})));
  const int64_t least = tilings.all.choose(kAll, 0, Ends::Exposed).need_bytes;
  CHECK(least > 0);
  CHECK(tilings.all.choose(kAll, least - 1, Ends::Exposed).need_bytes == least);
  int64_t before = 0;
  for (int64_t budget = least; budget < int64_t{64} << 20; budget *= 3) {
    const Tiling tiling = tilings.all.choose(kAll, budget, Ends::Exposed);
    CAPTURE(budget, print(tiling, tilings.step));
    CHECK(tiling.need_bytes <= budget);
    if (before > 0) CHECK(tiling.cost_cycles <= before + before / 12);
    before = tiling.cost_cycles;
  }
}

TEST_CASE("steps that differ only in where their operands lie share their tilings, as the images of a batch do") {
  const config::MachineConfig config = config::preset_config("v256-port8", "test");
  KnownTimes times{config};
  std::vector<passes::Step> steps(4, convolution(14, 64, 64, 3));
  const auto move = [](passes::Step& step, int64_t bytes) {
    std::get<spec::MacCommand>(step.command.body).input.base += bytes;
  };
  move(steps[1], 1 << 16);                 // another image
  move(steps[2], (1 << 16) + 64);          // its words begin in another bank
  steps[3] = convolution(14, 64, 128, 3);  // another shape
  TilingsOfSteps tilings(steps, config, times, {kAll, kAll, kAll, kAll});
  CHECK(&tilings[0] == &tilings[1]);
  CHECK(&tilings[0] != &tilings[2]);
  CHECK(&tilings[0] != &tilings[3]);
  CHECK(tilings.num_different() == 3);
  CHECK(TilingsOfSteps({steps[0], steps[1]}, config, times, {kAll, {0, 1, 2}}).num_different() == 2);
}

TEST_CASE("a budget near another has the tiling that a search of its own finds") {
  const passes::Step step = convolution(14, 64, 64, 3);
  Tilings asked_before(step);
  std::mt19937 random(5);
  for (int i = 0; i < 60; ++i) {
    const auto drawn = static_cast<int64_t>(random() % 100'000);
    // What a tiling needs is where the choice changes.
    const int64_t need_bytes = asked_before.all.choose(kAll, drawn, Ends::Exposed).need_bytes;
    for (const int64_t budget : {drawn, need_bytes - 1, need_bytes, need_bytes + 1}) {
      for (const Ends ends : {Ends::Exposed, Ends::Hidden}) {
        Tilings asked_first(step);
        const Tiling& known = asked_before.all.choose(kAll, budget, ends);
        const Tiling& searched = asked_first.all.choose(kAll, budget, ends);
        CAPTURE(budget, print(known, step), print(searched, step));
        REQUIRE((known.cuts == searched.cuts && known.level == searched.level));
        REQUIRE(known.doubled_from == searched.doubled_from);
        REQUIRE(known.cost_cycles == searched.cost_cycles);
      }
    }
  }
}

TEST_CASE("what is known of parts changes no choice") {
  Tilings asked_before(convolution(28, 64, 64, 3));
  for (const int64_t budget : {0, 9 << 10, 20 << 10, 48 << 10}) asked_before.all.choose(kAll, budget, Ends::Hidden);
  for (const int64_t budget : {12 << 10, 40 << 10}) {
    Tilings fresh(asked_before.step);
    const Tiling& again = asked_before.all.choose(kAll, budget, Ends::Exposed);
    const Tiling& alone = fresh.all.choose(kAll, budget, Ends::Exposed);
    CHECK(print(again, fresh.step) == print(alone, fresh.step));
    CHECK(again.cost_cycles == alone.cost_cycles);
  }
}

TEST_CASE("the part that stands for all reads something, however wide the padding on one side") {
  const auto axis = GENERATE(kRows, kColumns);
  const bool is_behind = GENERATE(true, false);
  CAPTURE(axis, is_behind);
  passes::Step step = convolution(8, 16, 16, 3);
  auto& mac = std::get<spec::MacCommand>(step.command.body);
  (axis == kRows ? mac.out_rows : mac.out_columns) = 200;
  (axis == kRows ? mac.origin_row : mac.origin_column) = is_behind ? -1 : -193;
  const config::MachineConfig config = config::preset_config("v256", "test");
  const auto reads_map = [&](const passes::Step& part) {
    const std::vector<package::Range> ranges = package::ranges_of(part.command, config.datapath);
    return std::any_of(ranges.begin(), ranges.end(), [](const package::Range& range) { return range.what == "input"; });
  };
  CHECK_FALSE(reads_map(part_of(step, axis, 96, 4, config.datapath)));
  for (const int64_t size : {1, 4, 7, 50}) {
    const std::array<Cut, 1> cuts{Cut{axis, size}};
    CHECK(reads_map(largest_part(step, cuts, config.datapath)));
  }
  // Where padding is as wide on both sides, the part in the middle is the one, as ever.
  const passes::Step even = convolution(28, 16, 16, 3);
  const std::array<Cut, 1> cuts{Cut{axis, 4}};
  CHECK(largest_part(even, cuts, config.datapath).command == part_of(even, axis, 12, 4, config.datapath).command);
}

TEST_CASE("what the least room holds is a slice of the reduction") {
  Tilings tilings(convolution(7, 2048, 512, 1));
  const Tiling tiling = tilings.all.choose(kAll, 0, Ends::Exposed);
  CHECK(tiling.cuts.back().axis == kReduction);
  CHECK(tiling.need_bytes < 4096);  // a step of weights alone is 256 B, a channel tile of all steps 32 KiB
}

TEST_CASE("an operand is copied where the innermost cut changes it") {
  Tilings tilings(convolution(56, 64, 64, 3));
  const std::vector<Tiling> tried = tilings.all.tried(kAll, 48 << 10, Ends::Exposed);
  REQUIRE(!tried.empty());
  for (const Tiling& tiling : tried) {
    CAPTURE(print(tiling, tilings.step));
    const auto innermost = [&](std::vector<Axis> axes) {
      int32_t level = 0;
      for (size_t i = 0; i < tiling.cuts.size(); ++i) {
        if (std::find(axes.begin(), axes.end(), tiling.cuts[i].axis) != axes.end()) level = static_cast<int32_t>(i) + 1;
      }
      return level;
    };
    CHECK(tiling.level[0] == innermost({kRows, kColumns}));  // a 3 x 3 kernel reads all channels for each slice
    CHECK(tiling.level[1] == innermost({kChannels, kReduction}));
    CHECK(tiling.level[2] == innermost({kChannels}));
    CHECK(tiling.level[3] <= innermost({kRows, kColumns, kChannels}));
  }
}

}  // namespace
}  // namespace vernier::schedule
