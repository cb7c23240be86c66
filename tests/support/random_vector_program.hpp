// SPDX-License-Identifier: Apache-2.0
// Random vector programs that are legal but for their schedule: each step reads what earlier ones have written.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/vector_operands.hpp"
#include "tests/support/random.hpp"

#include <algorithm>
#include <array>

namespace vernier::tests {

/// Body steps only, or Init, Body and Final over two kept loops. Registers may have numbers above those of the machine.
inline spec::VectorCommand random_vector_program(Random& random) {
  using spec::VectorOp;
  using spec::VectorPhase;
  spec::VectorCommand command;
  const bool has_phases = random.chance(60);
  if (has_phases) command.kept_loops = 2;
  for (int64_t& count : command.counts) count = random.within(1, 4);
  command.lanes = random.within(1, 40);
  for (int i = 0; i < spec::kMaxVectorStreams; ++i) {
    const bool is_wide = i >= 4;  // these are stored only
    command.streams.push_back({.type = is_wide ? base::ElementType::Int48 : base::ElementType::Int8});
  }
  std::array<int64_t, 3> num_steps{0, random.within(1, 10), 0};
  if (has_phases) num_steps = {random.within(0, 4), random.within(1, 8), random.within(0, 6)};
  std::vector<int64_t> written;
  const int64_t num_registers = random.pick<int64_t>({3, 6, 12, 30});
  for (size_t phase = 0; phase < num_steps.size(); ++phase) {
    for (int64_t i = 0; i < num_steps[phase]; ++i) {
      spec::VectorStep step;
      step.phase = static_cast<VectorPhase>(phase);
      step.op = static_cast<VectorOp>(random.within(0, spec::kNumVectorOps - 1));
      if (step.op == VectorOp::IntDiv && random.chance(80)) step.op = VectorOp::Rescale;
      if (written.empty()) step.op = random.chance(50) ? VectorOp::Load : VectorOp::Move;
      step.b_is_immediate = written.empty() || random.chance(40);
      step.c_is_shift = random.chance(30);
      step.stream = step.op == VectorOp::Store ? random.within(0, 5) : random.within(0, 3);
      step.shift = spec::is_load(step.op) ? 0 : 9;
      step.type = step.op == VectorOp::Table ? base::ElementType::Int8 : base::ElementType::Int32;
      step.dst = random.within(0, num_registers - 1);
      if (!written.empty()) {
        step.a = random.pick(written);
        step.b = random.pick(written);
        step.c = random.pick(written);
      }
      const bool accumulates = spec::is_accumulating_load(step.op) || random.chance(25);
      if (accumulates && !written.empty()) step.dst = random.pick(written);
      if (accumulates && random.chance(70)) step.a = step.dst;
      if (step.op != VectorOp::Store) written.push_back(step.dst);
      command.steps.push_back(step);
    }
  }
  return command;
}

}  // namespace vernier::tests
