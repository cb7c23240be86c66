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

CoreLockStep::CoreLockStep(ClockedBlock& block, const spec::Datapath& datapath, uint64_t seed)
    : datapath_(datapath),
      random_(seed),
      array_(block, datapath, seed),
      vector_(block, datapath, seed),
      lanes_array_(block.port("lanes_array_o")),
      lanes_wait_(block.port("lanes_wait_o")),
      own_(block) {
  array_.host(*this);
  array_.host(vector_);
}

void CoreLockStep::relax_cycles() {
  array_.relax_cycles();
  vector_.relax_cycles();
}

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

void CoreLockStep::run_sequences(std::vector<ArrayCommand> commands, std::vector<VectorJob> jobs) {
  draws_sequences_ = false;
  vector_cycles_ = 0;
  vector_.set_tables(array_.tables());
  vector_.begin(std::move(jobs), ArrayPace::Ideal);
  array_.run_sequence(std::move(commands), ArrayPace::Ideal);
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
    vector_.set_tables(array_.tables());
    std::vector<VectorJob> jobs;
    for (int64_t i = random_.within(1, kMostCoreJobs); i > 0; --i)
      jobs.push_back(draw_vector_job(datapath_, array_.tables(), random_));
    vector_.begin(std::move(jobs), static_cast<ArrayPace>(random_.within(0, kNumPaces - 1)));
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
