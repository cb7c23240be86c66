// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs of REDUCE_* and ARGMAX (TOSA 1.0, sections 2.8 and 2.3.1).
#include "compiler/ir/verify_context.hpp"

namespace vernier::ir {

void check_reduce(const VerifyContext& c) {
  base::Shape expected = c.input(0).shape;
  const int64_t axis = c.op.attributes_as<AxisAttributes>().axis;
  c.check_axis(axis);
  const auto at = static_cast<size_t>(axis);
  expected[at] = 1;
  const base::Shape& found = c.output().shape;
  const bool is_axis_long = found.size() == expected.size() && found[at] != 1;
  c.check_output_shape(expected, is_axis_long ? ErrorIf::ShapeOfAxisNotOne : ErrorIf::DimensionMismatch);
}

void check_argmax(const VerifyContext& c) {
  base::Shape expected = c.input(0).shape;
  const int64_t axis = c.op.attributes_as<AxisAttributes>().axis;
  c.check_axis(axis);
  expected.erase(expected.begin() + axis);
  c.check_output_shape(expected, ErrorIf::ArgmaxOutputShapeMismatch, ErrorIf::ArgmaxOutputRankMismatch);
}

}  // namespace vernier::ir
