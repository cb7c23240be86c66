// SPDX-License-Identifier: Apache-2.0
// The values of a vector program: which step reads what which step wrote. Steps stand in the order of their phases.
#pragma once

#include "hw/spec/vector_cycles.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace vernier::spec {

/// One register operand of one step.
struct VectorRead {
  size_t reader = 0;
  int64_t VectorStep::*operand = &VectorStep::a;
  size_t writer = 0;        // whose result it is for the first vector
  size_t writer_later = 0;  // and for all others; `reader` itself or a later step: of the vector before
  [[nodiscard]] bool is_carried() const { return writer != writer_later; }
};

/// Nothing when a step reads a register that no step has written.
std::optional<std::vector<VectorRead>> find_reads(const VectorCommand& command);

/// Results that have to lie in one register, because one operand reads now one and now another: an accumulator has a writer
/// in Init and one in Body. Mostly a value has one writer.
struct VectorValue {
  std::vector<size_t> writers;
  std::vector<size_t> reads;  // indices into find_reads()
  /// Whether each vector of Body has its own: it then lies in a register that turns.
  bool is_of_vector = false;
};
std::vector<VectorValue> find_values(const VectorCommand& command, const std::vector<VectorRead>& reads);

}  // namespace vernier::spec
