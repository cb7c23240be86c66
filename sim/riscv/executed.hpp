// SPDX-License-Identifier: Apache-2.0
// What a trace of the control CPU is made of.
#pragma once

#include <cstdint>
#include <functional>

namespace vernier::riscv {

/// One instruction that was executed, or one entry of an interrupt.
struct Executed {
  enum class Kind : uint8_t {
    Retired,       // it was executed
    Trapped,       // it raised the exception `cause`
    NotFetched,    // the same, and its bytes are not known
    Interruption,  // no instruction: the interrupt `cause` was taken before the instruction at `pc`
  };
  Kind kind = Kind::Retired;
  int64_t cycle = 0;  // in which it began
  uint32_t pc = 0;
  uint32_t word = 0;  // 16 or 32 bits, as fetched
  uint8_t num_bytes = 0;
  uint8_t rd = 0;      // the register that it wrote; 0: none
  uint32_t value = 0;  // of that register, afterwards
  uint32_t cause = 0;  // as in mcause, without the bit of interrupts

  struct Store {
    uint32_t address = 0, num_bytes = 0, value = 0;  // of these bytes
    bool operator==(const Store&) const = default;
  };
  Store store{};  // that the bus took; num_bytes 0: none
};

/// Called after each of them, in their order.
using ExecutionObserver = std::function<void(const Executed&)>;

}  // namespace vernier::riscv
