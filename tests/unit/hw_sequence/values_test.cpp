// SPDX-License-Identifier: Apache-2.0
// What the beats of hw/sequence bring, multiplied and added, is what the command means: kernels::run_mac.
#include "tests/unit/hw_sequence/array_model.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

namespace vernier::sequence {
namespace {

kernels::tests::Image run_kernel(const MacCase& mac, kernels::Accumulators& accumulators) {
  kernels::WriteSet writes;
  kernels::run_mac(mac.command, mac.datapath, mac.sram, mac.tables, accumulators, writes);
  return kernels::tests::image_of(writes);
}

TEST_CASE("random commands: the beats give the bytes of the kernels") {
  std::map<std::string, int> found;
  for (uint64_t i = 0; i < 1800; ++i) {
    INFO("seed " << Random::seed() << " case " << i);
    Random random(i);
    const MacCase mac = legal_case(random);
    kernels::Accumulators accumulators;
    std::vector<int64_t> kept;
    const auto image = ArrayModel(mac).run(kept);
    REQUIRE(image == run_kernel(mac, accumulators));
    const spec::MacCommand& m = mac.command;
    ++found["order " + std::to_string(static_cast<int>(m.weight_order))];
    ++found["split " + std::to_string(m.lane_split_log2)];
    ++found["weight bytes " + std::to_string(base::stored_bytes(m.weight_type))];
    if (m.weight_type == base::ElementType::Int4) {
      const bool is_depthwise = m.mode == spec::MacMode::Depthwise;
      ++found[is_depthwise ? m.out_channels % 2 == 0 ? "int4, depthwise" : "int4, depthwise, odd" : "int4"];
    }
    ++found["activation bytes " + std::to_string(base::stored_bytes(m.input.type))];
    if (m.mode == spec::MacMode::Depthwise) {
      ++found["depthwise"];
      if (m.slide_rows) ++found["depthwise, along rows"];
      if (m.lane_split_log2 > 0) ++found["depthwise, split"];
      if (m.input.type == base::ElementType::Int16) ++found["depthwise, int16"];
    }
    if (m.residual) ++found["residual"];
    if (m.table) ++found["table"];
    if (!m.rescale) ++found["raw"];
    if (m.accumulator_is_48) ++found["48 bits"];
    if (MacOrder(m, mac.datapath).num_row_tiles > 1) ++found["row tiles"];
    if (MacOrder(m, mac.datapath).num_channel_tiles > 1) ++found["channel tiles"];
    if (m.out_columns % (int64_t{1} << m.lane_split_log2) != 0) ++found["filled up"];
  }
  for (const char* what : {"order 0",
                           "order 1",
                           "order 2",
                           "split 0",
                           "split 1",
                           "split 2",
                           "weight bytes 1",
                           "int4",
                           "int4, depthwise",
                           "int4, depthwise, odd",
                           "weight bytes 2",
                           "activation bytes 1",
                           "activation bytes 2",
                           "residual",
                           "table",
                           "raw",
                           "48 bits",
                           "row tiles",
                           "channel tiles",
                           "filled up",
                           "depthwise",
                           "depthwise, along rows",
                           "depthwise, split",
                           "depthwise, int16"}) {
    INFO(what);
    CHECK(found[what] >= 10);
  }
}

TEST_CASE("random commands in slices: the beats of the last one give the bytes of the kernels") {
  int num_sliced = 0;
  for (uint64_t i = 0; i < 600; ++i) {
    INFO("seed " << Random::seed() << " case " << i);
    Random random(1'000'000 + i);
    const std::vector<MacCase> slices = slices_of(legal_case(random), random);
    num_sliced += slices.size() > 1 ? 1 : 0;
    kernels::Accumulators accumulators;
    std::vector<int64_t> kept;
    for (const MacCase& slice : slices) {
      const auto image = ArrayModel(slice).run(kept);
      REQUIRE(image == run_kernel(slice, accumulators));
      REQUIRE(image.empty() == !slice.command.last);
    }
  }
  CHECK(num_sliced >= 50);
}

}  // namespace
}  // namespace vernier::sequence
