// SPDX-License-Identifier: Apache-2.0
// What both lock-steps ask of Unicorn.
#pragma once

#include "sim/riscv/executed.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <unicorn/unicorn.h>

namespace vernier::tests::rv {

/// Throws where a call of Unicorn has failed.
inline void check_unicorn(uc_err error) {
  if (error != UC_ERR_OK) throw std::runtime_error(fmt::format("Unicorn: {}", uc_strerror(error)));
}

inline std::array<uint32_t, 32> registers_of(uc_engine* engine) {
  std::array<uint32_t, 32> values{};
  std::array<int, 32> numbers{};
  std::array<void*, 32> places{};
  for (size_t i = 0; i < values.size(); ++i) {
    numbers[i] = UC_RISCV_REG_X0 + static_cast<int>(i);
    places[i] = &values[i];
  }
  check_unicorn(uc_reg_read_batch(engine, numbers.data(), places.data(), static_cast<int>(places.size())));
  return values;
}

/// From the arguments of a hook for stores.
inline riscv::Executed::Store store_of(uint64_t address, int num_bytes, int64_t value) {
  return {static_cast<uint32_t>(address), static_cast<uint32_t>(num_bytes),
          static_cast<uint32_t>(value) & (0xFFFF'FFFFU >> (32 - 8 * num_bytes))};
}

}  // namespace vernier::tests::rv
