// SPDX-License-Identifier: Apache-2.0
// Some of a step's operands, by their numbers. Plans have such a set for each step, and a search asks for millions of them:
// it is one word, with no memory of its own.
#pragma once

#include "hw/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace vernier::schedule {

class OperandSet {
 public:
  static constexpr size_t kMost = 32;  // more than any step has

  OperandSet() = default;
  OperandSet(std::initializer_list<size_t> operands) {
    for (const size_t operand : operands) insert(operand);
  }

  void insert(size_t operand) {
    VERNIER_CHECK(operand < kMost, "a step has more than {} operands", kMost);
    bits_ |= uint32_t{1} << operand;
  }
  [[nodiscard]] bool has(size_t operand) const { return (bits_ >> operand & 1U) != 0; }
  [[nodiscard]] bool is_empty() const { return bits_ == 0; }
  auto operator<=>(const OperandSet&) const = default;

 private:
  uint32_t bits_ = 0;
};

}  // namespace vernier::schedule
