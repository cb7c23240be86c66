// SPDX-License-Identifier: Apache-2.0
// The text of an instruction of the control CPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vernier::riscv {

/// The name of a register in the calling convention (RISC-V psABI 1.0, chapter 1): "zero", "ra", "sp", ...
std::string_view register_name(uint32_t number);

/// The instruction at `pc`, as the manual writes it: "addi sp, sp, -64". A compressed one is shown as the instruction that
/// it stands for. Offsets of jumps and branches are addresses. What is no instruction is "illegal".
std::string disassemble(uint32_t word, uint32_t pc);

}  // namespace vernier::riscv
