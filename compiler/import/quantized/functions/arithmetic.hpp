// SPDX-License-Identifier: Apache-2.0
// int32 arithmetic on tensors of the graph: what functions of several numbers are made of.
#pragma once

#include "compiler/import/quantized/functions/requantize.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vernier::import::quantized {

/// Adds operators for one node. Operands are int32 and have one rank; a dimension of 1 goes along with any other.
class Arithmetic {
 public:
  using Id = ir::TensorId;
  Arithmetic(Lowering& lowering, const Node& node) : lowering_(lowering), name_(node.outputs.at(0)), layer_(node.name) {}

  Id add(Id a, Id b) { return binary(ir::OpKind::Add, {}, a, b); }
  Id sub(Id a, Id b) { return binary(ir::OpKind::Sub, {}, a, b); }
  Id maximum(Id a, Id b) { return binary(ir::OpKind::Maximum, {}, a, b); }
  Id minimum(Id a, Id b) { return binary(ir::OpKind::Minimum, {}, a, b); }
  Id bit_and(Id a, Id b) { return binary(ir::OpKind::BitwiseAnd, {}, a, b); }
  Id shift_left(Id a, Id bits) { return binary(ir::OpKind::LogicalLeftShift, {}, a, bits); }
  /// Rounds half up where `round` says so, else down.
  Id shift_right(Id a, Id bits, bool round) {
    return binary(ir::OpKind::ArithmeticRightShift, ir::ShiftAttributes{round}, a, bits);
  }
  /// a * b / 2^shift, rounded half up.
  Id mul(Id a, Id b, int64_t shift);
  Id clz(Id a) { return unary(ir::OpKind::Clz, a); }
  Id abs(Id a) { return unary(ir::OpKind::Abs, a); }
  /// Truth values: a > b, a == b. `select` takes a number where they hold, else another one.
  Id greater(Id a, Id b) { return comparison(ir::OpKind::Greater, a, b); }
  Id equal(Id a, Id b) { return comparison(ir::OpKind::Equal, a, b); }
  Id select(Id condition, Id a, Id b);
  /// Of the last dimension.
  Id sum(Id a) { return reduce(ir::OpKind::ReduceSum, a); }
  Id greatest(Id a) { return reduce(ir::OpKind::ReduceMax, a); }

  /// One number, of the rank that operands have.
  Id number(size_t rank, int64_t element);
  /// Numbers along the last dimension.
  Id numbers(size_t rank, const std::vector<int64_t>& elements);

  /// a times the factor, which is above 0, rounded half up.
  Id scaled(Id a, double factor) { return rescaled(a, base::ElementType::Int32, multiplier_of(factor)); }

  /// a / 2^halvings, rounded half up and saturated, as int16.
  Id codes16(Id a, int64_t halvings) { return rescaled(a, base::ElementType::Int16, {int64_t{1} << 30, 30 + halvings}); }

  /// Codes as int32, zero points kept.
  Id widened(const Value& value, Id codes);
  Id reshaped(Id a, const base::Shape& shape);
  /// function(i) for i from -256 to 256, where `a` holds i * 128 and is saturated to int16: from there on numbers between
  /// two of them are interpolated. Entries have 16 bits, results are 128 times as much.
  Id table(Id a, const std::function<int64_t(int64_t)>& function);
  /// function(i), which has up to 30 bits and no sign, where `a` holds i, from -255 to 255: two tables, of 15 bits each.
  Id wide_table(Id a, const std::function<int64_t(int64_t)>& function) { return wide_entries(index_of(a), function); }
  /// The same in two steps, for several tables of one index: a, from -255 to 255, beyond which a table's ends are.
  Id index_of(Id a);
  Id entries(Id index, const std::function<int64_t(int64_t)>& function);  // of 16 bits, times 128
  Id wide_entries(Id index, const std::function<int64_t(int64_t)>& function);

 private:
  Id binary(ir::OpKind kind, const ir::Attributes& attributes, Id a, Id b);
  Id comparison(ir::OpKind kind, Id a, Id b);
  Id unary(ir::OpKind kind, Id a);
  Id reduce(ir::OpKind kind, Id a);
  Id rescaled(Id a, base::ElementType type, const Multiplier& multiplier);
  [[nodiscard]] const base::Shape& shape_of(Id a) const { return lowering_.graph.tensor(a).shape; }

  Lowering& lowering_;
  std::string name_, layer_;
};

}  // namespace vernier::import::quantized
