// SPDX-License-Identifier: Apache-2.0
// A control CPU with 64 KiB of memory at address 0; everything above faults. An access that breaks the contract of
// riscv::Bus throws.
#pragma once

#include "sim/riscv/cpu.hpp"

#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace vernier::tests::rv {

class Ram : public riscv::Bus {
 public:
  static constexpr uint32_t kBytes = 0x10000;

  riscv::BusReply fetch(uint32_t address, uint32_t num_bytes) override {
    ++num_fetches;
    require(num_bytes == (address % 4 == 0 ? 4U : 2U) && address % 2 == 0, "a fetch");
    return read(address, num_bytes, fetch_cycles);
  }
  riscv::BusReply load(uint32_t address, uint32_t num_bytes) override {
    ++num_loads;
    require_aligned(address, num_bytes);
    if (on_access) on_access();
    return read(address, num_bytes, data_cycles);
  }
  riscv::BusReply store(uint32_t address, uint32_t num_bytes, uint32_t value) override {
    ++num_stores;
    require_aligned(address, num_bytes);
    require(num_bytes == 4 || value >> (8 * num_bytes) == 0, "a store with bits beyond its bytes");
    if (on_access) on_access();
    if (address > kBytes - num_bytes) return {.extra_cycles = data_cycles, .is_fault = true};
    std::memcpy(&bytes[address], &value, num_bytes);
    return {.extra_cycles = data_cycles};
  }

  std::vector<uint8_t> bytes = std::vector<uint8_t>(kBytes);
  uint32_t fetch_cycles = 0, data_cycles = 0;  // the extra ones of each access
  int64_t num_fetches = 0, num_loads = 0, num_stores = 0;
  std::function<void()> on_access;

 private:
  static void require(bool is_kept, const char* what) {
    if (!is_kept) throw std::logic_error(what);
  }
  static void require_aligned(uint32_t address, uint32_t num_bytes) {
    require((num_bytes == 1 || num_bytes == 2 || num_bytes == 4) && address % num_bytes == 0, "an access");
  }
  riscv::BusReply read(uint32_t address, uint32_t num_bytes, uint32_t extra_cycles) {
    riscv::BusReply reply{.extra_cycles = extra_cycles, .is_fault = address > kBytes - num_bytes};
    if (!reply.is_fault) std::memcpy(&reply.value, &bytes[address], num_bytes);
    return reply;
  }
};

struct Machine {
  Ram ram;
  riscv::Cpu cpu{ram};

  Machine() { cpu.reset(0); }
  void put(uint32_t address, const std::vector<uint32_t>& words) {
    std::memcpy(&ram.bytes[address], words.data(), 4 * words.size());
    cpu.invalidate_decoded();
  }
  [[nodiscard]] uint32_t word(uint32_t address) const {
    uint32_t value = 0;
    std::memcpy(&value, &ram.bytes[address], 4);
    return value;
  }
  /// 32 or, where the low bits say so, 16 bits at `pc`, executed.
  riscv::Step execute(uint32_t instruction, uint32_t pc = 0x100) {
    std::memcpy(&ram.bytes[pc], &instruction, (instruction & 3) == 3 ? 4 : 2);
    cpu.invalidate_decoded();
    cpu.set_pc(pc);
    return cpu.step();
  }
};

}  // namespace vernier::tests::rv
