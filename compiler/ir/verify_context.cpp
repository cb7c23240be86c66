// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/verify_context.hpp"

namespace vernier::ir {

std::vector<int64_t> values_of(const base::Tensor& tensor) {
  std::vector<int64_t> values(static_cast<size_t>(tensor.size()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = tensor.at(static_cast<int64_t>(i));
  return values;
}

std::vector<int64_t> VerifyContext::constant_values(size_t operand) const { return values_of(*value(operand)); }

void VerifyContext::check_range(std::string_view what, int64_t found, const Allowed& allowed) const {
  if (found >= allowed.least && found <= allowed.most) return;
  fail(found < allowed.least ? allowed.below : allowed.above, "{} is {}, allowed are {} to {}", what, found, allowed.least,
       allowed.most);
}

void VerifyContext::check_least(std::string_view what, const std::vector<int64_t>& found, const Allowed& allowed) const {
  for (const int64_t value : found) {
    if (value < allowed.least) check_range(what, value, allowed);
  }
}

void VerifyContext::check_most(std::string_view what, const std::vector<int64_t>& found, const Allowed& allowed) const {
  for (const int64_t value : found) {
    if (value > allowed.most) check_range(what, value, allowed);
  }
}

void VerifyContext::check_count(std::string_view what, const std::vector<int64_t>& found, size_t count, ErrorIf rule) const {
  if (found.size() != count) fail(rule, "{} has {} values, needed are {}", what, found.size(), count);
}

void VerifyContext::check_length(std::string_view what, size_t operand, int64_t length) const {
  const base::Shape& shape = input(operand).shape;
  if (shape != base::Shape{length})
    fail(ErrorIf::OperandLengthMismatch, "{} has shape {}, needed is [{}]", what, base::to_string(shape), length);
}

void VerifyContext::check_output_shape(const base::Shape& expected, ErrorIf rule, ErrorIf rank_rule) const {
  if (given != nullptr) {
    *given = expected;
  } else if (const base::Shape& found = output().shape; found != expected) {
    fail(found.size() != expected.size() ? rank_rule : rule, "the result is declared {}, the operands give {}",
         base::to_string(found), base::to_string(expected));
  }
}

void VerifyContext::check_axis(int64_t axis) const {
  check_range("axis", axis,
              {0, static_cast<int64_t>(input(0).shape.size()) - 1, ErrorIf::AxisSmallerZero, ErrorIf::AxisLargerRank});
}

void VerifyContext::check_zero_point(std::string_view what, size_t operand, base::ElementType type, ErrorIf rule) const {
  check_length(what, operand, 1);
  if (value(operand) == nullptr) return;
  const int64_t zero_point = constant_value(operand);
  if (zero_point != 0 && type != base::ElementType::Int8) {
    fail(rule, "{} is {}, for {} it has to be 0", what, zero_point, base::to_string(type));
  }
}

int64_t VerifyContext::window_output(std::string_view axis, int64_t size, int64_t pad_before, int64_t pad_after,
                                     int64_t kernel, int64_t dilation, int64_t stride, const WindowRules& rules) const {
  const int64_t span = size - 1 + pad_before + pad_after - (kernel - 1) * dilation;
  const bool is_exact = span % stride == 0;
  if (span < 0) {
    fail(is_exact ? rules.mismatch : rules.non_integer,
         "the kernel ({} taps, dilation {}) is larger than the padded input along {}", kernel, dilation, axis);
  }
  if (!is_exact) {
    fail(rules.non_integer, "the output size along {} is no whole number: ({} - 1 + {} + {} - ({} - 1) * {}) / {} + 1", axis,
         size, pad_before, pad_after, kernel, dilation, stride);
  }
  return span / stride + 1;
}

void VerifyContext::throw_error(ErrorIf rule, const std::string& message) const {
  const std::string place = op.location.empty() ? "" : fmt::format(" at '{}'", op.location);
  throw broken_rule(rule, file, "{} '{}'{}: {}", to_string(op.kind), output().name, place, message);
}

}  // namespace vernier::ir
