// SPDX-License-Identifier: Apache-2.0
// Operators on rows of int32: of a tensor's shape, or of one element each.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

#include <algorithm>
#include <utility>

namespace vernier::import::lite {

/// Adds them for one operator of the file.
class Rows32 {
 public:
  Rows32(LiteLowering& lowering, const LiteOperator& op, base::Shape shape)
      : lowering_(lowering), op_(op), shape_(std::move(shape)) {}

  Id binary(ir::OpKind kind, Id a, Id b, const char* what, const ir::Attributes& attributes = {}) {
    return lowering_.add(op_, kind, attributes, {a, b}, base::ElementType::Int32, wider(a, b), what);
  }
  Id add(Id a, Id b, const char* what) { return binary(ir::OpKind::Add, a, b, what); }
  Id sub(Id a, Id b, const char* what) { return binary(ir::OpKind::Sub, a, b, what); }
  Id left(Id a, Id by, const char* what) { return binary(ir::OpKind::LogicalLeftShift, a, by, what); }
  Id right(Id a, Id by, bool rounds, const char* what) {
    return binary(ir::OpKind::ArithmeticRightShift, a, by, what, ir::ShiftAttributes{rounds});
  }
  Id high_product(Id a, Id b, const char* what) { return lowering_.product(op_, a, b, wider(a, b), what, 31); }
  /// Where a number is 0 or more.
  Id is_positive(Id a) { return is_at_least(a, number(0), "positive"); }
  Id is_at_least(Id a, Id b, const char* what) { return comparison(ir::OpKind::GreaterEqual, a, b, what); }
  Id comparison(ir::OpKind kind, Id a, Id b, const char* what) {
    return lowering_.add(op_, kind, {}, {a, b}, base::ElementType::Bool, wider(a, b), what);
  }
  Id select(Id condition, Id yes, Id no) {
    base::Shape shape = wider(yes, no);
    const base::Shape& of_condition = lowering_.graph.tensor(condition).shape;
    for (size_t i = 0; i < shape.size(); ++i) shape[i] = std::max(shape[i], of_condition[i]);
    return lowering_.add(op_, ir::OpKind::Select, {}, {condition, yes, no}, lowering_.graph.tensor(yes).type, shape,
                         "selected");
  }
  Id number(int64_t value) { return lowering_.scalar(shape_.size(), value); }
  Id reduced(ir::OpKind kind, Id from, const char* what) {
    base::Shape shape = shape_;
    shape.back() = 1;
    return lowering_.add(op_, kind, ir::AxisAttributes{std::ssize(shape_) - 1}, {from}, lowering_.graph.tensor(from).type,
                         shape, what);
  }

  [[nodiscard]] LiteLowering& lowering() const { return lowering_; }
  [[nodiscard]] const LiteOperator& op() const { return op_; }
  [[nodiscard]] const base::Shape& shape() const { return shape_; }

 private:
  [[nodiscard]] base::Shape wider(Id a, Id b) const {
    base::Shape shape = lowering_.shape_of(a);
    const base::Shape& other = lowering_.graph.tensor(b).shape;
    for (size_t i = 0; i < shape.size(); ++i) shape[i] = std::max(shape[i], other[i]);
    return shape;
  }
  LiteLowering& lowering_;
  const LiteOperator& op_;
  base::Shape shape_;
};

}  // namespace vernier::import::lite
