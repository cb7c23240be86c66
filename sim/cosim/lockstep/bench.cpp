// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/bench.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::cosim {
namespace {

/// In a reset that ends a sequence, while the inputs still stand as they did.
constexpr int64_t kEdgesOfFall = 2;

}  // namespace

Bench::Bench(ClockedBlock& block, Scoreboard& board)
    : block_(block), board_(board), rst_(block.port("rst_ni")), reset_watch_(block) {
  if (std::ranges::find(block.description().ports, "en_i", &spec::RtlPort::name) != block.description().ports.end())
    en_ = block.port("en_i");
}

void Bench::cycle(bool is_enabled) {
  is_enabled_ = is_enabled;
  if (en_.bits() > 0) en_.set(is_enabled ? 1 : 0);
  for (const Member& member : members_) member.participant->offer(is_enabled);
  if (rst_.get() == 0) return reset_edge();
  if (is_in_reset_) {
    is_in_reset_ = false;
    for (const Member& member : members_) member.participant->was_reset();
  }
  has_run_ = true;
  block_.settle();
  for (const Member& member : members_) member.participant->settled();
  if (probe_ && block_.cycle() % probe_cycles_ == 0) {
    for (Mismatch& found : probe_->probe()) board_.report(std::move(found));
  }
  for (Member& member : members_) count_quiet(member);
  for (PinLog* log : logs_) log->add();
  if (settles_with_edge_) {
    block_.edge_with_settle();
  } else {
    block_.edge();
  }
  if (is_enabled) ++edge_;
  for (const Member& member : members_) member.participant->clocked();
  for (const Member& member : members_) {
    if (member.quiet_cycles > kHangCycles && member.quiet_cycles > kHangCycles + member.participant->patience_cycles())
      hang(member);
  }
}

void Bench::count_quiet(Member& member) {
  const Seen seen = member.participant->see();
  if (seen == Seen::Still) return;
  ++member.quiet_cycles;
  if (seen == Seen::Quiet) return;
  member.quiet_cycles = 0;
  member.handshake_cycle = block_.cycle() + 1;
}

void Bench::hang(const Member& member) {
  throw Hang(
      fmt::format("no handshake on any port since cycle {}: {}", member.handshake_cycle, member.participant->waiting()),
      member.handshake_cycle);
}

void Bench::reset(bool has_edges) {
  block_.reset(has_edges);
  reset_watch_.end();
  has_run_ = true;
  is_in_reset_ = false;
  for (PinLog* log : logs_) log->add_reset();
  for (const Member& member : members_) member.participant->was_reset();
}

void Bench::drop(bool has_edges) {
  block_.finish_edge();
  rst_.set(0);
  block_.settle();
  see_reset();
  for (int64_t edge = 0; has_edges && edge < kEdgesOfFall; ++edge) {
    for (PinLog* log : logs_) log->add();
    block_.edge();
    block_.settle();
    see_reset();
  }
  reset(has_edges);
}

/// A cycle of a reset that a participant drives. The first one of all has no fall that the block sees, and need not act
/// before an edge.
void Bench::reset_edge() {
  if (!is_in_reset_) reset_watch_.end();
  is_in_reset_ = true;
  block_.settle();
  if (has_run_) see_reset();
  for (PinLog* log : logs_) log->add();
  block_.edge();
}

void Bench::see_reset() {
  for (Mismatch& found : reset_watch_.see()) board_.report(std::move(found));
}

}  // namespace vernier::cosim
