// SPDX-License-Identifier: Apache-2.0
// Instructions of 32 bits, decoded by a table that has the columns of "RV32/64G Instruction Set Listings" (RISC-V
// unprivileged 20191213, chapter 24) and, for mret and wfi, of the privileged listings (20211203, chapter 9).
#pragma once

#include "sim/riscv/instruction.hpp"

#include <cstdint>
#include <string_view>

namespace vernier::riscv {

/// Op::Illegal for a word that is none of the table's. Fields that fence and fence.i reserve are ignored, as the manual asks
/// for. Whether a CSR exists is not looked at.
Instruction decode(uint32_t word);

/// The manual's name of the instruction, in small letters; empty for a word that is none of the table's.
std::string_view mnemonic(uint32_t word);

}  // namespace vernier::riscv
