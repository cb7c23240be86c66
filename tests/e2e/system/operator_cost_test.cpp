// SPDX-License-Identifier: Apache-2.0
// No operator is free, and none grows faster than its work: each mode of TOSA's integer operators, alone on v256 at two
// sizes. What the larger one takes more is what the formulas of docs/architecture say for what it has more, where SRAM is
// read by 4 words of 16 bytes a cycle and written by 2.
#include "compiler/ir/op_table.hpp"
#include "hw/base/division.hpp"
#include "tests/e2e/system/machine.hpp"
#include "tests/support/one_operator.hpp"
#include "tests/support/tosa_modes.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace vernier::tests {
namespace {

using enum ir::OpKind;
using base::ElementType;

constexpr int64_t kSmall = 16, kLarge = 2 * kSmall;
/// How far an operator may be above its formula, in per cent and cycles, and below it.
constexpr int64_t kMostPercent = 4, kMostCycles = 16, kLeastPercent = 50;

int64_t cycles_to_read(ElementType type) { return base::ceil_div(base::stored_bytes(type), int64_t{4}); }
int64_t cycles_to_write(ElementType type) { return base::ceil_div(base::stored_bytes(type), int64_t{2}); }
/// Of int16 activations each bit pattern takes two passes.
int64_t passes(const ModeTypes& types) { return types.operands[0] == ElementType::Int16 ? 2 : 1; }

/// A vector of 16 results of a reduction of so many steps leaves the array while the next one is computed.
int64_t of_array(const ModeTypes& types, int64_t steps) {
  return std::max(steps * passes(types), cycles_to_write(types.result));
}

/// A vector of 16 results: each map is loaded by itself, and the result stored.
int64_t of_vector(const ir::Graph& graph) {
  const ir::Operator& op = graph.operators[0];
  int64_t loads = 0;
  for (const ir::TensorId id : op.inputs)
    if (!graph.tensor(id).constant) loads += cycles_to_read(graph.tensor(id).type);
  return std::max(loads, cycles_to_write(graph.tensor(op.outputs[0]).type));
}

/// A row of 16 elements in pieces, which its lanes hand to each other.
double of_reduced_row(ir::OpKind kind, ElementType type) {
  if (kind == ArgMax) return 6.25;
  return type == ElementType::Int32 ? 7.5 : 4.5;
}

/// A matrix of 4 rows of 16 turned: each element comes in with a row of a tile, and goes out with a column.
int64_t of_turned_rows(ElementType type) {
  if (base::stored_bytes(type) == 1) return 2 + 4;  // rows that follow each other come in by two
  return 2 * 4 * 16 / (16 / base::stored_bytes(type));
}

/// Cycles of the rows that OneOperator adds for one more `times`: 64 pixels of 16 channels, 4 rows of 16 elements, or what
/// stands for them.
double formula(ir::OpKind kind, const ModeTypes& types, const ir::Graph& graph) {
  constexpr double kPixels = 64, kRows = 4, kCopiedBytes = 32;
  const int64_t bytes = base::stored_bytes(types.result);
  const auto copied = [&](double elements) { return elements * static_cast<double>(bytes) / kCopiedBytes; };
  const auto of_rows = static_cast<double>(std::max<int64_t>(1, bytes / 2));  // a row of 16, by itself
  switch (kind) {
    case Conv2d: return kPixels * static_cast<double>(of_array(types, 9));
    case Conv3d: return 4 * kPixels * static_cast<double>(of_array(types, 27));
    case DepthwiseConv2d: return kPixels * static_cast<double>(of_array(types, 1));
    case TransposeConv2d: return 4 * kPixels * static_cast<double>(of_array(types, 1));
    case MatMul: return 16 * static_cast<double>(passes(types));
    case AvgPool2d:
    case MaxPool2d: return kPixels;  // a cycle for each element of a window
    case Resize: return 4 * kPixels * static_cast<double>(cycles_to_write(types.result));
    case ArgMax:
    case ReduceAll:
    case ReduceAny:
    case ReduceMax:
    case ReduceMin:
    case ReduceSum: return kRows * of_reduced_row(kind, types.operands[0]);
    case Concat: return copied(2 * kRows * 16);
    case Pad:
    case Reshape: return copied(kRows * 16);
    case Tile: return copied(3 * kRows * 16);
    case Identity: return copied(kPixels * 16);
    case Reverse: return kRows * of_rows;
    case Gather: return kRows * of_rows;
    case Slice: return 2;  // half of two rows
    case Scatter: return copied(6 * 16) + kRows * of_rows;
    case Transpose: return static_cast<double>(of_turned_rows(types.result));
    case IntDiv: return kPixels * 34;  // a bit a cycle, and both ends
    case Negate:                       // of int16, difference and limits are two steps of one slot
      return kPixels * static_cast<double>(types.result == ElementType::Int16 ? 2 : of_vector(graph));
    default: return kPixels * static_cast<double>(of_vector(graph));
  }
}

int64_t cycles_of(const OneOperator& one) {
  ir::verify(one.graph, "graph", ir::kLevel8k);
  const config::MachineConfig config = machine("v256", spec::MemoryMode::Sram);
  soc::Npu npu(config);
  soc::JobOptions estimate;
  estimate.values = false;
  const soc::JobResult job = npu.run(compile(one.graph, config, 1), one.inputs, estimate);
  REQUIRE(status_text(job) == "done");
  return job.cycles;
}

}  // namespace

TEST_CASE("the cycles of each operator grow as its formula says") {
  int64_t num_modes = 0;
  for (const TosaRow& mode : tosa_rows()) {
    if (!is_mode(mode) || ir::find_op_info(mode.kind) == nullptr || ir::is_control_flow(mode.kind)) continue;
    if (mode.kind == Const || mode.kind == ConstShape || mode.kind == VariableRead || mode.kind == VariableWrite) continue;
    const ModeTypes types = mode_types(with_multiplier(mode, mode.what.starts_with("int48") ? "int16" : "int32"));
    const OneOperator small = one_operator(mode.kind, types, kSmall), large = one_operator(mode.kind, types, kLarge);
    const int64_t more = cycles_of(large) - cycles_of(small);
    const auto expected = static_cast<int64_t>(formula(mode.kind, types, small.graph) * (kLarge - kSmall));
    INFO(fmt::format("{} {}: {} cycles more, the formula says {}", ir::to_string(mode.kind), mode.what, more, expected));
    CHECK(more <= expected + expected * kMostPercent / 100 + kMostCycles);
    CHECK(more >= expected * kLeastPercent / 100);
    ++num_modes;
  }
  CHECK(num_modes > 140);
}

}  // namespace vernier::tests
