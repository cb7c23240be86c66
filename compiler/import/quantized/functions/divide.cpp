// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/divide.hpp"

#include "compiler/import/quantized/functions/requantize.hpp"
#include "compiler/import/quantized/functions/sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using base::Rounding;
using ir::OpKind;
using Numbers = std::vector<int64_t>;

constexpr int64_t kMostSteps = int64_t{1} << 29;  // what RESCALE by 2^30 >> 30 takes
constexpr int64_t kMostGridBits = 22, kLeastGridBits = 12;

/// int32 operators on one tensor after the other, with constants along one axis.
class Steps {
 public:
  Steps(Lowering& lowering, const Value& value, ir::TensorId tensor, int64_t axis, std::string name)
      : lowering_(lowering), value_(value), tensor_(tensor), name_(std::move(name)) {
    const auto place = std::find(value.order.begin(), value.order.end(), axis);
    dimension_ = static_cast<size_t>(place - value.order.begin());
  }

  [[nodiscard]] ir::TensorId tensor() const { return tensor_; }
  /// tensor OP constant, unless the constant is 0 everywhere, where OP does nothing to a number.
  void apply(OpKind kind, const Numbers& operand, const char* what) {
    if (!is_zero(operand)) tensor_ = combined(kind, tensor_, operand, what);
  }
  void add(ir::TensorId other, const char* what) { tensor_ = result(OpKind::Add, tensor_, other, what); }
  /// What divides by 2^halvings with ties up then rounds half to even.
  void make_ties_even(const Numbers& halvings) {
    tensor_ = even_ties(lowering_, value_, tensor_, {halvings, dimension_, false}, name_);
  }
  /// Divided by 2^shifts, ties up.
  void halve_with_ties_up(const Numbers& shifts) {
    if (is_zero(shifts)) return;
    const GraphBuilder::Result number{ElementType::Int32, lowering_.graph.tensor(tensor_).shape, name_ + "_halved"};
    tensor_ = lowering_.graph.add(OpKind::ArithmeticRightShift, ir::ShiftAttributes{true}, {tensor_, constant(shifts)},
                                  number, value_.layer);
  }
  /// Whether RESCALE can take a number for each index.
  [[nodiscard]] bool is_along_channels() const { return dimension_ + 1 == value_.order.size(); }
  [[nodiscard]] ir::TensorId combined(OpKind kind, ir::TensorId tensor, const Numbers& operand, const char* what) {
    return result(kind, tensor, constant(operand), what);
  }
  static bool is_zero(const Numbers& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](int64_t number) { return number == 0; });
  }

 private:
  [[nodiscard]] ir::TensorId constant(const Numbers& numbers) {
    base::Shape shape(lowering_.graph.tensor(tensor_).shape.size(), 1);
    if (numbers.size() > 1) shape.at(dimension_) = static_cast<int64_t>(numbers.size());
    return lowering_.graph.add_constant(ElementType::Int32, shape, numbers);
  }
  ir::TensorId result(OpKind kind, ir::TensorId a, ir::TensorId b, const char* what) {
    const GraphBuilder::Result number{ElementType::Int32, lowering_.graph.tensor(tensor_).shape, name_ + what};
    if (kind != OpKind::ArithmeticRightShift) return lowering_.graph.add(kind, {}, {a, b}, number, value_.layer);
    return lowering_.graph.add(kind, ir::ShiftAttributes{false}, {a, b}, number, value_.layer);
  }

  Lowering& lowering_;
  const Value& value_;
  ir::TensorId tensor_;
  std::string name_;
  size_t dimension_ = 0;
};

/// What is added before the shift, for numbers from 0 on and for those below. Both 0 where nothing is halved.
struct Addends {
  int64_t from_zero = 0, below_zero = 0;
};
Addends addends_of(Rounding rounding, int64_t halvings) {
  if (halvings <= 0) return {};
  const int64_t half = int64_t{1} << (halvings - 1), last = 2 * half - 1;
  switch (rounding) {
    case Rounding::Ceil: return {last, last};
    case Rounding::Up: return {last, 0};
    case Rounding::Down: return {0, last};
    case Rounding::TiesUp: return {half, half};
    case Rounding::HalfUp: return {half, half - 1};
    case Rounding::HalfDown: return {half - 1, half};
    default: return {};
  }
}

