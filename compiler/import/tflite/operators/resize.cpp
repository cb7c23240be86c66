// SPDX-License-Identifier: Apache-2.0
// RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR, with each way to place the pixels. RESIZE has whole-number positions: where
// the kernel's are the same, it is used, else rows and columns are gathered.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/rows.hpp"
#include "compiler/import/tflite/operators/rows32.hpp"
#include "hw/base/division.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace vernier::import::lite {

namespace {

using base::ElementType;
using ir::OpKind;

/// How pixels are placed.
struct Placing {
  bool align_corners, half_pixel_centers;
};

/// Position o of the result reads position (o * denominator + offset) / numerator of the input.
struct Positions {
  int64_t numerator, denominator, offset, border;
};

/// The two positions beside a result and the part of 1024 that the second one has.
struct Beside {
  std::vector<int64_t> first, second, part;
};

constexpr int64_t kParts = 1024;

std::vector<int64_t> nearest(int64_t size, int64_t results, const Placing& placing) {
  const bool is_aligned = placing.align_corners && results > 1;
  const float scale = is_aligned ? static_cast<float>(size - 1) / static_cast<float>(results - 1)
                                 : static_cast<float>(size) / static_cast<float>(results);
  const float offset = placing.half_pixel_centers ? 0.5F : 0.0F;
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < results; ++i) {
    const float at = (static_cast<float>(i) + offset) * scale;
    const auto row = static_cast<int64_t>(placing.align_corners ? std::round(at) : std::floor(at));
    rows.push_back(std::clamp<int64_t>(row, 0, size - 1));
  }
  return rows;
}

Beside beside(int64_t size, int64_t results, const Placing& placing) {
  const bool is_aligned = placing.align_corners && results > 1;
  const int64_t from = is_aligned ? size - 1 : size, to = is_aligned ? results - 1 : results;
  const int64_t scale = (kParts * from + to / 2) / to;
  Beside result;
  for (int64_t i = 0; i < results; ++i) {
    const int64_t at = placing.half_pixel_centers ? i * scale + scale / 2 - kParts / 2 : i * scale;
    const int64_t first = std::max<int64_t>(at / kParts, 0);
    // Left of the first pixel the kernel takes that pixel twice, with a part that is negative.
    result.first.push_back(std::min(first, size - 1));
    result.second.push_back(std::clamp<int64_t>((at + kParts - 1) / kParts, 0, size - 1));
    result.part.push_back(at - kParts * first);
  }
  return result;
}

/// The positions of TOSA for one direction. Of a side of one element all are that one.
Positions positions(int64_t size, int64_t results, const Placing& placing) {
  if (size == 1) return {results, 1, 0, results - 1};
  const bool is_aligned = placing.align_corners && results > 1;
  int64_t numerator = is_aligned ? results - 1 : results, denominator = is_aligned ? size - 1 : size;
  const int64_t divisor = std::gcd(numerator, denominator);
  numerator /= divisor, denominator /= divisor;
  Positions result{numerator, denominator, 0, 0};
  if (placing.half_pixel_centers || (placing.align_corners && numerator % 2 != 0)) {
    result.numerator *= 2, result.denominator *= 2;
    if (placing.half_pixel_centers) result.offset = denominator - numerator;
  }
  result.border = (results - 1) * result.denominator - (size - 1) * result.numerator + result.offset;
  return result;
}

bool is_allowed(const Positions& one) {
  return one.numerator <= 2048 && one.denominator < 16 * one.numerator && one.offset >= -one.numerator &&
         one.offset < 16 * one.numerator && one.border >= -16 * one.numerator && one.border < one.numerator;
}

/// Whether RESIZE picks these rows, or has these two and this part.
bool picks(const Positions& one, int64_t size, const std::vector<int64_t>& rows) {
  if (!is_allowed(one)) return false;
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) * one.denominator + one.offset;
    const int64_t whole = base::floor_div(at, one.numerator), rest = base::floor_mod(at, one.numerator);
    if (std::clamp<int64_t>(2 * rest >= one.numerator ? whole + 1 : whole, 0, size - 1) != rows[i]) return false;
  }
  return true;
}

