// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs of elementwise operators (TOSA 1.0, sections 2.4 to 2.6 and 2.10): broadcasting, ranges of attributes, zero
// points.
#include "compiler/ir/verify_context.hpp"

namespace vernier::ir {

namespace {

base::Shape broadcast(const VerifyContext& c, const base::Shape& a, const base::Shape& b) {
  const std::string both = fmt::format("{} and {}", base::to_string(a), base::to_string(b));
  if (a.size() != b.size()) c.fail(ErrorIf::RankMismatch, "operands of shapes {} do not broadcast: the ranks differ", both);
  base::Shape result = a;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1)
      c.fail(ErrorIf::BroadcastShapesMismatch, "operands of shapes {} do not broadcast in dimension {}", both, i);
    if (a[i] == 1) result[i] = b[i];
  }
  return result;
}

}  // namespace

void check_binary(const VerifyContext& c) { c.check_output_shape(broadcast(c, c.input(0).shape, c.input(1).shape)); }

void check_select(const VerifyContext& c) {
  c.check_output_shape(broadcast(c, broadcast(c, c.input(0).shape, c.input(1).shape), c.input(2).shape));
}

void check_mul(const VerifyContext& c) {
  c.check_length("shift", 2, 1);  // its range is a REQUIRE, judged while running
  check_binary(c);
}

void check_unary(const VerifyContext& c) { c.check_output_shape(c.input(0).shape); }

void check_clamp(const VerifyContext& c) {
  const auto& a = c.op.attributes_as<ClampAttributes>();
  const base::ElementType type = c.input(0).type;
  const Allowed bounds{base::min_value(type), base::max_value(type), ErrorIf::WrongAttribute, ErrorIf::WrongAttribute};
  c.check_range("min_val", a.min, bounds);
  c.check_range("max_val", a.max, bounds);
  if (a.max < a.min) c.fail(ErrorIf::MaxSmallerMin, "max_val {} is less than min_val {}", a.max, a.min);
  check_unary(c);
}

void check_negate(const VerifyContext& c) {
  c.check_zero_point("input_zp", 1, c.input(0).type, ErrorIf::InputZeroPointNotZero);
  c.check_zero_point("output_zp", 2, c.output().type, ErrorIf::OutputZeroPointNotZero);
  check_unary(c);
}

void check_table(const VerifyContext& c) {
  c.check_length("the table", 1, c.input(0).type == base::ElementType::Int8 ? 256 : 513);
  check_unary(c);
}

}  // namespace vernier::ir
