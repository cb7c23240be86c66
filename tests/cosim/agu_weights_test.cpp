// SPDX-License-Identifier: Apache-2.0
// npu_agu_weights: beats of random commands against hw/sequence.
#include "sim/cosim/stimulus/array_vectors.hpp"
#include "tests/cosim/agu_runs.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/built_widths.hpp"

using namespace vernier;
using namespace vernier::cosim;

TEST_CASE("words and pieces of weight tiles are those of the sequence") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_agu")) {
    for (const int most : {4, 2}) {
      Agu part(lanes);
      const spec::Datapath datapath{lanes, most, 2};
      part.port("wgt_most_i").set(static_cast<uint64_t>(most));
      Random random(static_cast<uint64_t>(lanes * most));
      check_agu_stream(part, AguStream::Weights, datapath, random, 400,
                       [&] { return draw_array_sequence(datapath, random).back().work.mac(); });
    }
  }
}

TEST_CASE("weights of a slice whose reduction begins beyond 65,535 begin there") {
  if (!has_rtl()) return;
  constexpr int64_t kBegin = 65536 + 256;
  const spec::Datapath datapath{8, 4, 2};
  Agu part(8);
  part.port("wgt_most_i").set(4);
  Random random(5);
  check_agu_stream(part, AguStream::Weights, datapath, random, 20, [&] {
    while (true) {
      spec::MacCommand m = draw_array_sequence(datapath, random).back().work.mac();
      if (m.weight_order == spec::WeightOrder::Tiles) continue;
      m.reduction_begin += kBegin;
      m.reduction_end += kBegin;
      if (m.weight_order == spec::WeightOrder::LaneMajor) m.weight_pitch_bytes += 2 * kBegin;
      return m;
    }
  });
}
