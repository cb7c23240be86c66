// SPDX-License-Identifier: Apache-2.0
// npu_agu_segments: words and runs of random commands against hw/sequence.
#include "sim/cosim/array_vectors.hpp"
#include "tests/cosim/agu_runs.hpp"

using namespace vernier;
using namespace vernier::cosim;

TEST_CASE("words and runs of a convolution's activations are those of the sequence") {
  for (const int lanes : {8, 16, 32}) {
    Agu part(lanes);
    const spec::Datapath datapath{lanes, 4, 2};
    Random random(static_cast<uint64_t>(lanes));
    const auto draw = [&] {
      while (true) {
        const spec::MacCommand command = draw_array_sequence(datapath, random).back().command;
        if (command.mode == spec::MacMode::Conv) return command;
      }
    };
    const int64_t longest = check_agu_stream(part, AguStream::Activations, datapath, random, 400, draw, 40);
    INFO("the longest preparation took " << longest << " cycles");
    CHECK(longest <= 40);
  }
}
