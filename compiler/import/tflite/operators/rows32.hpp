// SPDX-License-Identifier: Apache-2.0
// Operators on rows of int32: of a tensor's shape, or of one element each.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

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
  Id is_positive(Id a) {
    return lowering_.add(op_, ir::OpKind::GreaterEqual, {}, {a, number(0)}, base::ElementType::Bool, shape_, "positive");
  }
  Id select(Id condition, Id yes, Id no) {
    return lowering_.add(op_, ir::OpKind::Select, {}, {condition, yes, no}, lowering_.graph.tensor(yes).type, shape_,
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
    const base::Shape &first = lowering_.graph.tensor(a).shape, &second = lowering_.graph.tensor(b).shape;
    return base::num_elements(first) >= base::num_elements(second) ? first : second;
  }
  LiteLowering& lowering_;
  const LiteOperator& op_;
  base::Shape shape_;
};

}  // namespace vernier::import::lite
