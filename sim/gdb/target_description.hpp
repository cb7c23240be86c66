// SPDX-License-Identifier: Apache-2.0
// The target description that GDB asks for: registers by name and number, as XML ("Debugging with GDB", appendix G).
#pragma once

#include "sim/gdb/target.hpp"

#include <cstdint>
#include <string>

namespace vernier::gdb {

/// Numbers of registers in the protocol: x0 to x31, pc, then the control and status registers, which GDB counts from here.
inline constexpr uint32_t kPcNumber = kNumRegisters;
inline constexpr uint32_t kFirstCsrNumber = 65;
inline constexpr uint32_t kNumCsrNumbers = 0x1000;

/// Architecture riscv:rv32, features org.gnu.gdb.riscv.cpu and org.gnu.gdb.riscv.csr with all rows of spec::kCpuCsrs.
std::string target_description();

}  // namespace vernier::gdb
