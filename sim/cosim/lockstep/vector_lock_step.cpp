// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/vector_lock_step.hpp"

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

VectorLockStep::VectorLockStep(ClockedBlock& block, const spec::Datapath& datapath, const RunOptions& options)
    : VectorTraffic(block, datapath, options), bench_(block, board_) {
  bench_.probe(PortProbe(block), kVectorProbeCycles);
  bench_.add(*this);
  bench_.add(*lanes_);
  if (options.memory != nullptr) bench_.add(*options.memory);
  for (Participant* guest : options.guests) bench_.add(*guest);
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
    const int64_t shared_percent = kSharedPercents[static_cast<size_t>(random_.within(0, kSharedPercents.size() - 1))];
    const bool is_directed = sequence % kSequencesBetweenDirected == kSequencesBetweenDirected - 1;
    std::vector<DrawnWork> drawn = is_directed ? draw_directed() : draw_missing();
    if (drawn.empty()) {
      for (int64_t i = random_.within(1, kVectorMostJobs); i > 0; --i)
        drawn.push_back(draw_vector_job(datapath_, tables_, random_));
    }
    Sequence made{.pace = static_cast<ArrayPace>(random_.within(0, kNumPaces - 1)),
                  .most_results = vectors - board_.result().vectors,
                  .shared_percent = shared_percent};
    for (const DrawnWork& work : drawn) coverage_.count_drawn(work);
    made.works = works_of(std::move(drawn));
    if (random_.chance(kVectorDroppedPercent)) {
      int64_t cycles = 0;
      for (const Work& work : made.works) cycles += VectorRun(work, datapath_, tables_).cycles;
      made.reset_after_cycles = random_.within(1, cycles);
    }
    run_sequence(std::move(made));
  }
}

std::vector<DrawnWork> VectorLockStep::draw_directed() {
  std::vector<DrawnWork> works;
  for (int i = 0; i < kDirectedJobs; ++i) works.push_back(draw_directed_job(datapath_, tables_, random_));
  return works;
}

/// Now and then commands of operands that have not come yet; none: others are drawn.
std::vector<DrawnWork> VectorLockStep::draw_missing() {
  std::vector<DrawnWork> works;
  if (!random_.chance(kVectorMissingPercent)) return works;
  for (int i = 0; i < kMissingJobs; ++i) {
    if (std::optional<DrawnWork> work = coverage_.draw_missing(datapath_, tables_, random_))
      works.push_back(std::move(*work));
  }
  return works;
}

void VectorLockStep::run_sequence(Sequence sequence) {
  const std::optional<int64_t> reset_after_cycles = sequence.reset_after_cycles;
  const int64_t idle_cycles = sequence.idle_cycles;
  begin(std::move(sequence));
  // Until every command was taken, and another one could follow the last one; or until the reset.
  for (int64_t i = 0; i < reset_after_cycles.value_or(INT64_MAX); ++i) {
    if (beats_left_ <= 0 || has_lost_count() || is_idle()) break;
    cycle();
  }
  if (!reset_after_cycles) {
    if (!is_idle()) bench_.reset();
    return idle(idle_cycles);
  }
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
