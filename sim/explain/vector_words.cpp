// SPDX-License-Identifier: Apache-2.0
#include "sim/explain/vector_words.hpp"

#include "hw/base/division.hpp"
#include "hw/spec/vector_cycles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vernier::explain {
namespace {

using spec::VectorOp;

constexpr size_t kNumSlots = static_cast<size_t>(spec::VectorSlot::Store) + 1;
constexpr std::array<const char*, kNumSlots> kSlotWords{"loads", "arithmetic steps", "multiplications", "table look-ups",
                                                        "stores"};

/// Of the steps of one phase: cycles of each slot, and what takes more than one of them.
struct Slots {
  std::array<int64_t, kNumSlots> cycles{};
  bool divides = false, reduces_lanes = false;
  [[nodiscard]] size_t most_used() const {
    return static_cast<size_t>(std::max_element(cycles.begin(), cycles.end()) - cycles.begin());
  }
};

Slots slots_of(const spec::VectorCommand& command, spec::VectorPhase phase, const spec::Datapath& datapath) {
  Slots slots;
  for (const spec::VectorStep& step : command.steps) {
    if (step.phase != phase) continue;
    for (const spec::SlotUse& use : spec::slot_uses(step, command, datapath)) {
      slots.cycles[static_cast<size_t>(use.slot)] += use.cycles;
    }
    slots.divides |= step.op == VectorOp::IntDiv;
    slots.reduces_lanes |=
        step.op == VectorOp::ReduceAdd || step.op == VectorOp::ReduceMax || step.op == VectorOp::ReduceMin;
  }
  return slots;
}

std::string lane_words(const spec::VectorCommand& command, int64_t lanes) {
  const int64_t vectors = base::ceil_div(command.lanes, lanes);
  constexpr int64_t kLeastIdlePercent = 5;
  if (100 * (vectors * lanes - command.lanes) < kLeastIdlePercent * vectors * lanes) return "";
  return vectors == 1 ? fmt::format(", {} of {} lanes", command.lanes, lanes)
                      : fmt::format(", {} elements in {} vectors of {}", command.lanes, vectors, lanes);
}

}  // namespace

std::string vector_words(const spec::VectorCommand& command, const spec::Datapath& datapath) {
  const int64_t lanes = datapath.vector_lanes(), vectors = base::ceil_div(command.lanes, lanes);
  int64_t kept = command.lanes_reduced ? 1 : vectors, reduced = command.lanes_reduced ? vectors : 1;
  for (int64_t i = 0; i < spec::kNumVectorLoops; ++i) {
    (i < command.kept_loops ? kept : reduced) *= command.counts[static_cast<size_t>(i)];
  }
  const bool is_in_pairs = spec::reduces_in_pairs(command);
  const std::string of_lanes = lane_words(command, lanes);
  std::string text;
  int64_t most = -1;
  for (const auto phase : {spec::VectorPhase::Body, spec::VectorPhase::Init, spec::VectorPhase::Final}) {
    const Slots slots = slots_of(command, phase, datapath);
    const size_t slot = slots.most_used();
    const int64_t each = slots.cycles[slot], times = phase == spec::VectorPhase::Body ? kept * reduced : kept;
    const bool is_pair = is_in_pairs && phase == spec::VectorPhase::Body;
    const int64_t cycles = each * times / (is_pair ? 2 : 1);
    if (cycles <= most) continue;
    most = cycles;
    const std::string_view where = phase == spec::VectorPhase::Body ? "vector" : "result";
    if (is_pair) {
      text = fmt::format("{} vectors for each result, two per cycle", reduced);
    } else if (slots.divides) {
      text = fmt::format("a division takes {} cycles", spec::kIntDivCycles);
    } else if (each == 1) {
      text = fmt::format("a {} of {} elements per cycle", where, lanes);
    } else {
      text =
          fmt::format("{} {} for each {}{}", each, kSlotWords[slot], where,
                      slots.reduces_lanes && slot == static_cast<size_t>(spec::VectorSlot::Alu) ? ", across the lanes" : "");
    }
  }
  return text + of_lanes;
}

}  // namespace vernier::explain
