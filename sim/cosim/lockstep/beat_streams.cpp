// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/beat_streams.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace vernier::cosim {
namespace {

HeldPorts held_beat(const ClockedBlock& block, const std::string& name) {
  const std::string valid = name + "_valid_o", data = name + "_data_o";
  return {block, std::array<std::string_view, 2>{valid, data}};
}

}  // namespace

BeatSource::BeatSource(Bench& bench, std::string name, Random& random, int64_t percent)
    : bench_(bench),
      name_(std::move(name)),
      random_(random),
      percent_(percent),
      valid_(bench.block().port(name_ + "_valid_i")),
      ready_(bench.block().port(name_ + "_ready_o")),
      data_(bench.block().port(name_ + "_data_i")) {
  bench.add(*this);
}

void BeatSource::offer(bool /*is_enabled*/) {
  is_offered_ = beat_ && (is_offered_ || random_.chance(percent_));
  valid_.set(is_offered_ ? 1 : 0);
  if (is_offered_) {
    data_.set(*beat_);
  } else {
    data_.scramble(random_);
  }
}

Seen BeatSource::see() {
  taken_.reset();
  if (!is_offered_) return Seen::Still;
  if (ready_.get() == 0 || !bench_.is_enabled()) return Seen::Quiet;
  taken_ = std::exchange(beat_, std::nullopt);
  is_offered_ = false;
  return Seen::Handshake;
}

std::string BeatSource::waiting() const { return fmt::format("a beat waits for {}_ready_o", name_); }

BeatSink::BeatSink(Bench& bench, std::string name, Random& random, int64_t percent, int group)
    : bench_(bench),
      name_(std::move(name)),
      random_(random),
      percent_(percent),
      group_(group),
      valid_(bench.block().port(name_ + "_valid_o")),
      ready_(bench.block().port(name_ + "_ready_i")),
      data_(bench.block().port(name_ + "_data_o")),
      held_(held_beat(bench.block(), name_)) {
  bench.add(*this);
}

void BeatSink::offer(bool /*is_enabled*/) { ready_.set(random_.chance(percent_) ? 1 : 0); }

void BeatSink::settled() {
  const bool has_to_hold = valid_.get() != 0 && !is_taken();
  if (auto moved = held_.check(has_to_hold, "moves before it is taken")) bench_.board().report(std::move(*moved));
}

Seen BeatSink::see() {
  if (valid_.get() == 0) {
    if (owed_.empty()) return Seen::Still;
    Owed& next = owed_.front();
    if (bench_.is_enabled() && bench_.edge() >= next.due_edge && !std::exchange(next.is_told, true)) {
      bench_.board().report_edge(
          {.kind = MismatchKind::Edge, .port = name_ + "_valid_o", .words = "low in the cycle in which a beat is due"});
    }
    return Seen::Quiet;
  }
  if (!is_taken()) return Seen::Still;
  if (owed_.empty()) {
    bench_.board().report_edge(
        {.kind = MismatchKind::Unasked, .port = name_ + "_valid_o", .words = "a beat that nobody asked for"});
    return Seen::Handshake;
  }
  const uint64_t expected = owed_.front().beat, actual = data_.get();
  owed_.pop_front();
  std::optional<Mismatch> mismatch;
  if (actual != expected) mismatch = {.port = name_ + "_data_o", .expected = expected, .actual = actual};
  bench_.board().add_result(group_, std::move(mismatch), false);
  return Seen::Handshake;
}

void BeatSink::was_reset() {
  owed_.clear();
  held_.forget();
}

std::string BeatSink::waiting() const { return fmt::format("a beat is due on {}_valid_o", name_); }

}  // namespace vernier::cosim
