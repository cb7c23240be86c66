// SPDX-License-Identifier: Apache-2.0
// Programs of random instructions that stay alive: most loads and stores find memory, most jumps find code, and no
// instruction overwrites another one.
#pragma once

#include "tests/unit/sim_riscv/random_words.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace vernier::tests::rv {

inline constexpr uint32_t kHandler = 0x0800, kCode = 0x1000, kCodeEnd = 0x2000, kData = 0x4000, kDataEnd = 0x6000;

/// x2, x8 and x9 point into the data, and nothing but a jump into the middle of an instruction changes them.
constexpr bool is_base(uint32_t reg) { return reg == 2 || reg == 8 || reg == 9; }

class RandomProgram {
 public:
  explicit RandomProgram(RandomWords& random) : random_(random) {}
  /// The bytes from kCode to kCodeEnd.
  std::vector<uint16_t> code();
  /// The registers with which the program starts.
  std::array<uint32_t, 32> registers();

 private:
  void append(uint32_t word);
  void append_instruction();
  void append_memory_access();
  void append_jump();
  void append_short();
  void append_csr_access();
  /// A register that may take a result.
  uint32_t target();
  uint32_t base() { return random_.pick(std::array<uint32_t, 3>{2, 8, 9}); }

  RandomWords& random_;
  std::vector<uint16_t> halves_;
};

}  // namespace vernier::tests::rv
