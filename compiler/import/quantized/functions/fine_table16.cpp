// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/fine_table16.hpp"

#include "compiler/import/quantized/functions/requantize.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::import::quantized {

namespace {

using base::ElementType;
using ir::OpKind;

constexpr int64_t kNumCodes = 65536, kLeastCode = -32768;
constexpr int64_t kMostCorners = 6, kMostFraction = 14, kLeastFraction = 8;
constexpr double kCorner = 1.0 / 32;  // change of the slope from one code to the next, in steps: float32 noise is less
constexpr double kNear = 1024;        // steps outside of the codes
constexpr double kFlat = 1.0 / 64;    // steps that a curve bends by at least, to be worth its operators

int64_t bits_of(double number) {
  int exponent = 0;
  static_cast<void>(std::frexp(number, &exponent));
  return std::max(exponent, 0);
}

int64_t halved(int64_t number, int64_t shift) {
  return shift == 0 ? number : (number + (int64_t{1} << (shift - 1))) >> shift;
}

int64_t interpolated(const std::vector<int64_t>& entries, int64_t i) {
  const auto at = static_cast<size_t>(i / kTableStride);
  return entries[at] * kTableStride + (entries[at + 1] - entries[at]) * (i % kTableStride);
}

/// What the graph adds for a corner.
int64_t beyond(const FineTable::Corner& corner, int64_t i) {
  return halved(std::max<int64_t>(i + kLeastCode - corner.code, 0) * corner.slope, corner.shift);
}

struct Bend {
  size_t at;
  double slope;
};

/// Where the slope jumps, also a little outside of the quantizer's codes: lines between entries would come back into them.
/// None of a function that is steep as a whole.
std::vector<Bend> bends_of(const std::vector<double>& exact, const Quantizer& quantizer) {
  std::vector<Bend> bends;
  for (size_t i = 1; i + 1 < exact.size(); ++i) {
    const double slope = exact[i + 1] - 2 * exact[i] + exact[i - 1];
    const bool is_inside = exact[i] >= static_cast<double>(quantizer.least) - kNear &&
                           exact[i] <= static_cast<double>(quantizer.greatest) + kNear;
    if (std::fabs(slope) > kCorner && is_inside) bends.push_back({i, slope});
    if (static_cast<int64_t>(bends.size()) > kMostCorners) return {};
  }
  return bends;
}

/// The greatest number on the way to a result: what is left without the corners, then one after the other.
double reach_of(const std::vector<double>& exact, const std::vector<Bend>& bends) {
  double greatest = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    double sum = exact[i];
    greatest = std::max(greatest, std::fabs(sum));
    for (auto bend = bends.rbegin(); bend != bends.rend(); ++bend) {
      const double beyond = i > bend->at ? bend->slope * static_cast<double>(i - bend->at) : 0;
      sum -= beyond;
      greatest = std::max({greatest, std::fabs(sum), std::fabs(beyond)});
    }
  }
  return greatest + 1;
}

bool fits_table(const std::vector<int64_t>& entries) {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (std::abs(entries[i]) > kGreatestTableEntry) return false;
    if (i > 0 && std::abs(entries[i] - entries[i - 1]) > kGreatestTableEntry) return false;
  }
  return true;
}

/// At each 128th code; the last one continues the line to the greatest code.
std::vector<double> knots_of(const std::vector<double>& smooth) {
  std::vector<double> knots;
  for (size_t i = 0; i < smooth.size(); i += kTableStride) knots.push_back(smooth[i]);
  const double rise = smooth.back() - knots.back();
  knots.push_back(knots.back() + rise * kTableStride / (kTableStride - 1));
  return knots;
}

/// What a line between two knots misses, in steps: from its middle, and from what its quarters miss beyond that.
struct Missed {
  std::vector<double> curve, twist;
};
Missed missed_by(const std::vector<double>& smooth, const std::vector<double>& knots) {
  constexpr size_t kQuarter = kTableStride / 4, kHalf = kTableStride / 2;
  Missed missed{std::vector<double>(kTableEntries), std::vector<double>(kTableEntries)};
  for (size_t i = 0; i + 1 < knots.size(); ++i) {
    const auto below_line = [&](size_t t) {
      const double line = knots[i] + (knots[i + 1] - knots[i]) * static_cast<double>(t) / kTableStride;
      return (line - smooth[i * kTableStride + t]) / static_cast<double>(t * (kTableStride - t));
    };
    missed.curve[i] = below_line(kHalf);
    missed.twist[i] = (below_line(kQuarter) - below_line(3 * kQuarter)) / kTableStride;
  }
  return missed;
}

