// SPDX-License-Identifier: Apache-2.0
// Which steps of vector commands have run: operation x type x phase. The type is that of a step's stream with its sign, of a
// rescale its output's with its sign, of a shift, a wrap and a table the step's own; other operations have 32 bits and no
// type.
#pragma once

#include "hw/spec/command.hpp"

#include <set>
#include <string>
#include <vector>

namespace vernier::cosim {

class VectorCoverage {
 public:
  /// A command that the RTL runs.
  void count(const spec::VectorCommand& command);
  [[nodiscard]] int64_t num_hit() const { return static_cast<int64_t>(hit_.size()); }
  [[nodiscard]] static int64_t num_legal();
  /// "load of uint8, final".
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  std::set<int> hit_;
};

}  // namespace vernier::cosim
