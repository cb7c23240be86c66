// SPDX-License-Identifier: Apache-2.0
// A dilated depthwise command in phases: each output once, from the same positions of the map, whatever stride, dilation and
// padding; and phases only where they take fewer cycles.
#include "compiler/cost/dilation_phases.hpp"

#include "compiler/cost/mac_choice.hpp"
#include "compiler/passes/placements.hpp"
#include "tests/support/random.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

namespace vernier::schedule {
namespace {

using cost::InputSteps;
using cost::OutputPhase;

/// 3 x 3 on planes, padded so that the result is as large as the map.
spec::MacCommand dilated(int64_t rows, int64_t columns, int64_t channels, int64_t dilation, int64_t stride = 1) {
  const auto map = [&](int64_t map_rows, int64_t map_columns) {
    const base::Shape shape{1, map_rows, map_columns, channels};
    return passes::feature_map(passes::planes_placement(shape, base::ElementType::Int8, 16, stride), shape,
                               base::ElementType::Int8, 0, 16);
  };
  spec::MacCommand mac;
  mac.mode = spec::MacMode::Depthwise;
  mac.in_rows = rows;
  mac.in_columns = columns;
  mac.in_channels = mac.out_channels = channels;
  mac.kernel_rows = mac.kernel_columns = 3;
  mac.reduction_end = 9;
  mac.stride_rows = mac.stride_columns = stride;
  mac.dilation_rows = mac.dilation_columns = dilation;
  mac.origin_row = mac.origin_column = -dilation;
  mac.out_rows = (rows - 1) / stride + 1;
  mac.out_columns = (columns - 1) / stride + 1;
  mac.rescale = true;
  mac.input = map(rows, columns);
  mac.output = map(mac.out_rows, mac.out_columns);
  return mac;
}

/// By address of the output, the addresses of what it reads; -1 - tap in padding.
std::map<int64_t, std::set<int64_t>> reads_of(const spec::MacCommand& c) {
  std::map<int64_t, std::set<int64_t>> reads;
  for (int64_t y = 0; y < c.out_rows; ++y) {
    for (int64_t x = 0; x < c.out_columns; ++x) {
      auto& from = reads[c.output.base + y * c.output.row_pitch_bytes + x * c.output.pixel_pitch_bytes];
      for (int64_t tap = 0; tap < c.reduction_end; ++tap) {
        const int64_t row = c.origin_row + y * c.stride_rows + tap / c.kernel_columns * c.dilation_rows;
        const int64_t column = c.origin_column + x * c.stride_columns + tap % c.kernel_columns * c.dilation_columns;
        const bool is_inside = row >= 0 && row < c.in_rows && column >= 0 && column < c.in_columns;
        from.insert(is_inside ? c.input.base + row * c.input.row_pitch_bytes + column * c.input.pixel_pitch_bytes
                              : -1 - tap);
      }
    }
  }
  return reads;
}

}  // namespace

TEST_CASE("phases compute each output of a dilated command once, from what it read") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    tests::Random random(seed);
    CAPTURE(seed);
    const int64_t dilation = random.within(2, 6), stride = random.within(1, 4);
    spec::MacCommand command = dilated(random.within(7, 20), random.within(7, 20), 16, dilation, stride);
    command.origin_row = random.within(-9, 0);
    command.origin_column = random.within(-9, 0);
    const auto expected = reads_of(command);
    for (const InputSteps& steps : {InputSteps{dilation, 1}, InputSteps{1, dilation}, InputSteps{dilation, dilation}}) {
      std::map<int64_t, std::set<int64_t>> reads;
      size_t outputs = 0;
      for (const OutputPhase& phase : cost::phases_of(command, steps)) {
        if (phase.command.out_rows <= 0 || phase.command.out_columns <= 0) continue;
        const auto own = reads_of(phase.command);
        outputs += own.size();
        reads.insert(own.begin(), own.end());
        CHECK(phase.command.output.base == command.output.base + phase.first_row * command.output.row_pitch_bytes +
                                               phase.first_column * command.output.pixel_pitch_bytes);
      }
      CHECK(outputs == expected.size());
      CHECK(reads == expected);
    }
  }
}

TEST_CASE("a stride that is a multiple of the dilation needs no second phase") {
  const spec::MacCommand command = dilated(29, 29, 32, 2, 4);
  const std::vector<OutputPhase> phases = cost::phases_of(command, {2, 2});
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].command.stride_rows == 2);
  CHECK(phases[0].command.dilation_columns == 1);
  CHECK(cost::phases_of(dilated(29, 29, 32, 4, 2), {4, 4}).size() == 4);
}

TEST_CASE("phases are chosen, since windows do not slide along a dilation") {
  const auto choose = [](const spec::MacCommand& command, const char* machine) {
    cost::Alternatives told("dilated windows");
    const InputSteps steps = cost::choose_phases(command, config::preset_config(machine, "test"), 0, told).steps;
    if (!told.ways.empty()) {
      CHECK(told.ways[0].what == fmt::format("one command, dilation {0}, {0}", command.dilation_rows));
      for (const cost::Alternative& way : told.ways) CHECK(*way.cycles >= *told.ways[told.chosen].cycles);
    }
    return steps;
  };
  CHECK_FALSE(choose(dilated(33, 33, 64, 2), "v1024") == InputSteps{});
  CHECK_FALSE(choose(dilated(33, 33, 64, 3), "v256") == InputSteps{});
  CHECK_FALSE(choose(dilated(33, 33, 64, 6), "v256") == InputSteps{});
  CHECK_FALSE(choose(dilated(33, 33, 64, 2), "v64") == InputSteps{});
  // Nothing to choose, and maps with fewer rows than the dilation.
  CHECK(choose(dilated(14, 14, 64, 1), "v256") == InputSteps{});
  CHECK(choose(dilated(5, 5, 64, 12), "v256") == InputSteps{});
}

TEST_CASE("phases of a layer with dilation 3 come near a cycle an output") {
  const config::MachineConfig config = config::preset_config("v256", "test");
  const spec::MacCommand command = dilated(33, 33, 64, 3);
  cost::Alternatives told("dilated windows");
  cost::choose_phases(command, config, 0, told);
  const int64_t outputs = int64_t{33} * 33 * 4;
  CHECK(*told.ways[told.chosen].cycles < outputs * 11 / 10);
  CHECK(*told.ways[0].cycles > outputs * 18 / 10);
}

}  // namespace vernier::schedule
