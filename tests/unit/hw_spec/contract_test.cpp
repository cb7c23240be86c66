// SPDX-License-Identifier: Apache-2.0
// Codes, registers and the memory map: what software and RTL were told, as literals.
#include "hw/spec/command.hpp"
#include "hw/spec/registers.hpp"
#include "hw/spec/status.hpp"
#include "hw/spec/vector_operands.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace vernier::spec {
namespace {

TEST_CASE("Opcodes, queues and kinds have the codes that streams hold") {
  CHECK(static_cast<int>(Opcode::End) == 0x01);
  CHECK(static_cast<int>(Opcode::Dma) == 0x10);
  CHECK(static_cast<int>(Opcode::Mac) == 0x20);
  CHECK(static_cast<int>(Opcode::Vector) == 0x30);
  CHECK(static_cast<int>(Queue::Dma0) == 0);
  CHECK(static_cast<int>(Queue::Dma1) == 1);
  CHECK(static_cast<int>(Queue::MacArray) == 2);
  CHECK(static_cast<int>(Queue::VectorUnit) == 3);
  CHECK(kQueueNames == std::array<std::string_view, 4>{"dma0", "dma1", "mac", "vec"});
  CHECK(static_cast<int>(DmaKind::Transpose) == 5);
  CHECK(static_cast<int>(WeightOrder::TapMajor) == 2);
  CHECK(static_cast<int>(Rounding::HalfEven) == 3);
  CHECK(static_cast<int>(VectorOp::Load) == 0);
  CHECK(static_cast<int>(VectorOp::LoadMinimum) == 32);
  CHECK(queue_bit(Queue::VectorUnit) == 8);
}

TEST_CASE("Each step has one slot, and the slots that a name says") {
  std::array<int, 5> steps{};
  for (int op = 0; op < kNumVectorOps; ++op) ++steps[static_cast<size_t>(slot_of(static_cast<VectorOp>(op)))];
  CHECK(steps == std::array<int, 5>{4, 25, 2, 1, 1});  // load, ALU, multiply, table, store
  CHECK(slot_of(VectorOp::Mul) == VectorSlot::Mul);
  CHECK(slot_of(VectorOp::Rescale) == VectorSlot::Mul);
  CHECK(slot_of(VectorOp::LoadAdd) == VectorSlot::Load);
  CHECK(is_load(VectorOp::Load));
  CHECK_FALSE(is_accumulating_load(VectorOp::Load));
  CHECK(is_accumulating_load(VectorOp::LoadMaximum));
  CHECK_FALSE(is_load(VectorOp::Store));
}

TEST_CASE("The operands that a step reads") {
  const auto of = [](VectorOp op, bool b_is_immediate = false, bool c_is_shift = false) {
    VectorStep step;
    step.op = op;
    step.b_is_immediate = b_is_immediate;
    step.c_is_shift = c_is_shift;
    const OperandsRead read = operands_read(step);
    return std::array<bool, 4>{read.a, read.b, read.c, read.dst};
  };
  using Read = std::array<bool, 4>;
  CHECK(of(VectorOp::Load) == Read{false, false, false, false});
  CHECK(of(VectorOp::LoadAdd) == Read{false, false, false, true});
  CHECK(of(VectorOp::Move) == Read{true, false, false, false});
  CHECK(of(VectorOp::Move, true) == Read{false, false, false, false});
  CHECK(of(VectorOp::Add) == Read{true, true, false, false});
  CHECK(of(VectorOp::Add, true) == Read{true, false, false, false});
  CHECK(of(VectorOp::Select) == Read{true, true, true, false});
  CHECK(of(VectorOp::Rescale, true) == Read{true, false, false, false});
  CHECK(of(VectorOp::Rescale, false, true) == Read{true, true, true, false});
  CHECK(of(VectorOp::Store) == Read{true, false, false, false});
}

TEST_CASE("Only a reduction whose Body has nothing but accumulating loads takes positions in pairs") {
  VectorCommand command;
  command.kept_loops = 4;
  command.steps.resize(2);
  command.steps[0].op = VectorOp::LoadAdd;
  command.steps[1].op = VectorOp::Store;
  command.steps[1].phase = VectorPhase::Final;
  CHECK(reduces_in_pairs(command));
  command.kept_loops = kNumVectorLoops;  // nothing is reduced
  CHECK_FALSE(reduces_in_pairs(command));
  command.lanes_reduced = true;
  CHECK(reduces_in_pairs(command));
  command.steps[1].phase = VectorPhase::Body;
  CHECK_FALSE(reduces_in_pairs(command));
  command.steps.clear();
  CHECK_FALSE(reduces_in_pairs(command));
}

TEST_CASE("Registers are aligned words of their region, by the names and offsets that software knows") {
  std::set<std::string_view> names;
  for (const Register& reg : kRegisters) {
    INFO(reg.name);
    CHECK(reg.offset_bytes % 4 == 0);
    CHECK(reg.offset_bytes + 4 <= kMemoryMap[1].size_bytes);
    CHECK(names.insert(reg.name).second);
    const bool is_size = reg.name == "SRAM_BYTES" || reg.name == "EXTERNAL_BYTES";
    if (reg.access != Access::ReadOnly) CHECK(reg.reset == (is_size ? kToTheEnd : 0));
  }
  CHECK(kRegisters[0].name == "ID");
  CHECK(kRegisters[0].reset == 0x56524E52);
  CHECK(kRegisters[1].offset_bytes == 0x04);   // CONTROL
  CHECK(kRegisters[13].offset_bytes == 0x38);  // PMU_COMMANDS
}

TEST_CASE("The memory map holds the largest memories, and nothing overlaps") {
  CHECK(kMaxSramBytes == 268'435'456);
  CHECK(kMaxExternalBytes == 2'147'483'648);
  uint64_t end = 0;
  for (const Region& region : kMemoryMap) {
    INFO(region.name);
    CHECK(region.base >= end);
    end = uint64_t{region.base} + region.size_bytes;
    CHECK(end <= uint64_t{1} << 32);
  }
}

TEST_CASE("Every fault has a code that stays and a name of its own") {
  CHECK(static_cast<int>(FaultCode::None) == 0);
  CHECK(static_cast<int>(FaultCode::UninitialisedRead) == 8);
  CHECK(static_cast<int>(FaultCode::StreamEnd) == 13);
  CHECK(static_cast<int>(FaultCode::WriteProtected) == 14);
  CHECK(to_string(FaultCode::Hazard) == "hazard");
  std::set<std::string_view> names;
  for (const FaultKind& fault : kFaults) names.insert(fault.name);
  CHECK(names.size() == kFaults.size());
}

}  // namespace
}  // namespace vernier::spec