/// n / 2^halvings by a mode other than HalfEven. The shift alone is Floor; each other mode is an addend and Floor.
void round_off(Steps& steps, const Numbers& halvings, Rounding rounding) {
  Numbers shifts, from_zero, differences;
  for (const int64_t k : halvings) {
    const Addends addends = addends_of(rounding, k);
    shifts.push_back(std::max<int64_t>(k, 0));
    from_zero.push_back(addends.from_zero);
    differences.push_back(addends.below_zero - addends.from_zero);
  }
  const ir::TensorId number = steps.tensor();
  if (!Steps::is_zero(differences)) {
    const ir::TensorId sign = steps.combined(OpKind::ArithmeticRightShift, number, {31}, "_sign");
    steps.add(steps.combined(OpKind::BitwiseAnd, sign, differences, "_below_zero"), "_signed");
  }
  steps.apply(OpKind::Add, from_zero, "_addend");
  steps.apply(OpKind::ArithmeticRightShift, shifts, "_halved");
}

int64_t at(const Numbers& numbers, size_t i) { return numbers[numbers.size() == 1 ? 0 : i]; }

/// The steps of a value: what is left of its zero points once its tensor is int32.
Numbers zeros_left(const Value& value) {
  Numbers zeros = value.format.zero_points;
  const int64_t gone = value.format.bits == 8 ? zeros.front() : 0;
  for (int64_t& zero : zeros) zero -= gone;
  return zeros;
}

/// Multiplications, and the addends; what `round_off` divides.
void prepare(Steps& steps, const Value& value, const Division& division) {
  const Numbers zeros = zeros_left(value);
  const size_t count = std::max({zeros.size(), division.halvings.size(), division.addends.size()});
  Numbers doublings, addends;
  for (size_t i = 0; i < count; ++i) {
    const int64_t k = at(division.halvings, i), doubling = std::max<int64_t>(-k, 0);
    const bool fits = k < 29 && doubling < 29 && value.magnitude < kMostSteps >> doubling &&
                      std::abs(at(division.addends, i)) < kMostSteps && std::abs(at(zeros, i)) < kMostSteps >> doubling;
    if (!fits)
      refuse("{} steps divided by 2^{} with {} added are more than 29 bits hold", value.magnitude, k,
             at(division.addends, i));
    doublings.push_back(doubling);
    addends.push_back(at(division.addends, i) - (at(zeros, i) << doubling));
  }
  const auto is_alike = [](const Numbers& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [&](int64_t number) { return number == numbers.front(); });
  };
  if (is_alike(doublings)) doublings.resize(1);
  if (is_alike(addends)) addends.resize(1);
  steps.apply(OpKind::LogicalLeftShift, doublings, "_doubled");
  steps.apply(OpKind::Add, addends, "_offset");
}

/// Divides, and gives the halvings that are left to RESCALE, which rounds ties up: those of HalfEven where nothing is added
/// between the two.
Numbers divide(Steps& steps, const Numbers& halvings, const Quantizer& quantizer) {
  if (quantizer.rounding != Rounding::HalfEven) {
    round_off(steps, halvings, quantizer.rounding);
    return {0};
  }
  Numbers shifts;
  for (const int64_t k : halvings) shifts.push_back(std::max<int64_t>(k, 0));
  steps.make_ties_even(shifts);
  const Format& format = quantizer.format;
  const bool has_addend = format.bits > 16 || (format.bits == 16 && source_offset(format) != 0);
  if (!has_addend && (shifts.size() == 1 || steps.is_along_channels())) return shifts;
  steps.halve_with_ties_up(shifts);
  return {0};
}

/// 1 from zero on, -1 below: the sign bit, which is 0 or -1, doubled, plus 1.
ir::TensorId sign_of(Lowering& lowering, const Value& value, Steps& steps, const std::string& name) {
  steps.apply(OpKind::ArithmeticRightShift, {31}, "_sign");
  return add_rescale(lowering, value, steps.tensor(), {ElementType::Int8, 0, 1, {{int64_t{1} << 30, 29}}}, name);
}

}  // namespace

