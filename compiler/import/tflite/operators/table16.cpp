// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operators/table16.hpp"

#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/rows32.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;
using tflite::BuiltinOperator;

constexpr int64_t kSteps = 512;
constexpr double kLeast = -32768, kGreatest = 32767;

/// `inverse`: codes of a result of one.
template <typename Float>
std::vector<int64_t> entries_of(const std::function<Float(Float)>& function, Float low, Float high, Float inverse) {
  const Float step = (high - low) / static_cast<Float>(kSteps), half_step = step / 2;
  const auto limited = [](Float number) {
    if (std::isnan(number)) return int64_t{0};
    return static_cast<int64_t>(std::clamp(number, static_cast<Float>(kLeast), static_cast<Float>(kGreatest)));
  };
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < kSteps; ++i) {
    const Float at = low + static_cast<Float>(i) * step;
    const Float value = function(at), next = function(low + static_cast<Float>(i + 1) * step);
    const Float rounded = std::round(value * inverse);
    const Float line = std::round((next * inverse + rounded) / 2);
    const Float error = line - std::round(function(at + half_step) * inverse);
    entries.push_back(limited(rounded - std::round(error / 2)));
  }
  entries.push_back(limited(std::round(function(high) * inverse)));
  return entries;
}

Id table_constant(LiteLowering& lowering, const std::vector<int64_t>& entries) {
  return lowering.graph.add_constant(ElementType::Int16, {kSteps + 1}, entries);
}

/// The operators that LOGISTIC and TANH need besides.
class Numbers : public Rows32 {
 public:
  using Rows32::Rows32;

  Id shifted_right(Id a, int64_t bits) { return right(a, number(bits), false, "part"); }
  /// An entry, of an index that is an exact one.
  Id entry(Id index, const std::vector<int64_t>& entries) {
    const Id at = lowering().rescale(op(), index, {ElementType::Int16, 0, 0, {{int64_t{1} << 30, 30 - 7}}}, "index");
    return lowering().add(op(), OpKind::Table, {}, {at, table_constant(lowering(), entries)}, ElementType::Int32, shape(),
                          "entry");
  }
  Id absolute(Id a) { return lowering().add(op(), OpKind::Abs, {}, {a}, ElementType::Int32, shape(), "size"); }
};

/// The kernel's multiplier to steps of 1 / (3 * 4096), as (code * multiplier + half) / 2^shift.
LiteMultiplier sigmoid_steps(const LiteOperator& op, const LiteTensor& input) {
  int exponent = 0;
  const bool is_power = std::frexp(scale_of(input), &exponent) == 0.5;
  const int more = 12 + exponent - 1;
  LiteMultiplier steps{3, 0};
  if (is_power && (more == 0 || (more == 1 && op.code == BuiltinOperator::TANH))) {
    steps.multiplier <<= more;
  } else {
    double multiplier = scale_of(input) * 4096.0 * 3.0;
    for (; multiplier <= 32767.0 / 2.0 && steps.shift <= 30; ++steps.shift) multiplier *= 2.0;
    if (multiplier > 32767.0)
      refuse("'{}' has a scale of {:g}, allowed are at most {:g}", input.name, scale_of(input), 32767.0 / 4096 / 3);
    steps.multiplier = static_cast<int64_t>(multiplier);
  }
  return lite_more_bits(steps);
}

}  // namespace

std::vector<int64_t> unit_table(const std::function<double(double)>& function, double low, double high) {
  return entries_of<double>(function, low, high, 32768.0);
}

std::vector<int64_t> float_table(const LiteTensor& input, const LiteTensor& output,
                                 const std::function<float(float)>& function) {
  const float scale = input.scales.front(), step = output.scales.front();
  const auto least = static_cast<float>(kLeast), greatest = static_cast<float>(kGreatest);
  return entries_of<float>(function, scale * least, scale * greatest, 65536.0F / (step * greatest - step * least));
}

Id looked_up(LiteLowering& lowering, const LiteOperator& op, Id from, const std::vector<int64_t>& entries) {
  for (size_t i = 0; i + 1 < entries.size(); ++i) {
    if (std::abs(entries[i + 1] - entries[i]) > 32767)
      refuse("the kernel's table jumps from {} to {}, allowed are steps of 32767", entries[i], entries[i + 1]);
  }
  const base::Shape shape = lowering.shape_of(from);
  const Id fine =
      lowering.add(op, OpKind::Table, {}, {from, table_constant(lowering, entries)}, ElementType::Int32, shape, "fine");
  return lowering.rescale(op, fine, {ElementType::Int16, 0, 0, {{int64_t{1} << 30, 37}}, spec::Rounding::Single}, "codes");
}

