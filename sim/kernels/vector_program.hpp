// SPDX-License-Identifier: Apache-2.0
// Private to sim/kernels: what can be said about a microprogram before it runs.
#pragma once

#include "hw/spec/command.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace vernier::kernels {

struct VectorProgram {
  explicit VectorProgram(const spec::VectorCommand& command);

  [[nodiscard]] const std::vector<const spec::VectorStep*>& steps(spec::VectorPhase phase) const {
    return phases[static_cast<size_t>(phase)];
  }

  std::array<std::vector<const spec::VectorStep*>, 3> phases;  // in order
  /// Some register may hold a 48-bit value.
  bool has_wide;
  /// The vectors may be worked on side by side instead of one after another, with the same result: no step reads a register
  /// that an earlier kept position or vector left, and no byte is stored twice.
  bool is_independent;
};

}  // namespace vernier::kernels
