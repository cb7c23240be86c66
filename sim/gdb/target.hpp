// SPDX-License-Identifier: Apache-2.0
// What a debugger sees and changes of a CPU of RV32: registers and memory. It is asked only while the CPU stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace vernier::gdb {

inline constexpr uint32_t kNumRegisters = 32;

class Target {
 public:
  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  virtual ~Target() = default;

  /// `number` is 0 to 31. x0 is 0 whatever is written.
  [[nodiscard]] virtual uint32_t reg(uint32_t number) const = 0;
  virtual void set_reg(uint32_t number, uint32_t value) = 0;
  [[nodiscard]] virtual uint32_t pc() const = 0;
  virtual void set_pc(uint32_t pc) = 0;
  /// nullopt where no control and status register has that number.
  [[nodiscard]] virtual std::optional<uint32_t> csr(uint32_t number) const = 0;
  /// False where there is none, or where it is read-only.
  virtual bool set_csr(uint32_t number, uint32_t value) = 0;

  /// Fills `bytes` from the address on. Returns how many of them there are before the first that cannot be read; the address
  /// space ends after 2^32 - 1.
  virtual size_t read_memory(uint32_t address, std::span<std::byte> bytes) = 0;
  /// False where a byte cannot be written; those before it may have been.
  virtual bool write_memory(uint32_t address, std::span<const std::byte> bytes) = 0;

  /// Since the release of the CPU.
  [[nodiscard]] virtual int64_t cycles() const = 0;
  [[nodiscard]] virtual int64_t instructions() const = 0;
};

}  // namespace vernier::gdb
