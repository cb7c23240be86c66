// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/placements.hpp"

#include <catch2/catch.hpp>

#include <tuple>
#include <vector>

using namespace vernier;
using base::ElementType;

TEST_CASE("channels have planes where their blocks do not follow each other") {
  package::Placement placement;
  placement.channel_block = 16;
  for (const auto& [pitch_bytes, type, channels, has_planes] :
       std::vector<std::tuple<int64_t, ElementType, int64_t, bool>>{{16, ElementType::Int8, 48, false},
                                                                    {32, ElementType::Int16, 48, false},
                                                                    {17, ElementType::Int8, 48, true},
                                                                    {18, ElementType::Int16, 48, true},
                                                                    {64, ElementType::Int8, 17, true},
                                                                    {64, ElementType::Int8, 16, false}}) {
    CAPTURE(pitch_bytes, channels);
    placement.block_pitch_bytes = pitch_bytes;
    CHECK(passes::has_planes(placement, {1, 2, 2, channels}, type) == has_planes);
  }
}
