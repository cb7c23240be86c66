// SPDX-License-Identifier: Apache-2.0
#include "hw/sequence/vector_beats.hpp"

#include "hw/base/division.hpp"
#include "hw/spec/vector_cycles.hpp"
#include "hw/spec/vector_operands.hpp"

#include <algorithm>

namespace vernier::sequence {
namespace {

using spec::VectorPhase;

/// From the start of a store to the cycle in which its beat leaves.
constexpr int64_t kStoreCycles = spec::kVectorSlotCycles - 1;

}  // namespace

VectorBeats::VectorBeats(const spec::VectorCommand& command, const spec::Datapath& datapath, bool is_loads)
    : command_(command),
      lanes_(datapath.vector_lanes()),
      is_loads_(is_loads),
      has_pairs_(spec::reduces_in_pairs(command)),
      length_(spec::length_of(command, datapath)) {
  const auto loop_of = [&](int loop) {
    const bool is_paired = has_pairs_ && !command.lanes_reduced && loop == spec::kNumVectorLoops - 1;
    return Loop{loop, command.counts[static_cast<size_t>(loop)], is_paired ? 2 : 1};
  };
  const Loop lanes{kLanes, command.lanes, has_pairs_ && command.lanes_reduced ? 2 * lanes_ : lanes_};
  std::vector<Loop> reduced;
  if (command.lanes_reduced) reduced.push_back(lanes);
  for (auto loop = spec::kNumVectorLoops - 1; loop >= command.kept_loops; --loop) reduced.push_back(loop_of(loop));
  if (!command.lanes_reduced) kept_.push_back(lanes);
  for (auto loop = static_cast<int>(command.kept_loops) - 1; loop >= 0; --loop) kept_.push_back(loop_of(loop));
  body_ = reduced;
  const bool has_positions =
      std::ranges::any_of(command.steps, [](const auto& step) { return step.phase != VectorPhase::Body; });
  if (!has_positions) {  // one position of all vectors
    body_.insert(body_.end(), kept_.begin(), kept_.end());
    kept_.clear();
  }
  for (const Loop& loop : body_) vectors_ *= base::ceil_div(loop.count, loop.step);
  begin_position();
}

/// To the next place; false after the last one, and then `place` is the first one again.
bool VectorBeats::advance(Place& place, const std::vector<Loop>& loops) {
  for (const Loop& loop : loops) {
    int64_t& at = loop.loop == kLanes ? place.lane : place.at[static_cast<size_t>(loop.loop)];
    at += loop.step;
    if (at < loop.count) return true;
    at = 0;
  }
  return false;
}

void VectorBeats::begin_position() {
  cursors_.clear();
  for (size_t i = 0; i < command_.steps.size(); ++i) {
    const spec::VectorStep& step = command_.steps[i];
    if (is_loads_ ? !spec::is_load(step.op) : step.op != spec::VectorOp::Store) continue;
    Cursor cursor;
    cursor.step = i;
    cursor.num_vectors = step.phase == VectorPhase::Body ? vectors_ : 1;
    cursor.num_parts = command_.streams[static_cast<size_t>(step.stream)].type == base::ElementType::Int48 ? 2 : 1;
    cursor.place = position_;
    cursors_.push_back(cursor);
  }
}

int64_t VectorBeats::cycle_of(const Cursor& cursor) const {
  const spec::VectorStep& step = command_.steps[cursor.step];
  const int64_t vector = step.phase == VectorPhase::Final ? vectors_ - 1 : cursor.vector;
  return start_cycle_ + vector * command_.interval + step.offset + cursor.part + (is_loads_ ? 0 : kStoreCycles);
}

void VectorBeats::put_elements(const Cursor& cursor, VectorBeat& beat) const {
  const spec::VectorStep& step = command_.steps[cursor.step];
  const spec::VectorStream& stream = command_.streams[static_cast<size_t>(step.stream)];
  const Place& place = cursor.place;
  int64_t address = stream.base + place.lane * stream.lane_stride_bytes;
  for (size_t i = 0; i < place.at.size(); ++i) address += place.at[i] * stream.strides_bytes[i];
  beat.first = {address, stream.lane_stride_bytes, std::min(lanes_, command_.lanes - place.lane)};
  beat.second = {};
  if (step.phase != VectorPhase::Body && command_.lanes_reduced) {
    beat.first = is_loads_ ? VectorElements{address, 0, std::min(lanes_, command_.lanes)} : VectorElements{address, 0, 1};
  } else if (step.phase == VectorPhase::Body && has_pairs_ && command_.lanes_reduced) {
    const int64_t left = command_.lanes - place.lane - lanes_;
    if (left > 0) {
      beat.second = {address + lanes_ * stream.lane_stride_bytes, stream.lane_stride_bytes, std::min(lanes_, left)};
    }
  } else if (step.phase == VectorPhase::Body && has_pairs_ && place.at.back() + 1 < command_.counts.back()) {
    beat.second = {address + stream.strides_bytes.back(), stream.lane_stride_bytes, beat.first.count};
  }
}

bool VectorBeats::next(VectorBeat& beat) {
  Cursor* earliest = nullptr;
  while (has_position_) {
    for (Cursor& cursor : cursors_) {
      if (!cursor.is_done && (earliest == nullptr || cycle_of(cursor) < cycle_of(*earliest))) earliest = &cursor;
    }
    if (earliest != nullptr) break;
    start_cycle_ += (vectors_ - 1) * command_.interval + length_;
    has_position_ = advance(position_, kept_);
    if (has_position_) begin_position();
    if (cursors_.empty()) has_position_ = false;  // none of its steps has beats
  }
  if (earliest == nullptr) return false;
  beat.step = earliest->step;
  beat.cycle = cycle_of(*earliest);
  beat.part = earliest->part;
  put_elements(*earliest, beat);
  if (++earliest->part < earliest->num_parts) return true;
  earliest->part = 0;
  earliest->is_done = ++earliest->vector == earliest->num_vectors;
  advance(earliest->place, body_);
  return true;
}

}  // namespace vernier::sequence
