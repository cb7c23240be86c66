// SPDX-License-Identifier: Apache-2.0
// TABLE (TOSA 1.0, section 2.4.14) over hw/model/table.hpp.
#include "hw/model/table.hpp"

#include "compiler/reference/elements.hpp"
#include "compiler/reference/operators.hpp"

namespace vernier::reference {

base::Tensor table(Task& task) {
  base::Tensor output = task.make_output();
  const Reader input(task.operand(0));
  const Writer result(output);
  if (task.operand(0).type() == base::ElementType::Int8) {
    const auto entries = task.operand(1).as<int8_t>();
    for (int64_t i = 0; i < output.size(); ++i) result.set(i, model::table_8(input.small(i), entries));
    return output;
  }
  const auto entries = task.operand(1).as<int16_t>();
  for (int64_t i = 0; i < output.size(); ++i) {
    const int32_t x = input.small(i);
    if (!model::table_16_is_defined(x, entries)) {
      task.require_violated(fmt::format("the slope of the table at {} does not fit int16", x), i);
    }
    result.set(i, model::table_16(x, entries));
  }
  return output;
}

}  // namespace vernier::reference
