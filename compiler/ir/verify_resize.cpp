// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs and LEVEL_CHECKs of RESIZE (TOSA 1.0, "Image operators").
#include "compiler/ir/verify_context.hpp"

namespace vernier::ir {

namespace {

constexpr int64_t kMaxNumerator = 2048;
constexpr int64_t kMaxSize = 16383;
constexpr Allowed kInputSizes{1, kMaxSize, ErrorIf::MaxDimExceeded, ErrorIf::MaxDimExceeded};  // none is below 1
constexpr Allowed kOutputSizes{1, kMaxSize, ErrorIf::ResizeOutputShapeMismatch, ErrorIf::MaxDimExceeded};

void check_mode(const VerifyContext& c) {
  const bool is_bilinear = c.op.attributes_as<ResizeAttributes>().bilinear;
  const base::ElementType in = c.input(0).type, out = c.output().type;
  if (is_bilinear != (in == out)) return;
  const base::ElementType wide = in == base::ElementType::Int8 ? base::ElementType::Int32 : base::ElementType::Int48;
  c.fail(ErrorIf::WrongOutputType, "{} {} gives {}, found is {}", is_bilinear ? "BILINEAR" : "NEAREST_NEIGHBOR",
         base::to_string(in), base::to_string(is_bilinear ? wide : in), base::to_string(out));
}

/// One axis of the scale, offset and border operands; the output size that they give.
int64_t check_resize_axis(const VerifyContext& c, std::string_view axis, size_t i) {
  const int64_t size = c.input(0).shape[1 + i];
  const int64_t numerator = c.constant_value(1, static_cast<int64_t>(2 * i));
  const int64_t denominator = c.constant_value(1, static_cast<int64_t>(2 * i + 1));
  const int64_t offset = c.constant_value(2, static_cast<int64_t>(i)), border = c.constant_value(3, static_cast<int64_t>(i));
  const auto what = [axis](std::string_view name) { return fmt::format("the {} along {}", name, axis); };
  c.check_range(what("input size"), size, kInputSizes);
  if (c.given == nullptr) c.check_range(what("output size"), c.output().shape[1 + i], kOutputSizes);
  c.check_range(what("scale's numerator"), numerator,
                {1, kMaxNumerator, ErrorIf::ScaleSmallerEqualZero, ErrorIf::ScaleNLargerMax});
  c.check_range(what("scale's denominator"), denominator,
                {1, 16 * numerator - 1, ErrorIf::ScaleSmallerEqualZero, ErrorIf::ScaleDLargerMax});
  c.check_range(what("offset"), offset,
                {-numerator, 16 * numerator - 1, ErrorIf::OffsetSmallerMin, ErrorIf::OffsetLargerEqualMax});
  c.check_range(what("border"), border,
                {-16 * numerator, numerator - 1, ErrorIf::BorderSmallerMin, ErrorIf::BorderLargerEqualMax});
  const int64_t span = (size - 1) * numerator - offset + border;
  if (span % denominator != 0) {
    c.fail(ErrorIf::ResizeOutputShapeNonInteger,
           "the output size along {} is no whole number: (({} - 1) * {} - {} + {}) / {} + 1", axis, size, numerator, offset,
           border, denominator);
  }
  return span / denominator + 1;
}

void check_scale_level(const VerifyContext& c, std::string_view axis, int64_t i) {
  const int64_t scale = c.constant_value(1, 2 * i) / c.constant_value(1, 2 * i + 1);
  c.check_range(fmt::format("the scale along {}", axis), scale,
                {0, c.level.max_scale, ErrorIf::MaxScaleExceeded, ErrorIf::MaxScaleExceeded});
}

}  // namespace

void check_resize(const VerifyContext& c) {
  check_mode(c);
  c.check_length("scale", 1, 4);
  c.check_length("offset", 2, 2);
  c.check_length("border", 3, 2);
  const base::Shape& shape = c.input(0).shape;
  const int64_t height = check_resize_axis(c, "y", 0), width = check_resize_axis(c, "x", 1);
  const base::Shape& found = c.output().shape;
  c.check_output_shape({shape[0], height, width, shape[3]}, found[0] != shape[0]   ? ErrorIf::BatchMismatch
                                                            : found[3] != shape[3] ? ErrorIf::ChannelMismatch
                                                                                   : ErrorIf::ResizeOutputShapeMismatch);
  check_scale_level(c, "y", 0);
  check_scale_level(c, "x", 1);
}

}  // namespace vernier::ir