int exponent_of(const std::vector<double>& numbers) {
  double greatest = 0;
  for (const double number : numbers) greatest = std::max(greatest, std::fabs(number));
  int exponent = 0;
  static_cast<void>(std::frexp(greatest, &exponent));
  return exponent;
}

std::vector<int64_t> scaled(const std::vector<double>& numbers, int bits) {
  std::vector<int64_t> result;
  for (const double number : numbers) result.push_back(std::llround(std::ldexp(number, bits)));
  return result;
}

void set_curve(FineTable& table, const std::vector<double>& smooth, const std::vector<double>& knots) {
  const Missed missed = missed_by(smooth, knots);
  const int curve_bits = 14 - exponent_of(missed.curve),
            twist_bits = std::min(14 - exponent_of(missed.twist), curve_bits + 14);
  const int bits = std::min(curve_bits, twist_bits);
  const int64_t shift = bits + 7 - table.fraction_bits;
  if (std::ldexp(kTableStride * kTableStride / 4.0, exponent_of(missed.curve)) < kFlat || shift < 0 || shift > 62) return;
  table.curve_shift = shift;
  table.twist_shift = twist_bits - bits;
  table.curve = scaled(missed.curve, bits);
  table.twist = scaled(missed.twist, twist_bits);
}

}  // namespace

int64_t FineTable::at(int64_t i) const {
  int64_t result = interpolated(high, i) * (int64_t{1} << high_shift) + halved(interpolated(low, i), low_shift);
  const int64_t t = i % kTableStride;
  if (!curve.empty()) {
    const auto entry = static_cast<size_t>(i / kTableStride);
    const int64_t twisted = halved(kTableStride * twist[entry] * (2 * t - kTableStride), twist_shift);
    result -= halved((kTableStride * curve[entry] - twisted) * t * (kTableStride - t), curve_shift);
  }
  for (const Corner& corner : corners) result += beyond(corner, i);
  return result;
}

std::optional<FineTable> fine_table(const std::vector<double>& exact, const Quantizer& quantizer, bool has_curve) {
  const std::vector<Bend> bends = bends_of(exact, quantizer);
  FineTable table;
  table.fraction_bits = std::min(kMostFraction, 29 - bits_of(reach_of(exact, bends)));
  if (table.fraction_bits < kLeastFraction) return std::nullopt;
  for (const Bend& bend : bends) {
    const int64_t shift = std::min<int64_t>(29 - table.fraction_bits - bits_of(std::fabs(bend.slope)), 29);
    const double units = std::ldexp(bend.slope, static_cast<int>(table.fraction_bits + shift));
    table.corners.push_back({static_cast<int64_t>(bend.at) + kLeastCode, std::llround(units), shift});
    if (shift < 0) return std::nullopt;
  }
  std::vector<double> smooth = exact;
  for (size_t i = 0; i < smooth.size(); ++i) {
    for (const FineTable::Corner& corner : table.corners)
      smooth[i] -=
          std::ldexp(static_cast<double>(beyond(corner, static_cast<int64_t>(i))), -static_cast<int>(table.fraction_bits));
  }
  const std::vector<double> knots = knots_of(smooth);
  double most = 0;
  for (const double knot : knots) most = std::max(most, std::fabs(knot));
  const int64_t coarse = bits_of(most / kGreatestTableEntry), fine = 14 - coarse;
  if (coarse > 8) return std::nullopt;
  for (const double knot : knots) {
    table.high.push_back(std::llround(std::ldexp(knot, -static_cast<int>(coarse))));
    const double rest = knot - std::ldexp(static_cast<double>(table.high.back()), static_cast<int>(coarse));
    table.low.push_back(std::llround(std::ldexp(rest, static_cast<int>(fine))));
  }
  table.high_shift = coarse + table.fraction_bits - 7;
  table.low_shift = fine + 7 - table.fraction_bits;
  if (table.low_shift < 0) return std::nullopt;
  if (has_curve) set_curve(table, smooth, knots);
  const bool fits = fits_table(table.high) && fits_table(table.low) && fits_table(table.curve) && fits_table(table.twist);
  return fits ? std::optional(table) : std::nullopt;
}

