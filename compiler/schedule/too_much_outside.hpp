// SPDX-License-Identifier: Apache-2.0
// A program that needs more external memory than addresses reach.
#pragma once

#include "compiler/passes/program.hpp"
#include "hw/config/machine_config.hpp"

#include <cstdint>
#include <exception>
#include <vector>

namespace vernier::schedule {

/// The front door of the compiler makes a UserError of it, which names the file.
class TooMuchOutside : public std::exception {
 public:
  TooMuchOutside(int64_t needed_bytes, bool is_least) : needed_bytes_(needed_bytes), is_least_(is_least) {}
  [[nodiscard]] int64_t needed_bytes() const { return needed_bytes_; }
  /// Whether it is a lower bound, not what a finished plan needs.
  [[nodiscard]] bool is_least() const { return is_least_; }
  [[nodiscard]] const char* what() const noexcept override { return "more external memory than addresses reach"; }

 private:
  int64_t needed_bytes_;
  bool is_least_;
};

/// What every plan puts outside: in memory mode external the graph's inputs and outputs, and feature maps larger than the
/// SRAM. Throws TooMuchOutside when that alone is too much, before anything is planned.
void require_room_outside(const passes::Program& program, const config::MachineConfig& config);
/// The same with the feature maps that a plan has outside (by BufferId): all but the image.
void require_room_outside(const passes::Program& program, const config::MachineConfig& config,
                          const std::vector<bool>& is_outside);

}  // namespace vernier::schedule
