// SPDX-License-Identifier: Apache-2.0
// The one loop that clocks a block: a block, and participants that drive its inputs and look at its outputs.
//
// A cycle is: offer, settle, outputs that have to hold, now and then a probe, see, log, edge, after the edge, hang. The page
// docs/architecture/cosim.md has a whole bench of 50 lines. What runs draw, and when, is theirs: a bench draws nothing.
#pragma once

#include "sim/cosim/block/block_reset.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/block/port_probe.hpp"
#include "sim/cosim/lockstep/scoreboard.hpp"
#include "sim/cosim/stream/participant.hpp"
#include "sim/cosim/stream/pin_log.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace vernier::cosim {

/// So many cycles in which a participant waits, without a handshake of its own, are a Hang.
inline constexpr int64_t kHangCycles = 10'000;

class Bench {
 public:
  /// Both outlive this.
  Bench(ClockedBlock& block, Scoreboard& board);
  /// One more participant, which outlives this; participants have their turn in the order in which they come.
  void add(Participant& participant) { members_.push_back({&participant}); }
  /// Probes in every cycle whose number `every_cycles` divides: an output that follows an input inside a cycle where the
  /// contract has no such path is a mismatch.
  void probe(PortProbe probe, int64_t every_cycles) {
    probe_.emplace(std::move(probe));
    probe_cycles_ = every_cycles;
  }
  /// Each edge goes into a log, which outlives this.
  void keep_log(PinLog& log) { logs_.push_back(&log); }
  /// An edge and the next settle() are one evaluation where the block allows that. Participants do not look at outputs in
  /// offer() and clocked() then, and who looks at them between cycles calls block().finish_edge() first.
  void settle_with_edge() { settles_with_edge_ = true; }

  /// One cycle, with en_i high or low where the block has it. While rst_ni is low, only the outputs are compared. Hang when
  /// a participant has waited for too long.
  void cycle(bool is_enabled = true);
  /// Resets the block, with edges or without one, and tells the participants.
  void reset(bool has_edges = true);
  /// rst_ni falls while the inputs stand as they are: the outputs have to say at once that nothing is left, and edges while
  /// rst_ni is low change nothing. Then the same as reset().
  void drop(bool has_edges = true);

  [[nodiscard]] ClockedBlock& block() { return block_; }
  [[nodiscard]] Scoreboard& board() { return board_; }
  /// The number of edges with en_i so far, without those of resets.
  [[nodiscard]] int64_t edge() const { return edge_; }
  [[nodiscard]] bool is_enabled() const { return is_enabled_; }

 private:
  struct Member {
    Participant* participant;
    int64_t quiet_cycles = 0;     // since its last handshake
    int64_t handshake_cycle = 0;  // of the block, after the handshake's edge
  };
  void see_reset();
  void reset_edge();
  void count_quiet(Member& member);
  [[noreturn]] static void hang(const Member& member);

  ClockedBlock& block_;
  Scoreboard& board_;
  Port en_;  // of a block that has it
  Port rst_;
  ResetWatch reset_watch_;
  std::vector<Member> members_;
  std::vector<PinLog*> logs_;
  std::optional<PortProbe> probe_;
  int64_t probe_cycles_ = 1;
  int64_t edge_ = 0;
  bool settles_with_edge_ = false, is_enabled_ = true;
  bool has_run_ = false, is_in_reset_ = false;
};

}  // namespace vernier::cosim
