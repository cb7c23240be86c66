// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/golden_lanes.hpp"

#include "hw/spec/latency.hpp"
#include "sim/cosim/rescale_vectors.hpp"
#include "sim/kernels/table_look_up.hpp"

namespace vernier::cosim {

GoldenLanes::GoldenLanes(const ClockedBlock& block, const kernels::TableMemory& tables)
    : lanes_(block.lanes()),
      tables_(tables),
      scale_en_(block.port("scale_en_o")),
      scale_valid_(block.port("scale_valid_o")),
      scale_tag_(block.port("scale_tag_o")),
      value_(block.port("scale_value_o")),
      multiplier_(block.port("scale_multiplier_o")),
      shift_(block.port("scale_shift_o")),
      scale32_(block.port("scale_scale32_o")),
      rounding_(block.port("scale_rounding_o")),
      in_type_(block.port("scale_in_type_o")),
      in_unsigned_(block.port("scale_in_unsigned_o")),
      in_zero_point_(block.port("scale_in_zero_point_o")),
      out_type_(block.port("scale_out_type_o")),
      out_unsigned_(block.port("scale_out_unsigned_o")),
      out_zero_point_(block.port("scale_out_zero_point_o")),
      clamp_min_(block.port("scale_clamp_min_o")),
      clamp_max_(block.port("scale_clamp_max_o")),
      look_en_(block.port("look_en_o")),
      look_valid_(block.port("look_valid_o")),
      look_tag_(block.port("look_tag_o")),
      look_slot_(block.port("look_slot_o")),
      look_value_(block.port("look_value_o")),
      scale_valid_i_(block.port("scale_valid_i")),
      scale_tag_i_(block.port("scale_tag_i")),
      scale_result_i_(block.port("scale_result_i")),
      look_valid_i_(block.port("look_valid_i")),
      look_tag_i_(block.port("look_tag_i")),
      look_result_i_(block.port("look_result_i")) {
  reset();
}

void GoldenLanes::reset() {
  scale_.assign(static_cast<size_t>(spec::kRescalePipelineCycles), {});
  look_.assign(static_cast<size_t>(spec::kTablePipelineCycles), {});
  drive();
}

void GoldenLanes::before_edge() {
  if (scale_en_.get() != 0) {
    scale_.push_front(rescaled());
    scale_.pop_back();
  }
  if (look_en_.get() != 0) {
    look_.push_front(looked_up());
    look_.pop_back();
  }
}

void GoldenLanes::drive() {
  put(scale_.back(), scale_valid_i_, scale_tag_i_, scale_result_i_);
  put(look_.back(), look_valid_i_, look_tag_i_, look_result_i_);
}

void GoldenLanes::put(const Vector& vector, Port valid, Port tag, Port result) {
  valid.set(vector.is_valid ? 1 : 0);
  if (!vector.is_valid) return;
  tag.set(vector.tag);
  for (size_t lane = 0; lane < vector.results.size(); ++lane) {
    result.set_field(static_cast<int64_t>(lane), 32, static_cast<uint32_t>(vector.results[lane]));
  }
}

GoldenLanes::Vector GoldenLanes::rescaled() const {
  Vector vector;
  vector.is_valid = scale_valid_.get() != 0;
  if (!vector.is_valid) return vector;
  vector.tag = scale_tag_.get();
  RescaleSetup setup;
  setup.in_type = static_cast<base::ElementType>(in_type_.get());
  setup.out_type = static_cast<base::ElementType>(out_type_.get());
  setup.in_unsigned = in_unsigned_.get() != 0;
  setup.in_zero_point = static_cast<int32_t>(in_zero_point_.get());
  setup.out_unsigned = out_unsigned_.get() != 0;
  setup.scale32 = scale32_.get() != 0;
  setup.rounding = static_cast<spec::Rounding>(rounding_.get());
  setup.out_zero_point = static_cast<int32_t>(out_zero_point_.get());
  setup.clamp_min = static_cast<int32_t>(clamp_min_.get());
  setup.clamp_max = static_cast<int32_t>(clamp_max_.get());
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    const RescaleLane operands{static_cast<int64_t>(value_.field(lane, 48)),
                               static_cast<int32_t>(multiplier_.field(lane, 32)),
                               static_cast<int32_t>(shift_.field(lane, 6))};
    vector.results.push_back(rescale_steps(setup, operands).result);
  }
  return vector;
}

GoldenLanes::Vector GoldenLanes::looked_up() const {
  Vector vector;
  vector.is_valid = look_valid_.get() != 0;
  if (!vector.is_valid) return vector;
  vector.tag = look_tag_.get();
  const kernels::TableSlot& slot = tables_[look_slot_.get()];
  kernels::visit_table(slot, *slot.type, [&](auto look_up) {
    for (int64_t lane = 0; lane < lanes_; ++lane)
      vector.results.push_back(look_up(static_cast<int16_t>(look_value_.field(lane, 16))));
  });
  return vector;
}

}  // namespace vernier::cosim
