// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/pipe_results.hpp"

#include <fmt/format.h>

#include <utility>

namespace vernier::cosim {
namespace {

/// A result that is so many edges late does not come any more.
constexpr int64_t kPipeLostEdges = 64;

}  // namespace

PipeResults::PipeResults(Bench& bench) : bench_(bench), held_(HeldPorts::of_results(bench.block())) {
  valid_ = bench.block().port(named("valid_o"));
  tag_ = bench.block().port(named("tag_o"));
  results_ = bench.block().port(named("result_o"));
}

void PipeResults::expect(PipeVector vector) {
  if (first_edge_ < 0) first_edge_ = bench_.edge();
  in_flight_.push_back({std::move(vector), bench_.edge() + bench_.block().description().latency_cycles});
}

void PipeResults::count_missing() {
  for (const InFlight& beat : in_flight_)
    bench_.board().add_result(
        beat.vector.group,
        Mismatch{.kind = MismatchKind::Missing, .port = named("valid_o"), .words = "the result is missing"}, true);
  in_flight_.clear();
}

void PipeResults::settled() {
  if (auto moved = held_.check(!bench_.is_enabled(), "moves while en_i is low")) bench_.board().report(std::move(*moved));
}

Seen PipeResults::see() {
  if (!bench_.is_enabled()) return Seen::Still;
  if (valid_.get() == 0) {
    has_lost_count_ = !in_flight_.empty() && bench_.edge() > in_flight_.front().edge + kPipeLostEdges;
    return Seen::Still;
  }
  if (in_flight_.empty()) {
    bench_.board().report_edge({.kind = MismatchKind::Unasked,
                                .port = named("valid_o"),
                                .words = fmt::format("a beat that nobody asked for, tag {}", tag_.get())});
    return Seen::Handshake;
  }
  if (tag_.get() != in_flight_.front().vector.tag) {
    bench_.board().report({.kind = MismatchKind::Order,
                           .port = named("tag_o"),
                           .words = fmt::format("tag {} where {} is next", tag_.get(), in_flight_.front().vector.tag)});
    has_lost_count_ = true;
    return Seen::Handshake;
  }
  const InFlight beat = std::move(in_flight_.front());
  in_flight_.pop_front();
  LockStepResult& result = bench_.board().result();
  result.model_cycles = beat.edge - first_edge_;
  result.rtl_cycles = bench_.edge() - first_edge_;
  std::optional<Mismatch> mismatch = different_lane(named("result_o"), results_, beat.vector.expected, beat.vector.explain);
  add_edge(mismatch, away_from_spec(named("valid_o"), bench_.edge() - beat.edge));
  bench_.board().add_result(beat.vector.group, std::move(mismatch), bench_.edge() != beat.edge);
  return Seen::Handshake;
}

void PipeResults::was_reset() {
  in_flight_.clear();
  held_.forget();
  has_lost_count_ = false;
}

/// Of the group of the results.
std::string PipeResults::named(std::string_view port) const {
  return fmt::format("{}_{}", bench_.block().description().results, port);
}

}  // namespace vernier::cosim
