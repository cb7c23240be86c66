// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/threshold_rescale.hpp"

#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/wide.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostFineBits = 12, kGreatestShifted = int64_t{1} << 29;

/// A line through what sums become, negated where the count falls: factor * (sum + offset), without the zero point.
struct Line {
  double factor, offset;
};

struct FineRescale {
  int64_t bits;
  std::vector<int64_t> addends;
  std::vector<Multiplier> multipliers;
};

/// Through the first and the last threshold that a sum can reach; none of an index that has fewer than two.
std::optional<Line> line_of(const Thresholds& thresholds, size_t index, int64_t magnitude,
                            const std::function<double(int64_t, size_t)>& number, double zero_point) {
  std::vector<int64_t> inside;
  for (const std::vector<int64_t>& level : thresholds.levels) {
    if (level[index] > -magnitude && level[index] <= magnitude) inside.push_back(level[index]);
  }
  if (inside.size() < 2 || inside.front() == inside.back()) return std::nullopt;
  const int64_t sign = thresholds.is_falling[index] ? -1 : 1;
  const double first = number(sign * inside.front(), index), last = number(sign * inside.back(), index);
  const double factor = (last - first) / static_cast<double>(inside.back() - inside.front());
  if (!std::isfinite(factor) || !(factor > 0)) return std::nullopt;
  return Line{factor, (first - zero_point) / factor - static_cast<double>(inside.front())};
}

/// Whether the RESCALE reaches each level of the index from the same sum on.
bool has_levels(const FineRescale& rescale, const Thresholds& thresholds, size_t index, int64_t magnitude,
                const Quantizer& quantizer) {
  const auto [multiplier, shift] = rescale.multipliers[index];
  const auto reaches = [&, multiplier = multiplier, shift = shift](int64_t sum, int64_t code) {
    const int64_t fine = sum * (int64_t{1} << rescale.bits) + rescale.addends[index];
    return ((fine * multiplier + (int64_t{1} << (shift - 1))) >> shift) >= code;
  };
  int64_t code = quantizer.least - zero_point_of(quantizer.format);
  for (const std::vector<int64_t>& level : thresholds.levels) {
    ++code;
    const int64_t first = level[index];
    const bool begins = first > magnitude || reaches(first, code);
    const bool is_first = first <= -magnitude || !reaches(first - 1, code);
    if (!begins || !is_first) return false;
  }
  return true;
}

std::optional<FineRescale> fine_rescale(const Thresholds& thresholds, int64_t magnitude,
                                        const std::function<double(int64_t, size_t)>& number, const Quantizer& quantizer) {
  const auto zero_point = static_cast<double>(zero_point_of(quantizer.format));
  std::vector<Line> lines;
  double reach = 0;
  for (size_t index = 0; index < thresholds.is_falling.size(); ++index) {
    const std::optional<Line> line = line_of(thresholds, index, magnitude, number, zero_point);
    if (!line) return std::nullopt;
    lines.push_back(*line);
    reach = std::max(reach, static_cast<double>(magnitude) + std::fabs(line->offset) + 1);
  }
  FineRescale rescale{kMostFineBits, {}, {}};
  while (rescale.bits > 0 && std::ldexp(reach, static_cast<int>(rescale.bits)) >= static_cast<double>(kGreatestShifted))
    --rescale.bits;
  if (std::ldexp(reach, static_cast<int>(rescale.bits)) >= static_cast<double>(kGreatestShifted)) return std::nullopt;
  for (size_t index = 0; index < lines.size(); ++index) {
    rescale.addends.push_back(std::llround(std::ldexp(lines[index].offset, static_cast<int>(rescale.bits))));
    const Multiplier one = multiplier_of(std::ldexp(lines[index].factor, -static_cast<int>(rescale.bits)));
    if (one.shift < 31 || one.shift > 62) return std::nullopt;  // 2^29 numbers are within what RESCALE takes
    rescale.multipliers.push_back(one);
    if (!has_levels(rescale, thresholds, index, magnitude, quantizer)) return std::nullopt;
  }
  return rescale;
}

}  // namespace

std::optional<Value> rescaled_counts(Lowering& lowering, const Value& value, const Thresholds& thresholds,
                                     const std::function<double(int64_t sum, size_t index)>& number,
                                     const Quantizer& quantizer, const std::string& name) {
  const bool is_taken = value.format.bits == 32 && thresholds.levels.size() > 1 && !quantizer.format.is_per_axis() &&
                        quantizer.format.bits == 8 && lowering.left(value.tensor) == nullptr &&
                        (thresholds.is_falling.size() == 1 || value.order.back() == thresholds.axis);
  if (!is_taken) return std::nullopt;
  const std::optional<FineRescale> rescale = fine_rescale(thresholds, value.magnitude, number, quantizer);
  if (!rescale) return std::nullopt;
  GraphBuilder& graph = lowering.graph;
  ir::TensorId tensor = widened(lowering, value, name);
  const base::Shape shape = graph.tensor(tensor).shape;
  const auto combined = [&](ir::OpKind kind, const std::vector<int64_t>& numbers, const char* what) {
    base::Shape along(shape.size(), 1);
    along.back() = static_cast<int64_t>(numbers.size());
    const ir::TensorId operand = graph.add_constant(base::ElementType::Int32, along, numbers);
    tensor = graph.add(kind, {}, {tensor, operand}, {base::ElementType::Int32, shape, name + what}, value.layer);
  };
  if (std::find(thresholds.is_falling.begin(), thresholds.is_falling.end(), true) != thresholds.is_falling.end()) {
    base::Shape along(shape.size(), 1);
    along.back() = static_cast<int64_t>(thresholds.is_falling.size());
    std::vector<int64_t> signs;
    for (const bool is_falling : thresholds.is_falling) signs.push_back(is_falling ? -1 : 1);
    tensor = graph.add(
        ir::OpKind::Mul, {},
        {tensor, graph.add_constant(base::ElementType::Int32, along, signs), graph.add_scalar(base::ElementType::Int8, 0)},
        {base::ElementType::Int32, shape, name + "_rising"}, value.layer);
  }
  if (rescale->bits > 0) combined(ir::OpKind::LogicalLeftShift, {rescale->bits}, "_finer");
  combined(ir::OpKind::Add, rescale->addends, "_with_addend");
  const bool is_one = rescale->multipliers.size() == 1;
  const std::vector<Multiplier> multipliers =
      is_one ? std::vector<Multiplier>{rescale->multipliers.front()} : rescale->multipliers;
  tensor = add_rescale(lowering, value, tensor, {base::ElementType::Int8, 0, zero_point_of(quantizer.format), multipliers},
                       name + "_rescaled");
  tensor = add_clamp(lowering, value, tensor, quantizer.least, quantizer.greatest, name);
  return with_tensor(value, quantizer, tensor);
}

}  // namespace vernier::import::quantized
