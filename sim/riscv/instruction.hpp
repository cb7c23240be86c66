// SPDX-License-Identifier: Apache-2.0
// A decoded instruction of the control CPU.
#pragma once

#include "hw/spec/control_cpu.hpp"

#include <cstdint>

namespace vernier::riscv {

/// What is done with the operands. `a` is the register rs1, `c` the register rs2, `b` is c + immediate: forms with an
/// immediate have x0, which is 0, as rs2, and forms with two registers have an immediate of 0.
enum class Op : uint8_t {
  Illegal,
  Add,  // rd = a + b: add, addi, lui (rs1 is x0)
  Sub,
  ShiftLeft,
  LessThan,
  LessThanUnsigned,
  Xor,
  ShiftRight,
  ShiftRightArithmetic,
  Or,
  And,
  AddToPc,  // rd = pc + immediate: auipc
  Multiply,
  MultiplyHigh,
  MultiplyHighSignedUnsigned,
  MultiplyHighUnsigned,
  Divide,
  DivideUnsigned,
  Remainder,
  RemainderUnsigned,
  Jump,          // rd = address of the next instruction; pc + immediate is next
  JumpRegister,  // rd = address of the next instruction; a + immediate, bit 0 cleared, is next
  BranchEqual,   // pc + immediate is next where a and c are so
  BranchNotEqual,
  BranchLess,
  BranchGreaterEqual,
  BranchLessUnsigned,
  BranchGreaterEqualUnsigned,
  LoadByte,  // rd = memory at a + immediate
  LoadHalf,
  LoadWord,
  LoadByteUnsigned,
  LoadHalfUnsigned,
  StoreByte,  // memory at a + immediate = c
  StoreHalf,
  StoreWord,
  Fence,
  FenceI,
  EnvironmentCall,
  Breakpoint,
  TrapReturn,
  Wait,
  CsrWrite,  // the immediate is the number of the register; rd = its old value
  CsrSet,
  CsrClear,
  CsrWriteImmediate,  // of these three, rs1 is the operand itself
  CsrSetImmediate,
  CsrClearImmediate,
};

struct Instruction {
  uint32_t immediate = 0;  // sign-extended
  Op op = Op::Illegal;
  uint8_t rd = 0;  // numbers of registers; 0 where the instruction has none
  uint8_t rs1 = 0;
  uint8_t rs2 = 0;
  spec::CpuActivity activity =
      spec::CpuActivity::Trap;  // of a branch, that of one that is not taken; of a division, of a long one
  bool operator==(const Instruction&) const = default;
};

}  // namespace vernier::riscv