ir::TensorId add_fine_table(Lowering& lowering, const Value& value, const FineTable& table, const std::string& name) {
  GraphBuilder& graph = lowering.graph;
  const base::Shape shape = graph.tensor(value.tensor).shape;
  const auto number = [&](int64_t one) {
    return graph.add_constant(ElementType::Int32, base::Shape(shape.size(), 1), {one});
  };
  const auto combined = [&](OpKind kind, const ir::Attributes& attributes, ir::TensorId a, ir::TensorId b,
                            const char* what) {
    return graph.add(kind, attributes, {a, b}, {ElementType::Int32, shape, name + what}, value.layer);
  };
  const auto looked_up = [&](ir::TensorId index, const std::vector<int64_t>& entries, const char* what) {
    return graph.add(OpKind::Table, {}, {index, graph.add_constant(ElementType::Int16, {kTableEntries}, entries)},
                     {ElementType::Int32, shape, name + what}, value.layer);
  };
  const auto multiplied = [&](ir::TensorId a, ir::TensorId b, int64_t shift, const char* what) {
    return graph.add(OpKind::Mul, {}, {a, b, graph.add_scalar(ElementType::Int8, shift)},
                     {ElementType::Int32, shape, name + what}, value.layer);
  };
  ir::TensorId sum = combined(OpKind::LogicalLeftShift, {}, looked_up(value.tensor, table.high, "_high"),
                              number(table.high_shift), "_units");
  const bool has_low = std::any_of(table.low.begin(), table.low.end(), [](int64_t low) { return low != 0; });
  if (has_low) {
    const ir::TensorId low = combined(OpKind::ArithmeticRightShift, ir::ShiftAttributes{table.low_shift > 0},
                                      looked_up(value.tensor, table.low, "_low"), number(table.low_shift), "_low_units");
    sum = combined(OpKind::Add, {}, sum, low, "_line");
  }
  if (table.curve.empty() && table.corners.empty()) return sum;
  const ir::TensorId code =
      add_rescale(lowering, value, value.tensor, {ElementType::Int32, 0, 0, {{int64_t{1} << 30, 30}}}, name + "_code");
  if (!table.curve.empty()) {
    const ir::TensorId t = combined(OpKind::BitwiseAnd, {}, code, number(kTableStride - 1), "_t");
    const ir::TensorId first = combined(OpKind::Sub, {}, code, t, "_first");  // of the 128 codes, where lines begin
    const ir::TensorId index =
        add_rescale(lowering, value, first, {ElementType::Int16, 0, 0, {{int64_t{1} << 30, 30}}}, name + "_index");
    const ir::TensorId left = combined(OpKind::Sub, {}, number(kTableStride), t, "_left");
    const ir::TensorId twisted = multiplied(looked_up(index, table.twist, "_twist"),
                                            combined(OpKind::Sub, {}, t, left, "_middle"), table.twist_shift, "_twisted");
    const ir::TensorId curve = combined(OpKind::Sub, {}, looked_up(index, table.curve, "_curve"), twisted, "_cubic");
    const ir::TensorId missed = multiplied(curve, multiplied(t, left, 0, "_bow"), table.curve_shift, "_missed");
    sum = combined(OpKind::Sub, {}, sum, missed, "_curved");
  }
  for (const FineTable::Corner& corner : table.corners) {
    const ir::TensorId above = combined(OpKind::Sub, {}, code, number(corner.code), "_above");
    const ir::TensorId beyond = combined(OpKind::Maximum, {}, above, number(0), "_beyond");
    sum = combined(OpKind::Add, {}, sum, multiplied(beyond, number(corner.slope), corner.shift, "_slope"), "_with_corner");
  }
  return sum;
}

}  // namespace vernier::import::quantized
