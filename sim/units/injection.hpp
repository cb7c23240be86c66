// SPDX-License-Identifier: Apache-2.0
// A fault that is put into a running machine on purpose: one bit, one token, one transfer, one interrupt.
#pragma once

#include <cstdint>
#include <optional>

namespace vernier::units {

enum class FaultSite : uint8_t {
  Accumulator,  // a sum, behind the last product and before bias and rescale; INDEX over [row][column][channel]
  Weight,       // a byte of the weights that a command reads, for that command alone; INDEX in its weights
  Sram,         // a byte of SRAM; INDEX is its address
  Command,      // a byte of the command stream; INDEX in the stream
  Token,        // the next token that is given does not arrive; INDEX: of those, which
  Dma,          // the next copy from or to external memory gets a bus error; INDEX: of those, which
  // Of the control system. Cycles count from the release of the control CPU.
  BusAccess,          // the next access of the control CPU to the bus gets an error response; INDEX: of those, which
  InterruptLost,      // the next time that a line rises the interrupt controller does not see it; INDEX: an InterruptSource
  InterruptSpurious,  // a line that is low counts as high until it is claimed; INDEX: an InterruptSource
  DoorbellLost,       // the next bit that is set in a doorbell is lost; INDEX 0: the host's to the CPU, 1: the firmware's
  NpuRegister,        // INDEX in spec::kRegisters
  CpuRegister,        // INDEX: x1 to x31
  Ram,                // a byte of the control CPU's memory; INDEX in it
  SharedMemory        // a byte of the memory with the ring of jobs; INDEX in it
};
/// Whether a site is in the control system: only a machine with a control CPU has it.
constexpr bool is_of_control_system(FaultSite site) { return site >= FaultSite::BusAccess; }

/// Of what is not given, a command on the array takes the lowest index and the highest bit below the sign that change what
/// it leaves.
struct Injection {
  FaultSite site = FaultSite::Accumulator;
  int64_t cycle = 0;
  int32_t command_idx =
      -1;  // Accumulator, Weight: the command that is on the array in that cycle; Command: whose byte it is
  std::optional<int64_t> index;  // given but for Accumulator and Weight
  std::optional<int> bit;        // given where a bit of a memory or a register changes
};

/// Whether there is a fault, and it is one of the control system.
constexpr bool is_of_control_system(const std::optional<Injection>& injection) {
  return injection && is_of_control_system(injection->site);
}

/// What it was in the end.
struct InjectedFault {
  int64_t index = 0;
  int bit = 0;
  int32_t command_idx =
      -1;  // the command that was hit: on the array, in the stream, the giver of the token, the copy; -1: none was
  bool operator==(const InjectedFault&) const = default;
};

}  // namespace vernier::units
