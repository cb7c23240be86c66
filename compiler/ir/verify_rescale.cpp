// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs of RESCALE (TOSA 1.0, section 2.11.2, with the three that 1.0.0 added).
#include "compiler/ir/verify_context.hpp"

namespace vernier::ir {

namespace {

using base::ElementType;

struct ZeroPointRules {
  ErrorIf not_zero, u16_not_valid;
};

/// int8 any; unsigned int16 0 or 32768; everything else 0.
void check_rescale_zero_point(const VerifyContext& c, std::string_view what, size_t operand, ElementType type,
                              bool is_unsigned, const ZeroPointRules& rules) {
  c.check_length(what, operand, 1);
  if (c.value(operand) == nullptr) return;
  const int64_t value = c.constant_value(operand);
  if (value == 0 || type == ElementType::Int8) return;
  if (type != ElementType::Int16 || !is_unsigned) {
    c.fail(rules.not_zero, "{} is {}, for {} it has to be 0", what, value, base::to_string(type));
  }
  if (value != -32768)
    c.fail(rules.u16_not_valid, "{} is {}, for unsigned int16 allowed are 0 and 32768", what, value & 0xffff);
}

void check_signs(const VerifyContext& c, const RescaleAttributes& a, ElementType in, ElementType out) {
  const auto refuse = [&](bool is_set, ElementType found, ElementType wide, ErrorIf rule) {
    if (!is_set || found != wide) return;
    c.fail(rule, "input_unsigned and output_unsigned are for int8 and int16 at both ends, found {} to {}",
           base::to_string(in), base::to_string(out));
  };
  if (a.input_unsigned && a.output_unsigned) {
    c.fail(ErrorIf::RescaleInputUnsignedOutputUnsigned, "input_unsigned and output_unsigned are both set");
  }
  refuse(a.input_unsigned, out, ElementType::Int32, ErrorIf::RescaleI32OutputInputUnsigned);
  refuse(a.output_unsigned, in, ElementType::Int32, ErrorIf::RescaleI32InputOutputUnsigned);
  refuse(a.output_unsigned, in, ElementType::Int48, ErrorIf::RescaleI48InputOutputUnsigned);
  refuse(a.input_unsigned, in, ElementType::Int32, ErrorIf::RescaleI32InputUnsigned);
  refuse(a.output_unsigned, out, ElementType::Int32, ErrorIf::RescaleI32OutputUnsigned);
  refuse(a.input_unsigned, in, ElementType::Int48, ErrorIf::RescaleI48InputUnsigned);
}

void check_multiplier_type(const VerifyContext& c, bool scale32) {
  const ElementType found = c.input(1).type, needed = scale32 ? ElementType::Int32 : ElementType::Int16;
  if (found == needed) return;
  c.fail(ErrorIf::WrongInputType, "the multiplier is {}, with scale32 = {} it has to be {}", base::to_string(found), scale32,
         base::to_string(needed));
}

void check_scale32(const VerifyContext& c, bool scale32, ElementType in) {
  if (scale32 && in == ElementType::Int48)
    c.fail(ErrorIf::ScaleTrue, "scale32 is set for an int48 input, which takes 16-bit multipliers only");
}

void check_double_round(const VerifyContext& c, const RescaleAttributes& a) {
  if (a.rounding == spec::Rounding::Double && !a.scale32) c.fail(ErrorIf::ScaleNotTrue, "DOUBLE_ROUND needs scale32");
}

void check_per_channel(const VerifyContext& c, bool per_channel) {
  if (per_channel && c.input(0).shape.empty())
    c.fail(ErrorIf::RescalePerChannelRank0, "per_channel needs an input of rank 1 or more");
}

}  // namespace

void check_rescale(const VerifyContext& c) {
  const auto& a = c.op.attributes_as<RescaleAttributes>();
  const base::Shape& shape = c.input(0).shape;
  const ElementType in = c.input(0).type, out = c.output().type;
  check_multiplier_type(c, a.scale32);
  check_scale32(c, a.scale32, in);
  check_double_round(c, a);
  check_signs(c, a, in, out);
  check_per_channel(c, a.per_channel);
  const int64_t num_scales = a.per_channel ? shape.back() : 1;
  c.check_length("the multiplier", 1, num_scales);
  c.check_length("the shift", 2, num_scales);
  check_rescale_zero_point(c, "input_zp", 3, in, a.input_unsigned,
                           {ErrorIf::InputZeroPointNotZero, ErrorIf::U16InputZeroPointNotValid});
  check_rescale_zero_point(c, "output_zp", 4, out, a.output_unsigned,
                           {ErrorIf::OutputZeroPointNotZero, ErrorIf::U16OutputZeroPointNotValid});
  c.check_output_shape(shape);
}

}  // namespace vernier::ir
