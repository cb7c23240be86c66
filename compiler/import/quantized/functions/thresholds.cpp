// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/thresholds.hpp"

#include "compiler/import/quantized/functions/requantize.hpp"

#include <algorithm>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

/// The least number in [low, high] for which `holds`, of which high is taken to be one.
template <typename Holds>
int64_t first_of(int64_t low, int64_t high, const Holds& holds) {
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// int32 operators with constants along one dimension of a tensor.
class Counter {
 public:
  Counter(Lowering& lowering, const Value& value, int64_t axis, std::string name)
      : lowering_(lowering),
        value_(value),
        name_(std::move(name)),
        dimension_(static_cast<size_t>(std::find(value.order.begin(), value.order.end(), axis) - value.order.begin())) {}

  ir::TensorId combined(OpKind kind, ir::TensorId tensor, const std::vector<int64_t>& operand, const char* what) {
    const base::Shape& full = lowering_.graph.tensor(tensor).shape;
    base::Shape shape(full.size(), 1);
    if (operand.size() > 1) shape.at(dimension_) = static_cast<int64_t>(operand.size());
    return result(kind, tensor, lowering_.graph.add_constant(ElementType::Int32, shape, operand), what);
  }
  ir::TensorId result(OpKind kind, ir::TensorId a, ir::TensorId b, const char* what) {
    GraphBuilder& graph = lowering_.graph;
    const GraphBuilder::Result number{ElementType::Int32, graph.tensor(a).shape, name_ + what};
    if (kind == OpKind::ArithmeticRightShift)
      return graph.add(kind, ir::ShiftAttributes{false}, {a, b}, number, value_.layer);
    if (kind != OpKind::Mul) return graph.add(kind, {}, {a, b}, number, value_.layer);
    return graph.add(kind, {}, {a, b, graph.add_scalar(ElementType::Int8, 0)}, number, value_.layer);
  }

 private:
  Lowering& lowering_;
  const Value& value_;
  std::string name_;
  size_t dimension_;
};

}  // namespace

Thresholds find_thresholds(const std::function<int64_t(int64_t steps, size_t index)>& function,
                           const std::vector<int64_t>& firsts, int64_t magnitude, size_t num_indices) {
  if (magnitude >= kMostThresholdSteps) refuse("sums of up to {} steps are more than 29 bits hold", magnitude);
  Thresholds thresholds;
  thresholds.levels.assign(firsts.size(), std::vector<int64_t>(num_indices));
  for (size_t index = 0; index < num_indices; ++index) {
    const bool is_falling = function(-magnitude, index) > function(magnitude, index);
    thresholds.is_falling.push_back(is_falling);
    for (size_t level = 0; level < firsts.size(); ++level)
      thresholds.levels[level][index] = first_of(-magnitude, magnitude + 1, [&](int64_t steps) {
        return function(is_falling ? -steps : steps, index) >= firsts[level];
      });
  }
  return thresholds;
}

Value counted(Lowering& lowering, const Value& value, const Thresholds& thresholds, const Quantizer& quantizer,
              int64_t least, int64_t step, const std::string& name) {
  Counter counter(lowering, value, thresholds.axis, name);
  ir::TensorId steps = widened(lowering, value, name);
  std::vector<int64_t> zeros = value.format.zero_points;  // `widened` takes those of 8 bits off
  for (int64_t& zero : zeros) zero = value.format.bits == 8 ? 0 : -zero;
  if (std::any_of(zeros.begin(), zeros.end(), [](int64_t zero) { return zero != 0; }))
    steps = counter.combined(OpKind::Add, steps, zeros, "_steps");
  if (std::find(thresholds.is_falling.begin(), thresholds.is_falling.end(), true) != thresholds.is_falling.end()) {
    std::vector<int64_t> signs;
    for (const bool is_falling : thresholds.is_falling) signs.push_back(is_falling ? -1 : 1);
    steps = counter.combined(OpKind::Mul, steps, signs, "_rising");
  }
  ir::TensorId sum = -1;  // less 1 for each level that is not reached
  for (std::vector<int64_t> level : thresholds.levels) {
    for (int64_t& threshold : level) threshold = -threshold;
    const ir::TensorId distance = counter.combined(OpKind::Add, steps, level, "_distance");
    const ir::TensorId below = counter.combined(OpKind::ArithmeticRightShift, distance, {31}, "_below");
    sum = sum < 0 ? below : counter.result(OpKind::Add, sum, below, "_count");
  }
  const auto num_levels = static_cast<int64_t>(thresholds.levels.size());
  const Multiplier multiplier{int64_t{1} << 30, step == 2 ? 29 : 30};
  const ir::TensorId codes =
      add_rescale(lowering, value, sum, {ElementType::Int8, 0, least + step * num_levels, {multiplier}}, name);
  return with_tensor(value, quantizer, codes);
}

}  // namespace vernier::import::quantized