void lower_sigmoid16(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor& output = lowering.output_codes(op);
  if (output.scales.front() != 1.0F / 32768) refuse("the result's scale is {}, expected 1/32768", output.scales.front());
  const bool is_tanh = op.code == BuiltinOperator::TANH;
  const int fraction = is_tanh ? 8 : 9;  // of a step between two entries
  constexpr size_t kEntries = 256;       // of the logistic function, from 0 on in steps of 1 / 24
  const auto logistic = [](double steps) { return 65536 / (1 + std::exp(-steps / 24)); };
  // Half of the error of the straight line, halfway to the next entry, is added.
  const auto entry = [&](size_t index) -> int64_t {
    if (index + 1 == kEntries) return 65535;
    const auto at = static_cast<double>(index);
    const double error = logistic(at + 0.5) - (logistic(at) + logistic(at + 1)) / 2;
    return std::llround(logistic(at) + error / 2);
  };
  std::vector<int64_t> values(kSteps + 1), differences(kSteps + 1);
  for (size_t i = 0; i < kEntries; ++i) {
    const bool is_last = i + 1 == kEntries;
    const int64_t last = is_tanh ? 65535 : 65534;
    values[kEntries + i] = (is_last ? last : entry(i)) - 32768;
    differences[kEntries + i] = is_last ? 0 : entry(i + 1) - entry(i);
  }
  Numbers numbers(lowering, op, output.shape);
  const Id steps = lowering.rescale(
      op, lowering.value(op, 0),
      {ElementType::Int32, 0, 0, {sigmoid_steps(op, lowering.input_codes(op))}, spec::Rounding::Single}, "steps");
  const Id size = numbers.absolute(steps);
  const Id step = numbers.shifted_right(size, fraction);
  const Id index = numbers.binary(OpKind::Minimum, step, numbers.number(kEntries - 1), "part");
  const Id rest = numbers.binary(OpKind::BitwiseAnd, size, numbers.number((int64_t{1} << fraction) - 1), "part");
  // A TABLE gives 128 times an entry.
  const Id base = numbers.left(numbers.entry(index, values), numbers.number(fraction - 7), "part");
  const Id difference = numbers.shifted_right(numbers.entry(index, differences), 7);
  const Id sum = numbers.add(base, lowering.product(op, rest, difference, output.shape, "part"), "part");
  // `sum` is that of the entry less one half. From there both functions are odd, but for how halves are rounded.
  const Id negative = numbers.sub(numbers.number(0), sum, "part");
  const int64_t whole = is_tanh ? 0 : int64_t{1} << 24, half = is_tanh ? 1 << 7 : 1 << 9;
  const Id up = numbers.add(sum, numbers.number(whole + half), "part");
  const Id down = numbers.add(negative, numbers.number(whole + half - 1), "part");
  const Id result = numbers.shifted_right(numbers.select(numbers.is_positive(steps), up, down), is_tanh ? 8 : 10);
  lowering.finish(op, lowering.rescale(op, result, {ElementType::Int16}, "codes"));
}

void lower_each_code16(LiteLowering& lowering, const LiteOperator& op, const CodeFunction& function) {
  constexpr int64_t kCodes = 32768;
  std::vector<int64_t> results;
  for (int64_t code = 0; code < kCodes; ++code) results.push_back(std::clamp<int64_t>(function(code), -kCodes, kCodes - 1));
  const int64_t count = base::num_elements(lowering.output(op).shape);
  const Id wide = lowering.wide(op, 0, "wide");
  Numbers numbers(lowering, op, lowering.shape_of(wide));
  const Id codes = numbers.binary(OpKind::Maximum, wide, numbers.number(0), "positive");
  const Id at = lowering.reshape(op, codes, {1, count}, "indices");
  const Id values = lowering.graph.add_constant(ElementType::Int16, {1, kCodes, 1}, results);
  const Id found = lowering.add(op, OpKind::Gather, {}, {values, at}, ElementType::Int16, {1, count, 1}, "found");
  lowering.finish(op, lowering.reshape(op, found, lowering.output(op).shape, "shaped"));
}

float alpha_of(const LiteOperator& op) {
  const float alpha = options_of(op, &tflite::Operator::builtin_options_as_LeakyReluOptions).alpha();
  if (!std::isfinite(alpha)) refuse("alpha is {}, allowed are finite numbers", alpha);
  return alpha;
}

void lower_pieces16(LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &input = lowering.input_codes(op), &output = lowering.output_codes(op);
  Numbers numbers(lowering, op, output.shape);
  const Id wide = lowering.wide(op, 0, "wide");
  const double ratio = static_cast<double>(input.scales.front() / output.scales.front());
  if (op.code == BuiltinOperator::ABS)
    return lowering.finish(op, lowering.to_codes(op, numbers.absolute(wide), input.scales == output.scales ? 1 : ratio));
  if (op.code == BuiltinOperator::RELU || op.code == BuiltinOperator::RELU6) {
    const float most = op.code == BuiltinOperator::RELU6 ? std::round(6.0F / output.scales.front()) : 32767.0F;
    const ir::ClampAttributes limits{0, static_cast<int64_t>(std::min(most, 32767.0F))};
    return lowering.finish(op, lowering.add(op, OpKind::Clamp, limits, {lowering.to_codes(op, wide, ratio)},
                                            ElementType::Int16, output.shape, "limited"));
  }
  if (op.code != BuiltinOperator::LEAKY_RELU) refuse("INT16, allowed is INT8, as the kernel has it");
  if (alpha_of(op) < 0) refuse("alpha is {}, allowed are numbers from 0 on for INT16", alpha_of(op));
  const float less_ratio = input.scales.front() * alpha_of(op) / output.scales.front();
  const Id less = lowering.to_codes(op, wide, static_cast<double>(less_ratio)), same = lowering.to_codes(op, wide, ratio);
  lowering.finish(op, numbers.select(numbers.is_positive(wide), same, less));
}

}  // namespace vernier::import::lite
