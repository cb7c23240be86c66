// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/verify_context.hpp"

namespace vernier::ir {

std::vector<int64_t> values_of(const base::Tensor& tensor) {
  std::vector<int64_t> values(static_cast<size_t>(tensor.size()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = tensor.at(static_cast<int64_t>(i));
  return values;
}

std::vector<int64_t> VerifyContext::constant_values(size_t operand) const { return values_of(*value(operand)); }

void VerifyContext::check_range(std::string_view what, int64_t found, int64_t least, int64_t most) const {
  if (found < least || found > most) fail("{} is {}, allowed are {} to {}", what, found, least, most);
}

void VerifyContext::check_list(std::string_view what, const std::vector<int64_t>& found, size_t count, int64_t least,
                               int64_t most) const {
  if (found.size() != count) fail("{} has {} values, needed are {}", what, found.size(), count);
  for (const int64_t value : found) check_range(what, value, least, most);
}

void VerifyContext::check_length(std::string_view what, size_t operand, int64_t length) const {
  const base::Shape& shape = input(operand).shape;
  if (shape != base::Shape{length}) fail("{} has shape {}, needed is [{}]", what, base::to_string(shape), length);
}

void VerifyContext::check_output_shape(const base::Shape& expected) const {
  if (given != nullptr) {
    *given = expected;
  } else if (output().shape != expected) {
    fail("the result is declared {}, the operands give {}", base::to_string(output().shape), base::to_string(expected));
  }
}

void VerifyContext::check_axis(int64_t axis) const {
  check_range("axis", axis, 0, static_cast<int64_t>(input(0).shape.size()) - 1);
}

void VerifyContext::check_zero_point(std::string_view what, size_t operand, base::ElementType type) const {
  check_length(what, operand, 1);
  if (value(operand) == nullptr) return;
  const int64_t zero_point = constant_value(operand);
  if (zero_point != 0 && type != base::ElementType::Int8) {
    fail("{} is {}, for {} it has to be 0", what, zero_point, base::to_string(type));
  }
}

int64_t VerifyContext::window_output(std::string_view axis, int64_t size, int64_t pad_before, int64_t pad_after,
                                     int64_t kernel, int64_t dilation, int64_t stride) const {
  const int64_t span = size - 1 + pad_before + pad_after - (kernel - 1) * dilation;
  if (span < 0) fail("the kernel ({} taps, dilation {}) is larger than the padded input along {}", kernel, dilation, axis);
  if (span % stride != 0) {
    fail("the output size along {} is no whole number: ({} - 1 + {} + {} - ({} - 1) * {}) / {} + 1", axis, size, pad_before,
         pad_after, kernel, dilation, stride);
  }
  return span / stride + 1;
}

void VerifyContext::throw_error(const std::string& message) const {
  const std::string place = op.location.empty() ? "" : fmt::format(" at '{}'", op.location);
  throw base::UserError(file, "{} '{}'{}: {}", to_string(op.kind), output().name, place, message);
}

}  // namespace vernier::ir
