// SPDX-License-Identifier: Apache-2.0
// Functions of 16-bit codes where one TABLE is not near enough: an entry for every 128th code and straight lines between
// them miss what bends (Tanh) and what has a corner (LeakyRelu). Here three tables and some arithmetic on the code do it.
#pragma once

#include "compiler/import/quantized/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::quantized {

// TOSA's TABLE of int16: an entry of 16 bits for every 128th code.
inline constexpr int64_t kTableEntries = 513, kTableStride = 128, kGreatestTableEntry = 32767;

class Lowering;

/// Results of a function for all 65,536 codes, in steps of the quantizer, its zero point added. With x the code, f the
/// result and t what x is above the last multiple of 128:
///   f = line(high) + line(low) - (curve - twist (2 t - 128)) t (128 - t) + sum of slope * max(x - corner, 0)
/// `high` and `low` are the results at each 128th code, in two parts of 16 bits; `curve` and `twist` make a cubic of the
/// line from one of them to the next. All of it is int32, in units of 2^-fraction_bits of a step.
struct FineTable {
  struct Corner {
    int64_t code, slope, shift;  // the slope changes by slope / 2^shift units for each code
  };
  int64_t fraction_bits = 0;
  int64_t high_shift = 0, low_shift = 0;         // 128 high << high_shift, 128 low >> low_shift
  std::vector<int64_t> high, low, curve, twist;  // 513 each; no curve and no twist: none
  int64_t twist_shift = 0;                       // 128 twist (2 t - 128) >> twist_shift, which 128 curve is less
  int64_t curve_shift = 0;                       // that times t (128 - t) >> curve_shift
  std::vector<Corner> corners;

  /// What the graph computes for the i-th code from the least, in units.
  [[nodiscard]] int64_t at(int64_t i) const;
};

/// `exact`: the results for all codes. None where they rise too steeply.
std::optional<FineTable> fine_table(const std::vector<double>& exact, const Quantizer& quantizer, bool has_curve);

/// The units of a step, as int32, for the 16-bit codes of the value.
ir::TensorId add_fine_table(Lowering& lowering, const Value& value, const FineTable& table, const std::string& name);

}  // namespace vernier::import::quantized
