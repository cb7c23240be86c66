// SPDX-License-Identifier: Apache-2.0
// Which steps of vector commands have run: operation x type x phase. The type is that of a step's stream with its sign, of a
// rescale its output's with its sign, of a shift, a wrap and a table the step's own; other operations have 32 bits and no
// type. Where operands are counted too: the class of the elements of the first stream x the operation that takes them x
// their type.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vernier::cosim {

class VectorCoverage {
 public:
  /// A command that the RTL runs.
  void count(const spec::VectorCommand& command);
  /// The class of a command that was drawn.
  void count_drawn(const DrawnWork& drawn);
  /// From now on classes of operands are bins too.
  void count_operands() { counts_operands_ = true; }
  [[nodiscard]] int64_t num_hit() const;
  [[nodiscard]] int64_t num_legal() const;
  /// "load of uint8, final"; "maximum, extreme operands of int16".
  [[nodiscard]] std::vector<std::string> missing() const;
  /// A command of a class of operands that has not been hit, while there is one.
  [[nodiscard]] std::optional<DrawnWork> draw_missing(const spec::Datapath& datapath, const kernels::TableMemory& tables,
                                                      Random& random) const;

 private:
  std::set<int> hit_, hit_operands_;
  bool counts_operands_ = false;
};

}  // namespace vernier::cosim
