// SPDX-License-Identifier: Apache-2.0
// How far totals of many graphs are from the model's on the core with its memory.
#pragma once

#include "tests/fuzz/oracle.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::tests::fuzz {

class CoreSpread {
 public:
  void add(uint64_t seed, const CoreTotals& totals) { graphs_.push_back({seed, totals}); }
  [[nodiscard]] bool is_empty() const { return graphs_.empty(); }
  /// One line: mean, most of 99 in 100, and the worst with its seed.
  [[nodiscard]] std::string text() const;
  /// The same figures as an object, with `kind` and `config` of the graphs.
  [[nodiscard]] std::string json(const std::string& kind, const std::string& config) const;

 private:
  struct Graph {
    uint64_t seed;
    CoreTotals totals;
  };
  [[nodiscard]] const Graph& worst() const;
  /// Without sign, in ascending order.
  [[nodiscard]] std::vector<double> percents() const;
  [[nodiscard]] double mean_percent() const;        // of all cycles of RTL against all of the model
  [[nodiscard]] double most_of_99_percent() const;  // what 99 of 100 graphs do not exceed
  std::vector<Graph> graphs_;
};

}  // namespace vernier::tests::fuzz
