// SPDX-License-Identifier: Apache-2.0
// Random commands through npu_agu, each beat of a stream compared with what the sequence says of it; other streams run
// through.
#pragma once

#include "hw/spec/latency.hpp"
#include "sim/cosim/stimulus/random.hpp"
#include "tests/cosim/agu_beats.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace vernier::cosim {

/// `draw()` gives a command. Half of the commands run at ready always, without a cycle in which no beat is there from the
/// first to the last one; the first is there as soon as a command may start. Returns the most cycles of preparation.
template <typename Draw>
int64_t check_agu_stream(Agu& part, AguStream of, const spec::Datapath& datapath, Random& random, int commands, Draw draw,
                         int64_t most_preparation = spec::kIssueCycles) {
  const std::string_view stream = name_of(of);
  const AguPorts ports(part);
  int64_t longest = 0;
  for (int i = 0; i < commands; ++i) {
    const auto command = draw();
    AguBeats next = beats_of(of, command, datapath);
    const bool is_always_ready = i % 2 == 0;
    part.set_ready(stream, false);
    part.give(command);
    const int64_t given = part.cycles();
    std::string expected;
    for (int64_t beat = 0; next(expected); ++beat) {
      INFO("npu_agu of " << part.lanes() << " lanes, command " << i << ", beat " << beat);
      const int64_t since = part.cycles();
      while (!part.has_beat(stream) && part.cycles() - since < Agu::kHangCycles) part.cycle();
      REQUIRE(part.has_beat(stream));
      if (beat == 0) {
        longest = std::max(longest, part.cycles() - given);
        CHECK(part.cycles() - given <= most_preparation);
      } else if (is_always_ready) {
        CHECK(part.cycles() == since);
      }
      while (!is_always_ready && random.chance(30)) {
        part.cycle();
        REQUIRE(part.has_beat(stream));
      }
      REQUIRE(ports.beat(of, command) == expected);
      part.set_ready(stream, true);
      part.cycle();
      part.set_ready(stream, false);
    }
    for (int idle = 0; idle < 3; ++idle) {
      CHECK(!part.has_beat(stream));
      part.cycle();
    }
  }
  part.set_ready(stream, true);
  while (part.port("mac_ready_o").get() == 0) part.cycle();  // what other streams have left
  return longest;
}

}  // namespace vernier::cosim
