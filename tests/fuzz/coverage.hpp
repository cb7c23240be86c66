// SPDX-License-Identifier: Apache-2.0
// Which operators ran with which types, and how it went.
#pragma once

#include "tests/fuzz/oracle.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vernier::tests::fuzz {

class Coverage {
 public:
  void add(const ir::Graph& graph, const Verdict& verdict);
  /// Operators by types and verdicts, then the totals.
  [[nodiscard]] std::string text() const;
  /// Operators with types of the table that never came out equal; operators without a maker.
  /// Too few graphs that little SRAM cuts are said at the end.
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  using Counts = std::array<int64_t, 3>;  // by Verdict::Kind
  std::map<std::string, Counts> operators_;
  std::map<std::string, int64_t> refusals_;
  Counts graphs_{};
  int64_t elements_ = 0, commands_ = 0, cycles_ = 0;
  int64_t tight_ = 0, cut_ = 0;  // graphs whose Verdict::is_cut is set; true
};

}  // namespace vernier::tests::fuzz
