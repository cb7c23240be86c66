// SPDX-License-Identifier: Apache-2.0
// npu_agu_segments: words and runs of random commands against hw/sequence.
#include "sim/cosim/stimulus/array_vectors.hpp"
#include "tests/cosim/agu_commands.hpp"
#include "tests/cosim/agu_runs.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/built_widths.hpp"

using namespace vernier;
using namespace vernier::cosim;

namespace {

/// The begin of a slice is looked for, a tap a cycle.
constexpr int64_t kSoughtPreparation = 40;

spec::MacCommand draw_conv(const spec::Datapath& datapath, Random& random) {
  while (true) {
    const spec::MacCommand command = draw_array_sequence(datapath, random).back().work.mac();
    if (command.mode == spec::MacMode::Conv) return command;
  }
}

void check_convolutions(spec::MacCommand (*draw)(const spec::Datapath&, Random&), uint64_t seed, int64_t most_preparation) {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_agu")) {
    Agu part(lanes);
    const spec::Datapath datapath{lanes, 4, 2};
    Random random(seed + static_cast<uint64_t>(lanes));
    const int64_t longest = check_agu_stream(
        part, AguStream::Activations, datapath, random, 400, [&] { return draw(datapath, random); }, most_preparation);
    INFO("the longest preparation took " << longest << " cycles");
    CHECK(longest <= most_preparation);
  }
}

}  // namespace

TEST_CASE("words and runs of a convolution's activations are those of the sequence") {
  check_convolutions(draw_conv, 0, kSoughtPreparation);
}

TEST_CASE("words and runs of pixels at any distance are those of the sequence") {
  check_convolutions(draw_convolution_at_distances, 100, spec::kIssueCycles);
}
