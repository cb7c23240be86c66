// SPDX-License-Identifier: Apache-2.0
// ERROR_IFs of the operators that move elements (TOSA 1.0, "Data layout" and "Scatter/gather operators").
#include "compiler/ir/tensor_size.hpp"
#include "compiler/ir/verify_context.hpp"

#include <limits>

namespace vernier::ir {

namespace {

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();  // no dimension is greater
constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

/// Elements of a shape that may be absurd; 0 then.
int64_t checked_elements(const base::Shape& shape) { return checked_size_bytes(base::ElementType::Int8, shape).value_or(0); }

/// Where both rules are broken, the one on sizes is named, which the suite has.
void check_declared_shape(const VerifyContext& c, const base::Shape& operand) {
  const base::Shape& out = c.output().shape;
  if (operand == out) return;
  const bool is_same_size = base::num_elements(c.input(0).shape) == checked_elements(out);
  c.fail(is_same_size ? ErrorIf::ReshapeNewShapeOutputMismatch : ErrorIf::TensorSizeInputOutputMismatch,
         "the shape operand is {}, the result is declared {}", base::to_string(operand), base::to_string(out));
}

void check_same_size(const VerifyContext& c, const base::Shape& operand) {
  const base::Shape& in = c.input(0).shape;
  const int64_t found = base::num_elements(in), needed = checked_elements(operand);
  if (found == needed) return;
  c.fail(ErrorIf::TensorSizeInputOutputMismatch, "{} has {} elements, {} has {}", base::to_string(in), found,
         base::to_string(operand), needed);
}

void check_slice_bounds(const VerifyContext& c, const std::vector<int64_t>& start, const std::vector<int64_t>& size) {
  const base::Shape& in = c.input(0).shape;
  for (size_t i = 0; i < in.size(); ++i) {
    if (start[i] > in[i] || size[i] > in[i] - start[i]) {
      c.fail(ErrorIf::StartSizeOutsideBounds, "start {} and size {} go beyond dimension {}, which has {}", start[i], size[i],
             i, in[i]);
    }
  }
}

/// The length along `axis` that an operand of CONCAT adds to the first one's.
int64_t check_concat_operand(const VerifyContext& c, size_t operand, size_t axis) {
  const base::Shape &first = c.input(0).shape, &found = c.input(operand).shape;
  base::Shape others = found;
  const bool is_same_rank = found.size() == first.size();
  if (is_same_rank) others[axis] = first[axis];
  if (others != first) {
    c.fail(is_same_rank ? ErrorIf::ConcatInputDimMismatch : ErrorIf::ConcatInputRankMismatch,
           "operand {} has shape {}, operand 0 {}: they may differ in dimension {} only", operand, base::to_string(found),
           base::to_string(first), axis);
  }
  return found[axis];
}

void check_list_length(const VerifyContext& c) {
  c.check_range("the number of operands", static_cast<int64_t>(c.op.inputs.size()),
                {1, c.level.max_tensor_list_size, ErrorIf::ConcatNoInputList, ErrorIf::MaxTensorListExceeded});
}

void check_perms(const VerifyContext& c, const std::vector<int64_t>& perms) {
  const auto rank = static_cast<int64_t>(c.input(0).shape.size());
  c.check_count("perms", perms, static_cast<size_t>(rank), ErrorIf::WrongAttribute);
  for (const int64_t perm : perms)
    c.check_range("perms", perm, {0, rank - 1, ErrorIf::IndexOutsideBounds, ErrorIf::IndexOutsideBounds});
}

void check_perms_differ(const VerifyContext& c, const std::vector<int64_t>& perms) {
  std::vector<bool> is_used(perms.size());
  for (const int64_t perm : perms) {
    const auto axis = static_cast<size_t>(perm);
    if (is_used[axis]) c.fail(ErrorIf::IndexUsedTwice, "perms {} names axis {} twice", base::to_string(perms), perm);
    is_used[axis] = true;
  }
}

void check_batches(const VerifyContext& c, std::string_view what) {
  const int64_t found = c.input(0).shape[0], of_indices = c.input(1).shape[0];
  if (found != of_indices)
    c.fail(ErrorIf::InputDimensionMismatch, "{} have {} batches, indices {}", what, found, of_indices);
}

}  // namespace

void check_reshape(const VerifyContext& c) {
  const base::Shape operand = c.constant_values(1);
  if (c.given == nullptr) check_declared_shape(c, operand);
  c.check_output_shape(operand);
  check_same_size(c, operand);
}

void check_slice(const VerifyContext& c) {
  const base::Shape& in = c.input(0).shape;
  const std::vector<int64_t> start = c.constant_values(1), size = c.constant_values(2);
  c.check_count("start", start, in.size(), ErrorIf::InputSizeStartLengthMismatch);
  c.check_count("size", size, in.size(), ErrorIf::InputSizeStartLengthMismatch);
  c.check_least("start", start, {0, kUnlimited, ErrorIf::StartSmallerZero, ErrorIf::StartSizeOutsideBounds});
  c.check_least("size", size, {1, kUnlimited, ErrorIf::SizeSmallerEqualZero, ErrorIf::StartSizeOutsideBounds});
  check_slice_bounds(c, start, size);
  c.check_output_shape(size, ErrorIf::SizeOutputShapeMismatch);
}

void check_concat(const VerifyContext& c) {
  const int64_t axis = c.op.attributes_as<AxisAttributes>().axis;
  c.check_axis(axis);
  base::Shape expected = c.input(0).shape;
  const auto at = static_cast<size_t>(axis);
  for (size_t operand = 1; operand < c.op.inputs.size(); ++operand) expected[at] += check_concat_operand(c, operand, at);
  c.check_output_shape(expected, ErrorIf::ConcatShapeSumMismatch);
  check_list_length(c);
}

void check_pad(const VerifyContext& c) {
  base::Shape expected = c.input(0).shape;
  const std::vector<int64_t> padding = c.constant_values(1);
  c.check_count("padding", padding, 2 * expected.size(), ErrorIf::OperandLengthMismatch);
  for (const int64_t pad : padding)
    c.check_range("padding", pad, {0, kMaxCount, ErrorIf::PadSmallerZero, ErrorIf::PadOutputShapeMismatch});
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
  check_perms(c, perms);
  check_perms_differ(c, perms);
  base::Shape expected;
  for (const int64_t perm : perms) expected.push_back(in[static_cast<size_t>(perm)]);
  c.check_output_shape(expected, ErrorIf::TransposePermsOutputShapeMismatch);
}

void check_gather(const VerifyContext& c) {
  const base::Shape& values = c.input(0).shape;   // N, K, C
  const base::Shape& indices = c.input(1).shape;  // N, W
  check_batches(c, "values");
  c.check_output_shape({values[0], indices[1], values[2]});
}

void check_scatter(const VerifyContext& c) {
  const base::Shape& values = c.input(0).shape;   // N, K, C
  const base::Shape& indices = c.input(1).shape;  // N, W
  const base::Shape needed{values[0], indices[1], values[2]};
  check_batches(c, "values_in");
  if (c.input(2).shape != needed) {
    c.fail(ErrorIf::InputDimensionMismatch, "input has shape {}, needed is {}", base::to_string(c.input(2).shape),
           base::to_string(needed));
  }
  c.check_output_shape(values);
}

}  // namespace vernier::ir
