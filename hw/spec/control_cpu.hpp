// SPDX-License-Identifier: Apache-2.0
// The control CPU as firmware sees it: one hart, RV32IMC with Zicsr and Zifencei, machine mode only, by "The RISC-V
// Instruction Set Manual", Volume I 20191213 and Volume II 20211203. Here are its control and status registers, its causes
// of traps, and the cycles of its instructions. Interpreter: sim/riscv.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vernier::spec {

/// What the CPU spends cycles on. An instruction that traps costs `Trap` in place of its own cycles.
enum class CpuActivity : uint8_t {
  Compute,       // integer arithmetic, logic, shifts, comparisons, fence, hints
  CsrAccess,     // csrrw and its kin
  Load,          // lb, lh, lw, lbu, lhu
  Store,         // sb, sh, sw
  Multiply,      // mul
  MultiplyHigh,  // mulh, mulhsu, mulhu
  Divide,        // div, divu, rem, remu
  DivideByZero,  // these with a divisor of 0
  Jump,          // jal, jalr
  BranchNotTaken,
  BranchTaken,
  FenceI,
  Trap,        // an exception: from the instruction that raises it to the first one of the handler
  Interrupt,   // from the end of the last instruction to the first one of the handler
  TrapReturn,  // mret
  Wait,        // wfi until the CPU sleeps
  WakeUp,      // from a pending interrupt to the next instruction, or to the entry of the interrupt
};

struct CpuCycles {
  CpuActivity activity;
  int64_t cycles;
};

/// Cycles from the start of one activity to the start of the next one where memory answers at once, as the two-stage Ibex
/// with its fast multiplier takes them. What memory takes beyond that comes on top [data sheet Ibex user manual, "Pipeline
/// Details", stall cycles + 1; decision 0025].
inline constexpr std::array<CpuCycles, 17> kCpuCycles{{
    {CpuActivity::Compute, 1},
    {CpuActivity::CsrAccess, 1},
    {CpuActivity::Load, 2},
    {CpuActivity::Store, 2},
    {CpuActivity::Multiply, 3},
    {CpuActivity::MultiplyHigh, 4},
    {CpuActivity::Divide, 38},
    {CpuActivity::DivideByZero, 2},
    {CpuActivity::Jump, 2},
    {CpuActivity::BranchNotTaken, 1},
    {CpuActivity::BranchTaken, 3},
    {CpuActivity::FenceI, 2},
    {CpuActivity::Trap, 3},
    {CpuActivity::Interrupt, 3},
    {CpuActivity::TrapReturn, 3},
    {CpuActivity::Wait, 3},
    {CpuActivity::WakeUp, 2},
}};
static_assert([] {
  for (size_t i = 0; i < kCpuCycles.size(); ++i) {
    if (static_cast<size_t>(kCpuCycles[i].activity) != i) return false;
  }
  return true;
}());

constexpr int64_t cpu_cycles(CpuActivity activity) { return kCpuCycles[static_cast<size_t>(activity)].cycles; }

/// mcause of exceptions [standard RISC-V privileged 20211203, table 3.6]. InstructionAddressMisaligned cannot occur, because
/// instructions may start at every multiple of 2 bytes.
enum class CpuException : uint32_t {
  InstructionAddressMisaligned = 0,
  InstructionAccessFault = 1,
  IllegalInstruction = 2,
  Breakpoint = 3,
  LoadAddressMisaligned = 4,
  LoadAccessFault = 5,
  StoreAddressMisaligned = 6,
  StoreAccessFault = 7,
  EnvironmentCall = 11,
};

/// Bits of mie and mip, and mcause beside kCpuInterruptCause [standard RISC-V privileged 20211203, sections 3.1.9
/// and 3.1.15].
enum class CpuInterrupt : uint32_t { Software = 3, Timer = 7, External = 11 };
/// The order in which pending interrupts are taken [standard RISC-V privileged 20211203, section 3.1.9].
inline constexpr std::array<CpuInterrupt, 3> kCpuInterruptOrder{CpuInterrupt::External, CpuInterrupt::Software,
                                                                CpuInterrupt::Timer};
inline constexpr uint32_t kCpuInterruptCause = 0x8000'0000;  // [standard RISC-V privileged 20211203, section 3.1.15]

/// Bits of mstatus [standard RISC-V privileged 20211203, section 3.1.6].
inline constexpr uint32_t kMstatusMie = 0x0000'0008;
inline constexpr uint32_t kMstatusMpie = 0x0000'0080;  // [standard RISC-V privileged 20211203, section 3.1.6]
/// MPP always holds 3, machine mode, because there is no other [standard RISC-V privileged 20211203, section 3.1.6].
inline constexpr uint32_t kMstatusMpp = 0x0000'1800;
/// The bits of mie and mip that exist [standard RISC-V privileged 20211203, section 3.1.9].
inline constexpr uint32_t kMieBits = 0x0000'0888;
/// Bit 0 of mtvec: interrupts go to the base + 4 times their cause [standard RISC-V privileged 20211203, section 3.1.7].
inline constexpr uint32_t kMtvecVectored = 0x0000'0001;
/// Bits of mcountinhibit: mcycle and minstret stand still [standard RISC-V privileged 20211203, section 3.1.12].
inline constexpr uint32_t kInhibitCycles = 0x0000'0001;
inline constexpr uint32_t kInhibitRetired = 0x0000'0004;  // [standard RISC-V privileged 20211203, section 3.1.12]

