// SPDX-License-Identifier: Apache-2.0
// The firmware beside Unicorn: what the control CPU has executed in the machine, Unicorn executes once more on memories of
// its own. Before each instruction the place and all registers are compared, after each store what was stored.
//
// Unicorn has the firmware memory and the RAM. What the CPU reads elsewhere, from devices and from what the NPU and the host
// write, Unicorn is given. It is told of interrupts, and of what CSR instructions, mret and wfi do, since its CSRs differ
// (tests/unit/sim_riscv compares those that do not).
#pragma once

#include "sim/riscv/executed.hpp"
#include "sim/soc/firmware_program.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unicorn/unicorn.h>
#include <vector>

namespace vernier::soc {

class FirmwareLockstep {
 public:
  explicit FirmwareLockstep(const FirmwareProgram& program);
  ~FirmwareLockstep();
  FirmwareLockstep(const FirmwareLockstep&) = delete;
  FirmwareLockstep& operator=(const FirmwareLockstep&) = delete;

  /// The CPU begins again: registers 0, memories as the program has them.
  void boot();
  /// In the order in which the CPU has executed them.
  void take(const riscv::Executed& executed);
  /// Follows all that was taken. Returns the first difference, or an empty string.
  const std::string& finish();

  [[nodiscard]] int64_t num_compared() const { return num_compared_; }
  [[nodiscard]] int64_t num_told() const { return num_told_; }
  [[nodiscard]] int64_t num_given_reads() const { return num_given_reads_; }
  [[nodiscard]] int64_t num_stores() const { return num_stores_; }

 private:
  static void on_instruction(uc_engine* engine, uint64_t address, uint32_t num_bytes, void* self);
  static void on_read(uc_engine* engine, uc_mem_type type, uint64_t address, int num_bytes, int64_t value, void* self);
  static void on_store(uc_engine* engine, uc_mem_type type, uint64_t address, int num_bytes, int64_t value, void* self);

  void follow();
  void before_instruction(uint32_t pc);
  void tell(const riscv::Executed& executed);
  void compare_last();
  void differ(const std::string& text);

  const FirmwareProgram& program_;
  uc_engine* engine_ = nullptr;
  std::vector<riscv::Executed> taken_;
  size_t next_ = 0;                                  // of taken_: the one that Unicorn is before
  std::array<uint32_t, 32> registers_{};             // after the last one
  riscv::Executed::Store stored_{}, their_store_{};  // of the last one
  std::optional<uint32_t> their_pc_;                 // where Unicorn stopped by itself
  std::string difference_;
  int64_t num_compared_ = 0, num_told_ = 0, num_given_reads_ = 0, num_stores_ = 0;
};

}  // namespace vernier::soc
