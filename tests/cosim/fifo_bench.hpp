// SPDX-License-Identifier: Apache-2.0
// A bench of a FIFO on the kit of sim/cosim. docs/architecture/cosim.md shows it, from the namespace on.
#pragma once

#include "hw/spec/rtl_ports.hpp"
#include "sim/cosim/lockstep/beat_streams.hpp"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace vernier::cosim {

inline constexpr size_t kFifoBeats = 4;
inline constexpr std::array kFifoPorts{
    spec::RtlPort{"clk_i", false, spec::detail::fixed<1>, "clock"},
    spec::RtlPort{"rst_ni", false, spec::detail::fixed<1>, "reset, low"},
    spec::RtlPort{"in_valid_i", false, spec::detail::fixed<1>, "a beat is there"},
    spec::RtlPort{"in_ready_o", true, spec::detail::fixed<1>, "a beat would be taken: the FIFO is not full"},
    spec::RtlPort{"in_data_i", false, spec::detail::fixed<8>, "its value"},
    spec::RtlPort{"out_valid_o", true, spec::detail::fixed<1>, "a beat is there, one edge after it came at the earliest"},
    spec::RtlPort{"out_ready_i", false, spec::detail::fixed<1>, "it would be taken"},
    spec::RtlPort{"out_data_o", true, spec::detail::fixed<8>, "its value"},
};
inline constexpr spec::RtlBlock kFifo{"fifo", "fifo", "out", spec::RtlKind::Pipe, 1, kFifoPorts};
inline constexpr std::array<std::string_view, 2> kFifoInputs{"in_valid_i", "out_ready_i"};

/// Random beats at random paces, and a reset now and then. in_ready_o has to be low exactly while the FIFO is full.
class FifoBench : private Participant {
 public:
  FifoBench(std::unique_ptr<RtlBlock> rtl, uint64_t seed) : random_(seed), block_(std::move(rtl), kFifo, 1) {
    bench_.probe(PortProbe(block_, kFifoInputs, [](std::string_view, std::string_view) { return false; }), 13);
    bench_.add(*this);  // after the streams: it sees what they saw
  }
  LockStepResult run(int64_t beats) {
    bench_.reset();
    try {
      while (board_.result().vectors < beats) {
        if (random_.chance(1)) bench_.drop(random_.chance(50));
        if (!source_.has_beat()) source_.give(random_.bits() & 0xff);
        bench_.cycle();
      }
    } catch (const Hang& hang) {
      return board_.result().ended_at(hang);
    }
    return board_.result();
  }

 private:
  void offer(bool /*is_enabled*/) override {}
  void settled() override {
    const uint64_t has_room = sink_.num_owed() < kFifoBeats ? 1 : 0;
    if (in_ready_.get() != has_room)
      board_.report({.kind = MismatchKind::State, .port = "in_ready_o", .expected = has_room, .actual = in_ready_.get()});
  }
  Seen see() override {
    if (source_.taken()) sink_.expect(*source_.taken(), bench_.edge() + 1);
    return Seen::Still;
  }

  Random random_;
  ClockedBlock block_;
  Scoreboard board_{block_, {"beats"}};
  Bench bench_{block_, board_};
  BeatSink sink_{bench_, "out", random_};
  BeatSource source_{bench_, "in", random_};
  Port in_ready_ = block_.port("in_ready_o");
};

}  // namespace vernier::cosim
