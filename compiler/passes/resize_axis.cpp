// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0, RESIZE: an output lies at (output * denominator + offset) / numerator of the input, clamped at the edges.
#include "compiler/passes/resize_axis.hpp"

#include "hw/base/division.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::passes {
namespace {

struct Axis {
  int64_t numerator = 1, denominator = 1, offset = 0, inputs = 1;

  /// The phase of a single output.
  [[nodiscard]] AxisPhase at(int64_t output, bool is_bilinear) const {
    const int64_t scaled = output * denominator + offset;
    const int64_t whole = base::floor_div(scaled, numerator), fraction = base::floor_mod(scaled, numerator);
    const int64_t first = std::clamp<int64_t>(whole, 0, inputs - 1), second = std::clamp<int64_t>(whole + 1, 0, inputs - 1);
    AxisPhase phase;
    phase.out_begin = output;
    phase.in_begin = first;
    if (!is_bilinear) {
      phase.in_begin = 2 * fraction >= numerator ? second : first;
      phase.weights = {1};
    } else if (first == second || fraction == 0) {
      phase.weights = {numerator};
    } else {
      phase.weights = {numerator - fraction, fraction};
    }
    return phase;
  }
};

}  // namespace

std::vector<AxisPhase> resize_phases(const Lowering& lowering, const ir::Operator& op, size_t axis, bool may_stand_still) {
  const bool is_bilinear = op.attributes_as<ir::ResizeAttributes>().bilinear;
  const base::Tensor& scale = lowering.constant_operand(op, 1, "scale");
  const base::Tensor& offset = lowering.constant_operand(op, 2, "offset");
  const auto at = static_cast<int64_t>(axis);
  const Axis geometry{scale.at(2 * at), scale.at(2 * at + 1), offset.at(at), lowering.shape(op.inputs[0])[1 + axis]};
  const int64_t outputs = lowering.shape(op.outputs[0])[1 + axis];
  if (geometry.inputs == 1 && may_stand_still) {
    AxisPhase phase = geometry.at(0, is_bilinear);
    phase.out_count = outputs;
    phase.in_step = 0;
    return {phase};
  }
  // Outputs a period apart have equal fractions, and inputs that are as far apart every time.
  const int64_t common = std::gcd(geometry.numerator, geometry.denominator);
  const int64_t period = std::min(geometry.numerator / common, outputs), advance = geometry.denominator / common;
  std::vector<AxisPhase> phases;
  for (int64_t first = 0; first < period; ++first) {
    bool is_new = true;
    for (int64_t output = first; output < outputs; output += period) {
      AxisPhase phase = geometry.at(output, is_bilinear);
      phase.out_step = period;
      phase.in_step = advance;
      if (!is_new) {
        AxisPhase& last = phases.back();
        if (phase.weights == last.weights && phase.in_begin == last.in_begin + last.out_count * advance) {
          ++last.out_count;
          continue;
        }
      }
      phases.push_back(std::move(phase));
      is_new = false;
    }
  }
  return phases;
}

}  // namespace vernier::passes
