// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs of RESHAPE and SLICE (TOSA 1.0, section 2.9).
#include "compiler/ir/verify_context.hpp"

#include <limits>

namespace vernier::ir {

void check_reshape(const VerifyContext& c) {
  const base::Shape& in = c.input(0).shape;
  const base::Shape& out = c.output().shape;
  const std::vector<int64_t> operand = c.constant_values(1);
  if (operand != out) {
    c.fail("the shape operand is {}, the result is declared {}", base::to_string(operand), base::to_string(out));
  }
  if (base::num_elements(in) != base::num_elements(out)) {
    c.fail("{} has {} elements, {} has {}", base::to_string(in), base::num_elements(in), base::to_string(out),
           base::num_elements(out));
  }
}

void check_slice(const VerifyContext& c) {
  const base::Shape& in = c.input(0).shape;
  const std::vector<int64_t> start = c.constant_values(1), size = c.constant_values(2);
  const int64_t unlimited = std::numeric_limits<int64_t>::max();
  c.check_list("start", start, in.size(), 0, unlimited);
  c.check_list("size", size, in.size(), 1, unlimited);
  for (size_t i = 0; i < in.size(); ++i) {
    if (start[i] > in[i] || size[i] > in[i] - start[i]) {
      c.fail("start {} and size {} go beyond dimension {}, which has {}", start[i], size[i], i, in[i]);
    }
  }
  c.check_output_shape(size);
}

}  // namespace vernier::ir
