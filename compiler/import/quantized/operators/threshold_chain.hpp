// SPDX-License-Identifier: Apache-2.0
// Float operators between sums and a quantizer of at most 4 bits, or MultiThreshold: BatchNormalization, most of all. Each
// is monotone for every channel, so that the codes are counts of integer thresholds (thresholds.hpp); these are found by
// evaluating the operators in float32, in their order, as the source's runtime does. Exact, whatever the scales are.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <map>
#include <set>
#include <vector>

namespace vernier::import::quantized {

class ThresholdChains {
 public:
  /// Finds them: each operator has one input that is computed, and one reader.
  explicit ThresholdChains(const Network& network);

  /// Whether an operator is part of a chain, and is lowered with its quantizer.
  [[nodiscard]] bool is_inner(const Node& node) const { return inner_.contains(&node); }
  /// The first operator of the quantizer's chain; without one the node itself.
  [[nodiscard]] const Node& first_of(const Node& node) const;
  /// The operators of the quantizer's chain, in the order of the network.
  [[nodiscard]] const std::vector<const Node*>& before(const Node& quantizer) const;
  /// Lowers the quantizer with its chain; false where it has none, or where what the chain reads is no sum: operators on
  /// codes of 8 bits, unless they end in MultiThreshold, are functions and sums of their own, and those before any quantizer
  /// are the host's.
  bool lower(Lowering& lowering, const Node& quantizer) const;

 private:
  std::map<const Node*, std::vector<const Node*>> chains_;  // by quantizer
  std::set<const Node*> inner_;
};

}  // namespace vernier::import::quantized
