// SPDX-License-Identifier: Apache-2.0
// RESCALE (TOSA 1.0, section 2.11.2) over hw/model/rescale.hpp.
#include "hw/model/rescale.hpp"

#include "compiler/reference/elements.hpp"
#include "compiler/reference/operators.hpp"

namespace vernier::reference {

base::Tensor rescale(Task& task) {
  const auto& a = task.op().attributes_as<ir::RescaleAttributes>();
  base::Tensor output = task.make_output();
  const Reader input(task.operand(0)), multipliers(task.operand(1)), shifts(task.operand(2));
  const Writer result(output);
  const int64_t num_scales = a.per_channel ? output.shape().back() : 1;
  model::RescaleParams common;
  common.input_type = task.operand(0).type();
  common.output_type = output.type();
  common.input_unsigned = a.input_unsigned;
  common.output_unsigned = a.output_unsigned;
  common.scale32 = a.scale32;
  common.rounding = a.rounding;
  common.input_zp = task.scalar(3);
  common.output_zp = task.scalar(4);
  std::vector<model::RescaleParams> params(static_cast<size_t>(num_scales), common);
  for (int64_t i = 0; i < num_scales; ++i) {
    params[static_cast<size_t>(i)].multiplier = multipliers.small(i);
    params[static_cast<size_t>(i)].shift = shifts.small(i);
  }
  for (int64_t i = 0, channel = 0; i < output.size(); ++i) {
    const model::RescaleParams& p = params[static_cast<size_t>(channel)];
    const int64_t value = input[i];
    if (!model::rescale_is_defined(value, p)) {
      task.require_violated(fmt::format("{} is out of range for multiplier {} and shift {}", value, p.multiplier, p.shift),
                            i);
    }
    result.set(i, model::rescale(value, p));
    if (++channel == num_scales) channel = 0;
  }
  return output;
}

}  // namespace vernier::reference
