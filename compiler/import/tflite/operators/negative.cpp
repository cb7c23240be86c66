// SPDX-License-Identifier: Apache-2.0
// NEG: the kernel negates the codes as they are, whatever their zero point, and the least one stays.
#include "compiler/import/tflite/operators/operators.hpp"
#include "compiler/import/tflite/operators/rows32.hpp"

#include <algorithm>

namespace vernier::import::lite {

void lower_negative(LiteLowering& lowering, const LiteOperator& op) {
  using base::ElementType;
  const LiteTensor& input = lowering.input(op, 0);
  check_same_type(input, lowering.output(op));
  const Id from = lowering.value(op, 0);
  const ElementType type = lowering.graph.tensor(from).type;
  if (input.is_unsigned || (type != ElementType::Int8 && type != ElementType::Int16 && type != ElementType::Int32))
    refuse("'{}' is {}, allowed are INT8, INT16 and INT32, as the kernel has it", input.name, type_in_file(input));
  Rows32 rows(lowering, op, input.shape);
  const auto negated = [&](Id wide) { return rows.sub(rows.number(0), wide, "negated"); };
  if (type == ElementType::Int32) return lowering.finish(op, negated(from));
  const Id bits = rows.number(type == ElementType::Int8 ? 24 : 16);
  const Id up = rows.left(negated(lowering.rescale(op, from, {ElementType::Int32}, "wide")), bits, "wrapped");
  lowering.finish(op, lowering.rescale(op, rows.right(up, bits, false, "wrapped"), {type}, "codes"));
}

}  // namespace vernier::import::lite
