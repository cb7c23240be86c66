// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs of REDUCE_* (TOSA 1.0, section 2.8).
#include "compiler/ir/verify_context.hpp"

namespace vernier::ir {

void check_reduce(const VerifyContext& c) {
  base::Shape expected = c.input(0).shape;
  const int64_t axis = c.op.attributes_as<AxisAttributes>().axis;
  c.check_range("axis", axis, 0, static_cast<int64_t>(expected.size()) - 1);
  expected[static_cast<size_t>(axis)] = 1;
  c.check_output_shape(expected);
}

}  // namespace vernier::ir
