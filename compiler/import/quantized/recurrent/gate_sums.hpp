// SPDX-License-Identifier: Apache-2.0
// Sums of products for gates: codes of 8 or 16 bits times weights of 16 bits, plus a bias, as int32 in steps of a power of
// two. A weight is 256 times one number of 8 bits plus another one: two convolutions, whose sums are rounded to the steps of
// the result and added. The weights of a row have a power of two as their step, so that the largest has 15 bits or 16.
#pragma once

#include "compiler/import/quantized/recurrent/layer.hpp"

#include <cstdint>
#include <vector>

namespace vernier::import::quantized {

/// Real numbers: rows of weights for numbers, and what is added to each row.
struct GateRows {
  std::vector<double> weights;  // [rows, columns]
  std::vector<double> bias;     // of each row
};
/// The sums for numbers [batch, columns] that are known: a constant [1, 1, batch, rows].
ir::TensorId known_sums(Lowering& lowering, const GateRows& rows, const std::vector<double>& numbers, int64_t unit_bits);
/// Some of the rows.
GateRows rows_from(const GateRows& rows, int64_t first, int64_t count);
/// Rows of weights and biases, each times the factor of its gate.
GateRows gate_rows(const std::vector<double>& weights, const std::vector<double>& bias, const std::vector<double>& factors);
/// The bits of the steps in which 2^27 hold the sums of both, for numbers of up to these reaches. NodeMistake where they are
/// too coarse.
int64_t unit_bits_of(const GateRows& a, double reach_a, const GateRows& b, double reach_b);

class GateSums {
 public:
  /// For codes of that format; the result has steps of 2^-unit_bits, and its sums are below 2^27 of them. NodeMistake where
  /// 32 bits do not hold the sums of codes of 8 bits.
  GateSums(Lowering& lowering, const Node& node, const GateRows& rows, const Format& codes, int64_t unit_bits);

  /// The sums int32 [1, height, width, rows] for codes [1, height, width, columns].
  [[nodiscard]] ir::TensorId of(Arithmetic& math, ir::TensorId codes) const;

 private:
  struct Part {
    ir::TensorId weights = -1, bias = -1;
    std::vector<Multiplier> multipliers;
  };
  Part part_of(const std::vector<int64_t>& weights, std::vector<int64_t> bias, const std::vector<int64_t>& halvings) const;
  [[nodiscard]] ir::TensorId sums_of(const Part& part, ir::TensorId codes) const;

  Lowering& lowering_;
  const Node& node_;
  int64_t num_rows_, num_columns_, zero_point_;
  base::ElementType type_, sum_type_;
  Part high_, low_;
  ir::TensorId addend_ = -1;  // after all; -1 for none
};

/// The sums of the input for all steps of a layer: int32 [1, steps, batch, rows].
ir::TensorId input_sums_of(Lowering& lowering, Arithmetic& math, const RecurrentLayer& layer, const GateRows& rows,
                           int64_t unit_bits);

}  // namespace vernier::import::quantized
