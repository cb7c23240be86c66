// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs of the operators that move elements (TOSA 1.0, "Data layout" and "Scatter/gather operators").
#include "compiler/ir/tensor_size.hpp"
#include "compiler/ir/verify_context.hpp"

#include <limits>
#include <utility>

namespace vernier::ir {

namespace {

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();  // no dimension is greater
constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

/// Elements of a shape that may be absurd; 0 then.
int64_t checked_elements(const base::Shape& shape) { return checked_size_bytes(base::ElementType::Int8, shape).value_or(0); }

}  // namespace

void check_reshape(const VerifyContext& c) {
  const base::Shape& in = c.input(0).shape;
  const base::Shape& out = c.output().shape;
  const std::vector<int64_t> operand = c.constant_values(1);
  if (c.given != nullptr) {
    c.check_output_shape(operand);
  } else if (operand != out) {
    const bool is_same_size = base::num_elements(in) == checked_elements(out);
    c.fail(is_same_size ? ErrorIf::ReshapeNewShapeOutputMismatch : ErrorIf::TensorSizeInputOutputMismatch,
           "the shape operand is {}, the result is declared {}", base::to_string(operand), base::to_string(out));
  }
  if (base::num_elements(in) != checked_elements(operand)) {
    c.fail(ErrorIf::TensorSizeInputOutputMismatch, "{} has {} elements, {} has {}", base::to_string(in),
           base::num_elements(in), base::to_string(operand), checked_elements(operand));
  }
}

void check_slice(const VerifyContext& c) {
  const base::Shape& in = c.input(0).shape;
  const std::vector<int64_t> start = c.constant_values(1), size = c.constant_values(2);
  c.check_count("start", start, in.size(), ErrorIf::InputSizeStartLengthMismatch);
  c.check_count("size", size, in.size(), ErrorIf::InputSizeStartLengthMismatch);
  c.check_least("start", start, {0, kUnlimited, ErrorIf::StartSmallerZero, ErrorIf::StartSizeOutsideBounds});
  c.check_least("size", size, {1, kUnlimited, ErrorIf::SizeSmallerEqualZero, ErrorIf::StartSizeOutsideBounds});
  for (size_t i = 0; i < in.size(); ++i) {
    if (start[i] > in[i] || size[i] > in[i] - start[i]) {
      c.fail(ErrorIf::StartSizeOutsideBounds, "start {} and size {} go beyond dimension {}, which has {}", start[i], size[i],
             i, in[i]);
    }
  }
  c.check_output_shape(size, ErrorIf::SizeOutputShapeMismatch);
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
      c.fail(is_same_rank ? ErrorIf::ConcatInputDimMismatch : ErrorIf::ConcatInputRankMismatch,
             "operand {} has shape {}, operand 0 {}: they may differ in dimension {} only", operand,
             base::to_string(c.input(operand).shape), base::to_string(c.input(0).shape), axis);
    }
    length += added;
  }
  c.check_output_shape(expected, ErrorIf::ConcatShapeSumMismatch);
  c.check_range("the number of operands", static_cast<int64_t>(c.op.inputs.size()),
                {1, c.level.max_tensor_list_size, ErrorIf::ConcatNoInputList, ErrorIf::MaxTensorListExceeded});
}

void check_pad(const VerifyContext& c) {
  base::Shape expected = c.input(0).shape;
  const std::vector<int64_t> padding = c.constant_values(1);
  const Allowed allowed{0, kMaxCount, ErrorIf::PadSmallerZero, ErrorIf::PadOutputShapeMismatch};
  c.check_count("padding", padding, 2 * expected.size(), ErrorIf::OperandLengthMismatch);
  c.check_least("padding", padding, allowed);
  c.check_most("padding", padding, allowed);
  c.check_length("pad_const", 2, 1);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] += padding[2 * i] + padding[2 * i + 1];
  c.check_output_shape(expected, ErrorIf::PadOutputShapeMismatch);
}

void check_reverse(const VerifyContext& c) {
  c.check_axis(c.op.attributes_as<AxisAttributes>().axis);
  c.check_output_shape(c.input(0).shape);
}

void check_tile(const VerifyContext& c) {
  base::Shape expected = c.input(0).shape;
  const std::vector<int64_t> multiples = c.constant_values(1);
  c.check_count("multiples", multiples, expected.size(), ErrorIf::OperandLengthMismatch);
  for (const int64_t multiple : multiples) {
    c.check_range("multiples", multiple,
                  {1, kMaxCount, ErrorIf::TileMultiplesOutputShapeMismatch, ErrorIf::TileMultiplesOutputShapeMismatch});
  }
  for (size_t i = 0; i < expected.size(); ++i) expected[i] *= multiples[i];
  c.check_output_shape(expected, ErrorIf::TileMultiplesOutputShapeMismatch);
}

void check_transpose(const VerifyContext& c) {
  const base::Shape& in = c.input(0).shape;
  const std::vector<int64_t>& perms = c.op.attributes_as<TransposeAttributes>().perms;
  c.check_count("perms", perms, in.size(), ErrorIf::WrongAttribute);
  for (const int64_t perm : perms) {
    c.check_range("perms", perm,
                  {0, static_cast<int64_t>(in.size()) - 1, ErrorIf::IndexOutsideBounds, ErrorIf::IndexOutsideBounds});
  }
  std::vector<bool> is_used(in.size());
  base::Shape expected;
  for (const int64_t perm : perms) {
    const auto axis = static_cast<size_t>(perm);
    if (is_used[axis]) c.fail(ErrorIf::IndexUsedTwice, "perms {} names axis {} twice", base::to_string(perms), perm);
    is_used[axis] = true;
    expected.push_back(in[axis]);
  }
  c.check_output_shape(expected, ErrorIf::TransposePermsOutputShapeMismatch);
}

void check_gather(const VerifyContext& c) {
  const base::Shape& values = c.input(0).shape;   // N, K, C
  const base::Shape& indices = c.input(1).shape;  // N, W
  if (values[0] != indices[0])
    c.fail(ErrorIf::InputDimensionMismatch, "values have {} batches, indices {}", values[0], indices[0]);
  c.check_output_shape({values[0], indices[1], values[2]});
}

void check_scatter(const VerifyContext& c) {
  const base::Shape& values = c.input(0).shape;   // N, K, C
  const base::Shape& indices = c.input(1).shape;  // N, W
  const base::Shape needed{values[0], indices[1], values[2]};
  if (values[0] != indices[0])
    c.fail(ErrorIf::InputDimensionMismatch, "values_in have {} batches, indices {}", values[0], indices[0]);
  if (c.input(2).shape != needed) {
    c.fail(ErrorIf::InputDimensionMismatch, "input has shape {}, needed is {}", base::to_string(c.input(2).shape),
           base::to_string(needed));
  }
  c.check_output_shape(values);
}

}  // namespace vernier::ir
