// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/agu_vector_runs.hpp"

#include <fmt/format.h>

namespace vernier::cosim {
namespace {

/// hw/rtl/CMakeLists.txt builds npu_agu of so many lanes with two sets.
constexpr int kLanesOfTwoSets = 8;
constexpr int kQuietCycles = 3;  // after the last beat, in which no other one may come

}  // namespace

AguVectorRun::Stream::Stream(AguVectorRun& of, AguStream which)
    : run(of),
      stream(which),
      valid(of.part_.port(fmt::format("{}_valid_o", name_of(which)))),
      ready(of.part_.port(fmt::format("{}_ready_i", name_of(which)))) {
  of.bench_.add(*this);
}

void AguVectorRun::Stream::begin() {
  beats.emplace(stream == AguStream::Loads ? sequence::VectorBeats::of_loads(run.command_, run.datapath_)
                                           : sequence::VectorBeats::of_stores(run.command_, run.datapath_));
  has_next = beats->next(next);
  is_seen = false;
  taken = bubbles = waits = 0;
  first_cycle = -1;
  ready.set(0);
}

bool AguVectorRun::Stream::is_ready() {
  if (run.pace_ == AguPace::Random) return run.random_->chance(run.percent_);
  if (run.pace_ == AguPace::LoadsFirst && stream == AguStream::Stores) return !run.loads_.has_next;
  if (run.pace_ == AguPace::StoresFirst && stream == AguStream::Loads) return !run.stores_.has_next;
  return true;
}

void AguVectorRun::Stream::offer(bool /*is_enabled*/) { ready.set(is_ready() ? 1 : 0); }

std::string AguVectorRun::Stream::difference(int64_t cycle) {
  if (valid.get() == 0) return is_seen ? "goes away before it is taken" : "";
  if (!has_next) return "is none";
  const std::string actual = run.ports_.beat(stream, run.command_), expected = text_of(next);
  if (actual != expected) return fmt::format("is {}, expected {}", actual, expected);
  // A step's start, in cycles of the schedule.
  const int64_t start = next.cycle - (stream == AguStream::Loads ? 0 : spec::kVectorSlotCycles - 1);
  const int64_t latest = agu_vector_preparation(run.command_.steps.size()) + start;
  if (run.pace_ != AguPace::Always || cycle <= latest) return {};
  return fmt::format("is there in cycle {}, {} is the latest", cycle, latest);
}

Seen AguVectorRun::Stream::see() {
  if (taken == run.most_beats_) return Seen::Still;
  const int64_t cycle = run.bench_.edge() - run.given_edge_ + 1;  // the handshake's is 0
  if (const std::string wrong = difference(cycle); !wrong.empty() && run.result_.difference.empty())
    run.result_.difference = fmt::format("{}: beat {} {}", name_of(stream), taken, wrong);
  if (valid.get() == 0) {
    if (has_next && taken > 0) ++waits;
    return has_next ? Seen::Quiet : Seen::Still;
  }
  if (first_cycle < 0) first_cycle = cycle;
  is_seen = ready.get() == 0;
  if (is_seen || !has_next) return Seen::Still;
  bubbles += waits;
  waits = 0;
  ++taken;
  has_next = taken < run.most_beats_ && beats->next(next);
  return Seen::Handshake;
}

std::string AguVectorRun::Stream::waiting() const { return fmt::format("beat {} of {}", taken, name_of(stream)); }

AguVectorRun::AguVectorRun(Agu& part, const spec::Datapath& datapath)
    : part_(part),
      ports_(part),
      datapath_(datapath),
      board_(part.block()),
      bench_(part.block(), board_),
      loads_(*this, AguStream::Loads),
      stores_(*this, AguStream::Stores) {}

AguVectorResult AguVectorRun::run(const spec::VectorCommand& command, AguPace pace, Random& random, int64_t most_beats) {
  // With two sets a command is taken before the one before is over, and waits: the time of its first beat says nothing then.
  if (part_.lanes() == kLanesOfTwoSets) part_.reset();
  command_ = command;
  result_ = {};
  pace_ = pace;
  random_ = &random;
  most_beats_ = most_beats;
  loads_.begin();
  stores_.begin();
  part_.give(command);
  given_edge_ = bench_.edge();
  percent_ = random.within(5, 95);
  for (int idle = 0; idle < kQuietCycles && result_.difference.empty();) {
    const bool is_over = !loads_.has_next && !stores_.has_next;
    if (is_over && most_beats != INT64_MAX) break;
    bench_.cycle();
    if (is_over) ++idle;
  }
  result_.beats = loads_.taken + stores_.taken;
  result_.bubbles = loads_.bubbles + stores_.bubbles;
  for (const Stream* stream : {&loads_, &stores_}) {
    if (stream->first_cycle >= 0 && (result_.first_cycle == 0 || stream->first_cycle < result_.first_cycle))
      result_.first_cycle = stream->first_cycle;
  }
  return result_;
}

}  // namespace vernier::cosim