bool has_parts(const Positions& one, int64_t size, const Beside& beside) {
  if (!is_allowed(one)) return false;
  for (size_t i = 0; i < beside.first.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) * one.denominator + one.offset;
    const int64_t whole = base::floor_div(at, one.numerator), rest = base::floor_mod(at, one.numerator);
    const int64_t first = std::clamp<int64_t>(whole, 0, size - 1), second = std::clamp<int64_t>(whole + 1, 0, size - 1);
    const bool is_same_pixel = beside.first[i] == beside.second[i];
    if (is_same_pixel
            ? (first != beside.first[i] || (rest != 0 && second != first))
            : (first != beside.first[i] || second != beside.second[i] || rest * kParts != beside.part[i] * one.numerator))
      return false;
  }
  return true;
}

struct Sides {
  base::Shape from, to;
};
Sides sides_of(const LiteLowering& lowering, const LiteOperator& op) {
  const LiteTensor &input = lowering.input(op, 0), &output = lowering.output(op);
  check_same_scale(input, output);
  if (input.shape.size() != 4) refuse("the input is {}, expected 4 dimensions", base::to_string(input.shape));
  const std::vector<int64_t> size = lowering.elements(op, 1, "the size");
  constexpr int64_t kMostSide = 1 << 16;
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > kMostSide || size[1] > kMostSide ||
      input.shape[1] > kMostSide || input.shape[2] > kMostSide)
    refuse("{} becomes {}, allowed are two sides from 1 to {}", base::to_string(input.shape), base::to_string(size),
           kMostSide);
  return {input.shape, {input.shape[0], size[0], size[1], input.shape[3]}};
}

Id resized(LiteLowering& lowering, const LiteOperator& op, bool is_bilinear, const Positions& y, const Positions& x,
           const base::Shape& shape, ElementType type) {
  return lowering.add(
      op, OpKind::Resize, ir::ResizeAttributes{is_bilinear},
      {lowering.value(op, 0), lowering.graph.add_shape({y.numerator, y.denominator, x.numerator, x.denominator}),
       lowering.graph.add_shape({y.offset, x.offset}), lowering.graph.add_shape({y.border, x.border})},
      type, shape, "resized");
}

/// One direction of a bilinear resize on int32: both rows times their parts, times `factor`.
Id mixed(LiteLowering& lowering, const LiteOperator& op, Id from, size_t axis, const Beside& beside, int64_t factor) {
  const auto factors = [&](bool is_second) {
    std::vector<int64_t> numbers;
    for (const int64_t part : beside.part) numbers.push_back(factor * (is_second ? part : kParts - part));
    base::Shape shape(4, 1);
    shape[axis] = std::ssize(numbers);
    return lowering.graph.add_constant(ElementType::Int32, shape, numbers);
  };
  const auto weighted = [&](const std::vector<int64_t>& rows, bool is_second) {
    const Id picked = picked_rows(lowering, op, from, axis, rows);
    return lowering.product(op, picked, factors(is_second), lowering.shape_of(picked), "weighted");
  };
  const Id first = weighted(beside.first, false), second = weighted(beside.second, true);
  return lowering.add(op, OpKind::Add, {}, {first, second}, ElementType::Int32, lowering.shape_of(first), "mixed");
}

/// Even sums over 2^bits, halves away from 0: the first of the two roundings moves an even sum by less than its distance to
/// the next half.
Id rounded(LiteLowering& lowering, const LiteOperator& op, Id sums, int bits) {
  return lowering.rescale(op, sums, {type_of(lowering.output_codes(op)), 0, 0, {{int64_t{1} << 30, 30 + bits}}}, "codes");
}

/// Of int16, whose sums have 36 bits: those of the high and of the low bytes, 256 * high + low. Over 256, that is the high
/// sum and what the low one adds to it; a bit after it says whether anything is left, so that a half is one only where it is
/// exact. One bit more makes it even.
void lower_bilinear16(LiteLowering& lowering, const LiteOperator& op, const Beside& rows, const Beside& columns) {
  const auto sums = [&](Id from) { return mixed(lowering, op, mixed(lowering, op, from, 1, rows, 1), 2, columns, 1); };
  Rows32 bytes(lowering, op, lowering.input(op, 0).shape), numbers(lowering, op, lowering.output(op).shape);
  const Id wide = lowering.rescale(op, lowering.value(op, 0), {ElementType::Int32}, "wide");
  const Id high = sums(bytes.right(wide, bytes.number(8), false, "high"));
  const Id low = sums(bytes.binary(OpKind::BitwiseAnd, wide, bytes.number(255), "low"));
  const Id whole = numbers.add(high, numbers.right(low, numbers.number(8), false, "whole"), "whole");
  const Id rest = numbers.binary(OpKind::BitwiseAnd, low, numbers.number(255), "rest");
  const Id has_rest = numbers.binary(OpKind::Minimum, rest, numbers.number(1), "rest");
  const Id even =
      numbers.left(numbers.add(numbers.left(whole, numbers.number(1), "even"), has_rest, "even"), numbers.number(1), "even");
  lowering.finish(op, rounded(lowering, op, even, 14));
}

