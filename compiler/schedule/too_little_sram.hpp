// SPDX-License-Identifier: Apache-2.0
// A program that does not fit the SRAM, and what it would take instead.
#pragma once

#include <cstdint>
#include <exception>

namespace vernier::schedule {

/// The least SRAM that a program takes; the same whatever size the machine has.
struct SramNeed {
  int64_t bytes = 0;         // 0: no size that a machine may have is taken, because the plans have too many commands
  int64_t num_attempts = 0;  // plans that were carried out to find it
};

/// The front door of the compiler makes a UserError of it, which names the file.
class TooLittleSram : public std::exception {
 public:
  TooLittleSram(const SramNeed& need, bool has_too_many_commands)
      : need_(need), has_too_many_commands_(has_too_many_commands) {}
  [[nodiscard]] const SramNeed& need() const { return need_; }
  /// Whether the SRAM has room for each step's least parts, but they are too many.
  [[nodiscard]] bool has_too_many_commands() const { return has_too_many_commands_; }
  [[nodiscard]] const char* what() const noexcept override { return "more SRAM than the machine has"; }

 private:
  SramNeed need_;
  bool has_too_many_commands_;
};

}  // namespace vernier::schedule
