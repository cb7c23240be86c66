// SPDX-License-Identifier: Apache-2.0
// Vector commands through npu_agu_vector: each beat of loads and of stores compared with sequence::VectorBeats, and when it
// is there.
#pragma once

#include "hw/sequence/vector_beats.hpp"
#include "hw/spec/vector_cycles.hpp"
#include "sim/cosim/lockstep/bench.hpp"
#include "sim/cosim/stimulus/random.hpp"
#include "tests/cosim/agu_beats.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace vernier::cosim {

/// When ready is 1: in each cycle of the stream; in some; in none before the other stream has no more beats.
enum class AguPace : uint8_t { Always, Random, LoadsFirst, StoresFirst };

struct AguVectorResult {
  std::string difference;  // the first one; empty: all beats are equal, in time where ready is always 1
  int64_t beats = 0;
  int64_t bubbles = 0;      // cycles without a beat, from the first one of a stream to its last one
  int64_t first_cycle = 0;  // of the first beat, after the command's handshake, of the stream that was earlier
};

class AguVectorRun {
 public:
  AguVectorRun(Agu& part, const spec::Datapath& datapath);
  /// One command. `most_beats` of each stream are compared, all by default; the part is of no use after fewer. Hang when no
  /// beat comes any more.
  AguVectorResult run(const spec::VectorCommand& command, AguPace pace, Random& random, int64_t most_beats = INT64_MAX);

 private:
  /// Loads or stores of the command that runs.
  struct Stream : Participant {
    Stream(AguVectorRun& of, AguStream which);
    void begin();
    void offer(bool is_enabled) override;
    Seen see() override;
    [[nodiscard]] std::string waiting() const override;
    [[nodiscard]] int64_t patience_cycles() const override { return Agu::kHangCycles; }
    [[nodiscard]] bool is_ready();
    /// What is wrong with the beat at the ports; empty where nothing is.
    [[nodiscard]] std::string difference(int64_t cycle);

    AguVectorRun& run;
    AguStream stream;
    Port valid, ready;
    std::optional<sequence::VectorBeats> beats;
    sequence::VectorBeat next;
    bool has_next = false, is_seen = false;
    int64_t taken = 0, first_cycle = -1, waits = 0, bubbles = 0;
  };

  Agu& part_;
  AguPorts ports_;
  spec::Datapath datapath_;
  Scoreboard board_;
  Bench bench_;
  Stream loads_, stores_;
  // The command that runs.
  spec::VectorCommand command_;
  AguVectorResult result_;
  AguPace pace_ = AguPace::Always;
  Random* random_ = nullptr;
  int64_t given_edge_ = 0, percent_ = 0, most_beats_ = 0;
};

/// From the handshake of a command with so many steps until its first beat can be there: 3 cycles, and one for each two
/// steps, but for two at least.
constexpr int64_t agu_vector_preparation(size_t num_steps) {
  return 3 + std::max<int64_t>(2, (static_cast<int64_t>(num_steps) + 1) / 2);
}

}  // namespace vernier::cosim
