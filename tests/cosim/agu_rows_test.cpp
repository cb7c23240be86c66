// SPDX-License-Identifier: Apache-2.0
// npu_agu_rows: parameters, addends and results of random commands against hw/sequence.
#include "sim/cosim/stimulus/array_vectors.hpp"
#include "tests/cosim/agu_runs.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/built_widths.hpp"

using namespace vernier;
using namespace vernier::cosim;

TEST_CASE("addresses of parameters, addends and results are those of the sequence") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_agu")) {
    Agu part(lanes);
    const spec::Datapath datapath{lanes, 4, 2};
    Random random(static_cast<uint64_t>(lanes));
    for (const AguStream stream : {AguStream::Results, AguStream::Addends, AguStream::Parameters}) {
      INFO(name_of(stream));
      check_agu_stream(part, stream, datapath, random, 300,
                       [&] { return draw_array_sequence(datapath, random).back().work.mac(); });
    }
  }
}
