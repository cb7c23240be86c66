// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/vector_lock_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vernier::cosim {
namespace {

constexpr int64_t kSequencesBetweenResets = 5;
constexpr int64_t kSequencesBetweenDirected = 4;  // one of so many has short directed programs alone
constexpr int kDirectedJobs = 20;
constexpr int64_t kVectorMostJobs = 3;
constexpr int64_t kVectorDroppedPercent = 15;  // of the sequences: a reset ends them
constexpr int64_t kVectorMostQuietCycles = 60;
constexpr int64_t kVectorMissingPercent =
    40;  // of the sequences: commands of operands that are missing, while there are such
constexpr int kMissingJobs = 6;
constexpr int64_t kVectorProbeCycles = 37;
/// How often somebody else has the lanes in a sequence, of 100 cycles.
constexpr std::array<int64_t, 4> kSharedPercents{0, 0, 25, 80};

}  // namespace

VectorLockStep::VectorLockStep(ClockedBlock& block, const spec::Datapath& datapath, uint64_t seed)
    : VectorTraffic(block, datapath, seed), bench_(block, board_) {
  bench_.probe(PortProbe(block), kVectorProbeCycles);
  bench_.add(*this);
  bench_.add(*lanes_);
  bench_.reset();
}

LockStepResult VectorLockStep::run(int64_t vectors, const VectorProgress::Sink& progress) {
  VectorProgress shown(progress);
  coverage_.count_operands();
  try {
    run_sequences(vectors, shown);
  } catch (const Hang& hang) {
    board_.result() = board_.result().ended_at(hang);
  }
  return board_.result();
}

void VectorLockStep::run_sequences(int64_t vectors, VectorProgress& shown) {
  for (int64_t sequence = 0; board_.result().vectors < vectors; ++sequence) {
    shown.show(board_.result());
    if (sequence % kSequencesBetweenResets == kSequencesBetweenResets - 1) {
      tables_ = draw_vector_tables(random_);
      bench_.reset();
    }
    share_lanes(kSharedPercents[static_cast<size_t>(random_.within(0, kSharedPercents.size() - 1))]);
    const bool is_directed = sequence % kSequencesBetweenDirected == kSequencesBetweenDirected - 1;
    std::vector<VectorJob> jobs = is_directed ? draw_directed() : draw_missing();
    if (jobs.empty()) {
      for (int64_t i = random_.within(1, kVectorMostJobs); i > 0; --i)
        jobs.push_back(draw_vector_job(datapath_, tables_, random_));
    }
    const auto pace = static_cast<ArrayPace>(random_.within(0, kNumPaces - 1));
    if (random_.chance(kVectorDroppedPercent)) {
      int64_t cycles = 0;
      for (const VectorJob& job : jobs) cycles += VectorRun(job, datapath_, tables_).cycles;
      drop_sequence(std::move(jobs), pace, random_.within(1, cycles), vectors - board_.result().vectors);
    } else {
      run_sequence(std::move(jobs), pace, vectors - board_.result().vectors);
    }
  }
}

std::vector<VectorJob> VectorLockStep::draw_directed() {
  std::vector<VectorJob> jobs;
  for (int i = 0; i < kDirectedJobs; ++i) jobs.push_back(draw_directed_job(datapath_, tables_, random_));
  return jobs;
}

/// Now and then commands of operands that have not come yet; none: others are drawn.
std::vector<VectorJob> VectorLockStep::draw_missing() {
  std::vector<VectorJob> jobs;
  if (!random_.chance(kVectorMissingPercent)) return jobs;
  for (int i = 0; i < kMissingJobs; ++i) {
    if (std::optional<VectorJob> job = coverage_.draw_missing(datapath_, tables_, random_)) jobs.push_back(std::move(*job));
  }
  return jobs;
}

void VectorLockStep::run_sequence(std::vector<VectorJob> jobs, ArrayPace pace, int64_t most_beats) {
  begin(std::move(jobs), pace);
  beats_left_ = most_beats;
  // Until every command was taken, and another one could follow the last one.
  while (beats_left_ > 0 && !has_lost_count() && !is_idle()) cycle();
  if (!is_idle()) bench_.reset();
}

void VectorLockStep::drop_sequence(std::vector<VectorJob> jobs, ArrayPace pace, int64_t cycles, int64_t most_beats) {
  begin(std::move(jobs), pace);
  begun_.reset_after_cycles = cycles;
  beats_left_ = most_beats;
  for (int64_t i = 0; i < cycles && beats_left_ > 0 && !has_lost_count() && !is_idle(); ++i) cycle();
  if (has_lost_count()) return bench_.reset();
  if (!is_idle()) board_.result().commands -= num_unfinished();
  const bool has_edges = random_.chance(50);
  bench_.drop(has_edges);
  idle(random_.within(0, kVectorMostQuietCycles));
}

void VectorLockStep::idle(int64_t cycles) {
  for (int64_t i = 0; i < cycles && !has_lost_count(); ++i) cycle();
  if (has_lost_count()) bench_.reset();
}

}  // namespace vernier::cosim
