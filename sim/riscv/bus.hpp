// SPDX-License-Identifier: Apache-2.0
// What the control CPU asks of the rest of the machine.
#pragma once

#include <cstdint>

namespace vernier::riscv {

struct BusReply {
  uint32_t value = 0;         // of a load or fetch: the bytes, little endian; those beyond the access are 0
  uint32_t extra_cycles = 0;  // beyond those of spec::kCpuCycles, which hold for memory that answers at once
  bool is_fault = false;      // an access fault; nothing has been read or written
};

/// During a call Cpu::cycles() is the cycle in which the instruction began. A call may change the CPU's interrupt lines, and
/// may ask Cpu::run() to return after this instruction. It never calls step(), run() or reset().
class Bus {
 public:
  Bus() = default;
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;
  virtual ~Bus() = default;

  /// An instruction's bytes: 4 at a multiple of 4, else 2. The CPU keeps what it has decoded (Cpu), so that a fetch is not
  /// seen again each time; its extra cycles count again each time.
  virtual BusReply fetch(uint32_t address, uint32_t num_bytes) = 0;
  /// 1, 2 or 4 bytes at a multiple of their number.
  virtual BusReply load(uint32_t address, uint32_t num_bytes) = 0;
  /// Like load(). `value` has no bits beyond the access.
  virtual BusReply store(uint32_t address, uint32_t num_bytes, uint32_t value) = 0;
};

}  // namespace vernier::riscv
