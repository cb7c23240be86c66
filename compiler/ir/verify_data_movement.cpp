// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs of the operators that move elements (TOSA 1.0, "Data layout" and "Scatter/gather operators").
#include "compiler/ir/verify_context.hpp"

#include <limits>
#include <utility>

namespace vernier::ir {

namespace {

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();  // no dimension is greater

}  // namespace

void check_reshape(const VerifyContext& c) {
  const base::Shape& in = c.input(0).shape;
  const base::Shape& out = c.output().shape;
  const std::vector<int64_t> operand = c.constant_values(1);
  if (c.given == nullptr && operand != out) {
    c.fail("the shape operand is {}, the result is declared {}", base::to_string(operand), base::to_string(out));
  }
  c.check_output_shape(operand);
  if (base::num_elements(in) != base::num_elements(operand)) {
    c.fail("{} has {} elements, {} has {}", base::to_string(in), base::num_elements(in), base::to_string(operand),
           base::num_elements(operand));
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

void check_concat(const VerifyContext& c) {
  const int64_t axis = c.op.attributes_as<AxisAttributes>().axis;
  c.check_axis(axis);
  base::Shape expected = c.input(0).shape;
  int64_t& length = expected[static_cast<size_t>(axis)];
  for (size_t operand = 1; operand < c.op.inputs.size(); ++operand) {
    base::Shape others = c.input(operand).shape;
    const bool is_same_rank = others.size() == expected.size();
    const int64_t added = is_same_rank ? std::exchange(others[static_cast<size_t>(axis)], length) : 0;
    if (others != expected) {
      c.fail("operand {} has shape {}, operand 0 {}: they may differ in dimension {} only", operand,
             base::to_string(c.input(operand).shape), base::to_string(c.input(0).shape), axis);
    }
    length += added;
  }
  c.check_output_shape(expected);
}

void check_pad(const VerifyContext& c) {
  base::Shape expected = c.input(0).shape;
  const std::vector<int64_t> padding = c.constant_values(1);
  c.check_list("padding", padding, 2 * expected.size(), 0, kMaxCount);
  c.check_length("pad_const", 2, 1);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] += padding[2 * i] + padding[2 * i + 1];
  c.check_output_shape(expected);
}

void check_reverse(const VerifyContext& c) {
  c.check_axis(c.op.attributes_as<AxisAttributes>().axis);
  c.check_output_shape(c.input(0).shape);
}

void check_tile(const VerifyContext& c) {
  base::Shape expected = c.input(0).shape;
  const std::vector<int64_t> multiples = c.constant_values(1);
  c.check_list("multiples", multiples, expected.size(), 1, kMaxCount);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] *= multiples[i];
  c.check_output_shape(expected);
}

void check_transpose(const VerifyContext& c) {
  const base::Shape& in = c.input(0).shape;
  const std::vector<int64_t>& perms = c.op.attributes_as<TransposeAttributes>().perms;
  c.check_list("perms", perms, in.size(), 0, static_cast<int64_t>(in.size()) - 1);
  std::vector<bool> is_used(in.size());
  base::Shape expected;
  for (const int64_t perm : perms) {
    const auto axis = static_cast<size_t>(perm);
    if (is_used[axis]) c.fail("perms {} names axis {} twice", base::to_string(perms), perm);
    is_used[axis] = true;
    expected.push_back(in[axis]);
  }
  c.check_output_shape(expected);
}

void check_gather(const VerifyContext& c) {
  const base::Shape& values = c.input(0).shape;   // N, K, C
  const base::Shape& indices = c.input(1).shape;  // N, W
  if (values[0] != indices[0]) c.fail("values have {} batches, indices {}", values[0], indices[0]);
  c.check_output_shape({values[0], indices[1], values[2]});
}

void check_scatter(const VerifyContext& c) {
  const base::Shape& values = c.input(0).shape;   // N, K, C
  const base::Shape& indices = c.input(1).shape;  // N, W
  const base::Shape needed{values[0], indices[1], values[2]};
  if (values[0] != indices[0]) c.fail("values_in have {} batches, indices {}", values[0], indices[0]);
  if (c.input(2).shape != needed) {
    c.fail("input has shape {}, needed is {}", base::to_string(c.input(2).shape), base::to_string(needed));
  }
  c.check_output_shape(values);
}

}  // namespace vernier::ir