/// Rows of kCpuCsrs, in their order.
enum class CpuCsrId : uint8_t {
  Mstatus,
  Misa,
  Mie,
  Mtvec,
  Mstatush,
  Mcountinhibit,
  Mhpmevent,
  Mscratch,
  Mepc,
  Mcause,
  Mtval,
  Mip,
  Mcycle,
  Minstret,
  Mhpmcounter,
  Mcycleh,
  Minstreth,
  Mhpmcounterh,
  Mvendorid,
  Marchid,
  Mimpid,
  Mhartid,
  Mconfigptr,
};

/// One control and status register, or several of one kind in a row.
struct CpuCsr {
  std::string_view name;
  uint32_t first;     // number
  uint32_t last;      // number of the last one of a row
  uint32_t writable;  // bits that a write changes; it leaves the other bits and makes no trap
  uint32_t reset;
  std::string_view description;
};

/// All that there are: an access to another number is an illegal instruction, and so is a write to a number from 0xC00 on
/// [standard RISC-V privileged 20211203, tables 2.5 and 2.6, sections 3.1.1 to 3.1.17].
inline constexpr std::array<CpuCsr, 23> kCpuCsrs{{
    {"mstatus", 0x300, 0x300, kMstatusMie | kMstatusMpie, kMstatusMpp, "MIE, MPIE; MPP is 3"},
    {"misa", 0x301, 0x301, 0, 0x4000'1104, "32 bits, I, M, C"},
    {"mie", 0x304, 0x304, kMieBits, 0, "enabled interrupts: external, timer, software"},
    {"mtvec", 0x305, 0x305, 0xFFFF'FFFD, 0, "base of the handlers, a multiple of 4; bit 0: vectored"},
    {"mstatush", 0x310, 0x310, 0, 0, "little endian"},
    {"mcountinhibit", 0x320, 0x320, kInhibitCycles | kInhibitRetired, 0, "bit 0: mcycle, bit 2: minstret"},
    {"mhpmevent", 0x323, 0x33F, 0, 0, "3 to 31: none, read as 0"},
    {"mscratch", 0x340, 0x340, 0xFFFF'FFFF, 0, "of the firmware"},
    {"mepc", 0x341, 0x341, 0xFFFF'FFFE, 0, "where a trap came from"},
    {"mcause", 0x342, 0x342, 0xFFFF'FFFF, 0, "why"},
    {"mtval", 0x343, 0x343, 0xFFFF'FFFF, 0, "address or instruction at fault, else 0"},
    {"mip", 0x344, 0x344, 0, 0, "pending interrupts: the state of the three lines"},
    {"mcycle", 0xB00, 0xB00, 0xFFFF'FFFF, 0, "cycles, low 32 bits"},
    {"minstret", 0xB02, 0xB02, 0xFFFF'FFFF, 0, "retired instructions, low 32 bits"},
    {"mhpmcounter", 0xB03, 0xB1F, 0, 0, "3 to 31: none, read as 0"},
    {"mcycleh", 0xB80, 0xB80, 0xFFFF'FFFF, 0, "cycles, high 32 bits"},
    {"minstreth", 0xB82, 0xB82, 0xFFFF'FFFF, 0, "retired instructions, high 32 bits"},
    {"mhpmcounterh", 0xB83, 0xB9F, 0, 0, "3 to 31: none, read as 0"},
    {"mvendorid", 0xF11, 0xF11, 0, 0, "0: not a commercial part"},
    {"marchid", 0xF12, 0xF12, 0, 0, "0: not registered"},
    {"mimpid", 0xF13, 0xF13, 0, 0, "0: not given"},
    {"mhartid", 0xF14, 0xF14, 0, 0, "the one hart is 0"},
    {"mconfigptr", 0xF15, 0xF15, 0, 0, "0: no such structure"},
}};
static_assert(static_cast<size_t>(CpuCsrId::Mconfigptr) + 1 == kCpuCsrs.size());
static_assert([] {
  for (size_t i = 0; i < kCpuCsrs.size(); ++i) {
    if (kCpuCsrs[i].last < kCpuCsrs[i].first || kCpuCsrs[i].last > 0xFFF) return false;
    if (i > 0 && kCpuCsrs[i].first <= kCpuCsrs[i - 1].last) return false;
  }
  return true;
}());

/// A write to these numbers is an illegal instruction [standard RISC-V privileged 20211203, section 2.1].
constexpr bool is_read_only_csr(uint32_t number) { return number >> 10 == 3; }

}  // namespace vernier::spec