/// The kernel of uint8 interpolates in float32 and rounds halves up. This computes the exact sums and rounds them the same
/// way: a result differs by one where float32 cannot represent the position, and the exact sum is a half. False where RESIZE
/// does not take the positions.
bool lower_bilinear_unsigned(LiteLowering& lowering, const LiteOperator& op, const Positions& y, const Positions& x,
                             const Sides& sides) {
  if (!is_allowed(y) || !is_allowed(x)) return false;
  const Id sums = resized(lowering, op, true, y, x, sides.to, ElementType::Int32);
  const LiteMultiplier multiplier = lite_multiplier(1.0 / static_cast<double>(y.numerator * x.numerator));
  const LiteLowering::Rescale rescale{type_of(lowering.output_codes(op)), 0, 0, {multiplier}, spec::Rounding::Single};
  lowering.finish(op, lowering.rescale(op, sums, rescale, "codes"));
  return true;
}

}  // namespace

void lower_resize_nearest(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_ResizeNearestNeighborOptions);
  const Placing placing{options.align_corners(), options.half_pixel_centers()};
  const Sides sides = sides_of(lowering, op);
  const std::vector<int64_t> rows = nearest(sides.from[1], sides.to[1], placing),
                             columns = nearest(sides.from[2], sides.to[2], placing);
  Positions y = positions(sides.from[1], sides.to[1], placing), x = positions(sides.from[2], sides.to[2], placing);
  const ElementType type = lowering.graph.tensor(lowering.value(op, 0)).type;
  if (picks(y, sides.from[1], rows) && picks(x, sides.from[2], columns))
    return lowering.finish(op, resized(lowering, op, false, y, x, sides.to, type));
  const Id tall = picked_rows(lowering, op, lowering.value(op, 0), 1, rows);
  lowering.finish(op, picked_rows(lowering, op, tall, 2, columns));
}

void lower_resize_bilinear(LiteLowering& lowering, const LiteOperator& op) {
  const auto& options = options_of(op, &tflite::Operator::builtin_options_as_ResizeBilinearOptions);
  const Placing placing{options.align_corners(), options.half_pixel_centers()};
  if (placing.align_corners && placing.half_pixel_centers) refuse("align_corners and half_pixel_centers, allowed is one");
  const Sides sides = sides_of(lowering, op);
  const LiteTensor& input = lowering.input_codes(op);
  const Beside rows = beside(sides.from[1], sides.to[1], placing), columns = beside(sides.from[2], sides.to[2], placing);
  if (is_16_bits(input)) return lower_bilinear16(lowering, op, rows, columns);
  const Positions y = positions(sides.from[1], sides.to[1], placing);
  Positions x = positions(sides.from[2], sides.to[2], placing);
  if (input.is_unsigned && lower_bilinear_unsigned(lowering, op, y, x, sides)) return;
  x = {2 * x.numerator, 2 * x.denominator, 2 * x.offset, 2 * x.border};  // so that sums are even
  const int64_t scale = y.numerator * x.numerator;
  const bool is_power = scale > 0 && (scale & (scale - 1)) == 0;
  if (is_power && has_parts(y, sides.from[1], rows) && has_parts(x, sides.from[2], columns)) {
    const Id sums = resized(lowering, op, true, y, x, sides.to, ElementType::Int32);
    return lowering.finish(op, rounded(lowering, op, sums, static_cast<int>(std::log2(scale))));
  }
  const Id wide = lowering.rescale(op, lowering.value(op, 0), {ElementType::Int32}, "wide");
  const Id tall = mixed(lowering, op, wide, 1, rows, 1);
  lowering.finish(op, rounded(lowering, op, mixed(lowering, op, tall, 2, columns, 2), 21));
}

}  // namespace vernier::import::lite
