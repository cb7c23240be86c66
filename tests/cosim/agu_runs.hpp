// SPDX-License-Identifier: Apache-2.0
// Random commands through npu_agu, each beat of a stream compared with what the sequence says of it; other streams run
// through.
#pragma once

#include "hw/spec/latency.hpp"
#include "sim/cosim/lockstep/bench.hpp"
#include "sim/cosim/stimulus/random.hpp"
#include "tests/cosim/agu_beats.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace vernier::cosim {

/// Takes the beats of one stream, a command at a time, and compares them.
class AguStreamRun : private Participant {
 public:
  AguStreamRun(Agu& part, AguStream stream, const spec::Datapath& datapath, Random& random)
      : part_(part), stream_(stream), datapath_(datapath), random_(random), ports_(part) {
    const std::string name(name_of(stream));
    valid_ = part.port(name + "_valid_o");
    ready_ = part.port(name + "_ready_i");
    bench_.add(*this);
  }
  /// Half of the commands run at ready always, without a cycle in which no beat is there from the first to the last one.
  /// Returns the cycles after the command's handshake until its first beat is there.
  int64_t run(const spec::MacCommand& command, bool is_always_ready) {
    command_ = command;
    is_always_ready_ = is_always_ready;
    next_ = beats_of(stream_, command, datapath_);
    has_next_ = next_(expected_);
    preparation_ = -1;
    taken_ = 0;
    ready_.set(0);
    part_.give(command);
    given_edge_ = bench_.edge();
    while (has_next_) bench_.cycle();
    for (int idle = 0; idle < 3; ++idle) bench_.cycle();
    return std::max<int64_t>(preparation_, 0);
  }
  /// What other streams have left runs through.
  void finish() {
    ready_.set(1);
    while (part_.port("mac_ready_o").get() == 0) part_.cycle();
  }

 private:
  void offer(bool /*is_enabled*/) override { ready_.set(is_always_ready_ || !random_.chance(30) ? 1 : 0); }
  Seen see() override {
    const bool is_there = valid_.get() != 0;
    INFO("beat " << taken_);
    if (!is_there) {
      CHECK_FALSE(is_standing_);  // it stays until it is taken
      CHECK_FALSE((is_always_ready_ && has_next_ && taken_ > 0));
      return has_next_ ? Seen::Quiet : Seen::Still;
    }
    REQUIRE(has_next_);
    if (preparation_ < 0) preparation_ = bench_.edge() - given_edge_;
    REQUIRE(ports_.beat(stream_, command_) == expected_);
    is_standing_ = ready_.get() == 0;
    if (is_standing_) return Seen::Still;
    ++taken_;
    has_next_ = next_(expected_);
    return Seen::Handshake;
  }
  [[nodiscard]] std::string waiting() const override { return fmt::format("beat {} of {}", taken_, name_of(stream_)); }
  [[nodiscard]] int64_t patience_cycles() const override { return Agu::kHangCycles; }

  Agu& part_;
  AguStream stream_;
  spec::Datapath datapath_;
  Random& random_;
  AguPorts ports_;
  Port valid_, ready_;
  Scoreboard board_{part_.block()};
  Bench bench_{part_.block(), board_};
  spec::MacCommand command_;
  AguBeats next_;
  std::string expected_;
  bool is_always_ready_ = true, has_next_ = false, is_standing_ = false;
  int64_t given_edge_ = 0, preparation_ = 0, taken_ = 0;
};

/// `draw()` gives a command; the first beat of each is there as soon as a command may start. Returns the most cycles of
/// preparation.
template <typename Draw>
int64_t check_agu_stream(Agu& part, AguStream of, const spec::Datapath& datapath, Random& random, int commands, Draw draw,
                         int64_t most_preparation = spec::kIssueCycles) {
  AguStreamRun run(part, of, datapath, random);
  int64_t longest = 0;
  for (int i = 0; i < commands; ++i) {
    INFO("npu_agu of " << part.lanes() << " lanes, command " << i);
    const int64_t preparation = run.run(draw(), i % 2 == 0);
    CHECK(preparation <= most_preparation);
    longest = std::max(longest, preparation);
  }
  run.finish();
  return longest;
}

/// The same of depthwise commands through npu_agu_windows.
template <typename Draw>
int64_t check_windows(Agu& part, Random& random, int commands, Draw draw, int64_t most_preparation) {
  return check_agu_stream(part, AguStream::Activations, {part.lanes(), 4, 2}, random, commands, draw, most_preparation);
}

/// Where a reduction does not begin at tap 0, that tap's place is divided out.
inline constexpr int64_t kDividedPreparation = 49;

}  // namespace vernier::cosim
