// SPDX-License-Identifier: Apache-2.0
// npu_agu_weights: beats of random commands against hw/sequence.
#include "sim/cosim/array_vectors.hpp"
#include "tests/cosim/agu_runs.hpp"

using namespace vernier;
using namespace vernier::cosim;

TEST_CASE("words and pieces of weight tiles are those of the sequence") {
  for (const int lanes : {8, 16, 32}) {
    for (const int most : {4, 2}) {
      Agu part(lanes);
      const spec::Datapath datapath{lanes, most, 2};
      part.port("wgt_most_i").set(static_cast<uint64_t>(most));
      Random random(static_cast<uint64_t>(lanes * most));
      check_agu_stream(part, AguStream::Weights, datapath, random, 400,
                       [&] { return draw_array_sequence(datapath, random).back().command; });
    }
  }
}
