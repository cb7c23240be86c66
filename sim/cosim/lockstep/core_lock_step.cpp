// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/core_lock_step.hpp"

#include "hw/spec/latency.hpp"

#include <fmt/format.h>

#include <utility>

namespace vernier::cosim {
namespace {

constexpr int64_t kStartPercent = 20;  // of the cycles in which the vector unit has nothing to do
constexpr int64_t kMostCoreJobs = 3;
/// After lanes stood still: until all that was in them has come out.
constexpr int64_t kLateCycles = spec::kRescalePipelineCycles;

}  // namespace

CoreLockStep::CoreLockStep(ClockedBlock& block, const spec::Datapath& datapath, const RunOptions& options)
    : datapath_(datapath),
      random_(options.seed),
      vector_(block, datapath, {.seed = options.seed, .is_strict = options.is_strict}),
      array_(block, datapath, {.seed = options.seed, .is_strict = options.is_strict, .guests = {this, &vector_}}),
      lanes_array_(block.port("lanes_array_o")),
      lanes_wait_(block.port("lanes_wait_o")),
      own_(block) {}

LockStepResult CoreLockStep::run(int64_t vectors, const VectorProgress::Sink& progress) {
  draws_sequences_ = true;
  try {
    array_.run(vectors, progress);
    vector_.check_overdue();
  } catch (const Hang& hang) {
    return result().ended_at(hang);
  }
  return result();
}

void CoreLockStep::run_sequences(std::vector<Work> array, std::vector<Work> vector) {
  draws_sequences_ = false;
  vector_cycles_ = 0;
  vector_.begin({.works = std::move(vector), .tables = array_.tables()});
  array_.run_sequence({.works = std::move(array)});
  while (!vector_.is_idle() && !vector_.has_lost_count()) array_.idle(1);
}

LockStepResult CoreLockStep::result() const {
  LockStepResult sum = own_.result();
  sum.add(array_.result());
  sum.add(vector_.result());
  return sum;
}

void CoreLockStep::offer(bool is_enabled) {
  is_enabled_ = is_enabled;
  if (draws_sequences_ && vector_.is_idle() && random_.chance(kStartPercent)) {
    std::vector<DrawnWork> works;
    for (int64_t i = random_.within(1, kMostCoreJobs); i > 0; --i)
      works.push_back(draw_vector_job(datapath_, array_.tables(), random_));
    vector_.begin({.works = works_of(std::move(works)),
                   .pace = static_cast<ArrayPace>(random_.within(0, kNumPaces - 1)),
                   .tables = array_.tables()});
  }
}

Seen CoreLockStep::see() {
  if (is_enabled_) {
    const uint64_t takes = lanes_array_.get(), waits = lanes_wait_.get();
    for (size_t i = 0; i < array_lane_cycles_.size(); ++i) array_lane_cycles_[i] += static_cast<int64_t>((takes >> i) & 1);
    // Where results of the array wait for room, its lanes stand still, and nobody gets them; what was in them then is late.
    exact_cycles_ = array_.is_exact() ? exact_cycles_ + 1 : 0;
    if (exact_cycles_ > kLateCycles && (waits & ~takes) != 0) {
      own_.report_edge({.kind = MismatchKind::Lanes,
                        .port = "lanes_wait_o",
                        .words = fmt::format("is {}: the vector unit waits for lanes that the array does not take, "
                                             "lanes_array_o is {}",
                                             waits, takes)});
    }
    if (!vector_.is_idle()) ++vector_cycles_;
  }
  return Seen::Still;
}

}  // namespace vernier::cosim
