// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/vector_program.hpp"

#include "hw/spec/vector_operands.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace vernier::kernels {
namespace {

using spec::VectorCommand;
using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;
using spec::VectorStream;

uint32_t bit(int64_t register_idx) { return uint32_t{1} << register_idx; }

/// The registers that a step reads, as a mask.
uint32_t read_mask(const VectorStep& step) {
  const spec::OperandsRead read = spec::operands_read(step);
  return (read.a ? bit(step.a) : 0) | (read.b ? bit(step.b) : 0) | (read.c ? bit(step.c) : 0) |
         (read.dst ? bit(step.dst) : 0);
}

/// The first pass through Init, Body, Final finds every register written before it is read. Later passes of Body then do
/// too.
bool starts_afresh(const VectorProgram& program) {
  uint32_t written = 0;
  for (const auto& phase : program.phases) {
    for (const VectorStep* step : phase) {
      if ((read_mask(*step) & ~written) != 0) return false;
      if (step->op != VectorOp::Store) written |= bit(step->dst);
    }
  }
  return true;
}

/// What a Store step writes: the loops that move it, least stride first, and the interval from first to last byte.
struct StoredBox {
  StoredBox(const VectorCommand& command, const VectorStep& step) {
    const VectorStream& stream = command.streams[static_cast<size_t>(step.stream)];
    const bool is_body = step.phase == VectorPhase::Body;
    for (int64_t loop = 0; loop < (is_body ? spec::kNumVectorLoops : command.kept_loops); ++loop) {
      add(command.counts[static_cast<size_t>(loop)], stream.strides_bytes[static_cast<size_t>(loop)]);
    }
    if (is_body || !command.lanes_reduced) add(command.lanes, stream.lane_stride_bytes);
    std::ranges::sort(loops);
    element_bytes = base::stored_bytes(stream.type);
    begin += stream.base;
    end += stream.base + element_bytes;
  }
  void add(int64_t count, int64_t stride) {
    if (count > 1) loops.emplace_back(std::abs(stride), count);
    (stride < 0 ? begin : end) += (count - 1) * stride;
  }
  /// Each loop steps over all that the faster ones cover. Sufficient, and true of every layout in use.
  [[nodiscard]] bool is_injective() const {
    int64_t covered_bytes = element_bytes;
    for (const auto& [stride, count] : loops) {
      if (stride < covered_bytes) return false;
      covered_bytes += (count - 1) * stride;
    }
    return true;
  }
  std::vector<std::pair<int64_t, int64_t>> loops;  // stride, count
  int64_t element_bytes = 0, begin = 0, end = 0;
};

bool stores_each_byte_once(const VectorCommand& command) {
  std::vector<StoredBox> boxes;
  for (const VectorStep& step : command.steps) {
    if (step.op != VectorOp::Store) continue;
    const StoredBox& box = boxes.emplace_back(command, step);
    if (!box.is_injective()) return false;
    for (size_t i = 0; i + 1 < boxes.size(); ++i) {
      if (boxes[i].begin < box.end && box.begin < boxes[i].end) return false;
    }
  }
  return true;
}

}  // namespace

VectorProgram::VectorProgram(const VectorCommand& command)
    : has_wide(std::ranges::any_of(command.steps, [&](const VectorStep& step) {
        return step.op == VectorOp::Load &&
               command.streams[static_cast<size_t>(step.stream)].type == base::ElementType::Int48;
      })) {
  for (const VectorStep& step : command.steps) phases[static_cast<size_t>(step.phase)].push_back(&step);
  is_independent = starts_afresh(*this) && stores_each_byte_once(command);
}

}  // namespace vernier::kernels