Value divided_by(Lowering& lowering, const Value& value, const Division& division, const Quantizer& quantizer,
                 const std::string& name) {
  const Format& format = quantizer.format;
  Steps steps(lowering, value, widened(lowering, value, name), division.axis, name);
  prepare(steps, value, division);
  const int64_t low = code_of(value.low, quantizer), high = code_of(value.high, quantizer);
  if (quantizer.rounding == Rounding::Sign) {
    ir::TensorId tensor = sign_of(lowering, value, steps, name);
    if (low > quantizer.least || high < quantizer.greatest)
      tensor = add_clamp(lowering, value, tensor, low, high, name + "_clamp");
    return with_tensor(value, quantizer, tensor);
  }
  const Numbers left = divide(steps, division.halvings, quantizer);
  if (format.bits > 16) return with_tensor(value, quantizer, steps.tensor());
  int64_t offset = -source_offset(format);
  if (format.bits == 16) {  // which has no zero point in RESCALE
    steps.apply(OpKind::Add, {offset}, "_signed_code");
    offset = 0;
  }
  Rescale rescale{element_type(format.bits), 0, offset, {}};
  for (const int64_t k : left) rescale.multipliers.push_back({int64_t{1} << 30, 30 + k});
  ir::TensorId tensor = add_rescale(lowering, value, steps.tensor(), rescale, name);
  if (low > format.least() || high < format.greatest())
    tensor = add_clamp(lowering, value, tensor, low, high, name + "_clamp");
  return with_tensor(value, quantizer, tensor);
}

Value divided(Lowering& lowering, const Value& value, const Quantizer& quantizer, const std::string& name) {
  const Format &from = value.format, &to = quantizer.format;
  if (from.is_per_axis() && to.is_per_axis() && from.axis != to.axis)
    refuse("scales go along axis {} and are to go along axis {}", from.axis, to.axis);
  if (!quantizer.adds_zero_point_first) refuse("codes of {} bits with several scales, or with a zero point", to.bits);
  const size_t count = std::max(from.scales.size(), to.scales.size());
  std::vector<double> factors;
  Division division{{}, {}, from.is_per_axis() ? from.axis : to.axis};
  size_t num_exact = 0;
  for (size_t i = 0; i < count; ++i) {
    factors.push_back(from.scales[from.is_per_axis() ? i : 0] / to.scales[to.is_per_axis() ? i : 0]);
    const int64_t zero_point = at(to.zero_points, i) + source_offset(to);
    const std::optional<int64_t> k = halvings_of(factors.back());
    if (k || (quantizer.rounding == Rounding::Sign && zero_point == 0)) ++num_exact;
    division.halvings.push_back(k.value_or(0));
    division.addends.push_back(zero_point * (int64_t{1} << std::clamp<int64_t>(k.value_or(0), 0, 31)));
  }
  if (num_exact == count) return divided_by(lowering, value, division, quantizer, name);

  // A grid that is finer by a power of two, then that division.
  if (!Steps::is_zero(zeros_left(value)))
    refuse("codes of {} bits with a zero point are scaled by no power of two", from.bits);
  const double reach = static_cast<double>(value.magnitude) * *std::max_element(factors.begin(), factors.end());
  const auto fits = [&](int64_t bits) {
    return std::ldexp(reach + 1, static_cast<int>(bits)) < 0x1p28 && std::abs(zero_point_of(to)) < int64_t{1} << (28 - bits);
  };
  int64_t bits = kMostGridBits;
  while (bits >= kLeastGridBits && !fits(bits)) --bits;
  const bool is_along_channels = count == 1 || value.order.back() == division.axis;
  if (bits < kLeastGridBits && value.is_wide() && value.magnitude < int64_t{1} << 31 && is_along_channels) {
    // Numbers that are beyond all codes may be cut off.
    const int64_t most = to.greatest() - to.least() + std::abs(zero_point_of(to)) + 2;
    const Value within = cut_off(lowering, value, factors, static_cast<double>(most), name);
    if (within.magnitude < value.magnitude) return divided(lowering, within, quantizer, name);
  }
  if (bits < kLeastGridBits)
    refuse("numbers of up to {:g} steps are rounded by mode {}, which takes more than 29 bits", reach,
           base::to_string(quantizer.rounding));
  if (count > 1 && value.order.back() != division.axis)
    refuse("scales go along dimension {}, expected the channels", division.axis);
  for (double& factor : factors) factor = std::ldexp(factor, static_cast<int>(bits));
  Value grid = value;
  grid.tensor = add_rescale(lowering, value, widened(lowering, value, name),
                            {ElementType::Int32, 0, 0, multipliers_of(value, factors)}, name + "_grid");
  grid.format = to;
  grid.format.bits = 32;
  for (double& scale : grid.format.scales) scale = std::ldexp(scale, -static_cast<int>(bits));
  std::fill(grid.format.zero_points.begin(), grid.format.zero_points.end(), 0);
  grid.magnitude = static_cast<int64_t>(std::ldexp(reach + 1, static_cast<int>(bits)));
  return divided(lowering, grid, quantizer, name);
}

}  // namespace vernier::import::quantized
