// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/golden_lanes.hpp"

#include "hw/spec/latency.hpp"
#include "sim/cosim/stimulus/rescale_vectors.hpp"
#include "sim/kernels/table_look_up.hpp"

namespace vernier::cosim {
namespace {

/// Types and rounding that a unit has: RTL may ask for others, and gets anything.
bool is_known(const RescaleSetup& setup) {
  const auto is_out = [](base::ElementType type) {
    return type == base::ElementType::Int8 || type == base::ElementType::Int16 || type == base::ElementType::Int32;
  };
  return is_out(setup.out_type) && (is_out(setup.in_type) || setup.in_type == base::ElementType::Int48) &&
         static_cast<int>(setup.rounding) <= static_cast<int>(spec::Rounding::HalfEven);
}

}  // namespace

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
      look_result_i_(block.port("look_result_i")),
      is_shared_(block.description().kind == spec::RtlKind::VectorUnit) {
  if (is_shared_) {
    scale_ready_i_ = block.port("scale_ready_i");
    look_ready_i_ = block.port("look_ready_i");
  }
  GoldenLanes::was_reset();
}

void GoldenLanes::was_reset() {
  reset(scale_, spec::kRescalePipelineCycles);
  reset(look_, spec::kTablePipelineCycles);
  GoldenLanes::offer(true);
}

void GoldenLanes::reset(Pipe& pipe, int64_t latency_cycles) const {
  pipe = {};
  pipe.stages.assign(static_cast<size_t>(latency_cycles), {});
  if (is_shared_) pipe.due.assign(static_cast<size_t>(latency_cycles), false);
}

Seen GoldenLanes::see() {
  move(scale_, scale_en_.get() != 0, rescaled());
  move(look_, look_en_.get() != 0, looked_up());
  return Seen::Still;
}

/// At an edge: the vector unit's lanes move in any case, also for somebody else.
void GoldenLanes::move(Pipe& pipe, bool is_enabled, Vector vector) const {
  if (is_shared_) {
    if (pipe.stages.back().is_valid) pipe.early.push_back(pipe.stages.back());
    if (is_enabled) {
      if (pipe.due.back()) pipe.early.pop_front();
      pipe.due.pop_back();
      pipe.due.push_front(vector.is_valid);
    }
  }
  if (!is_shared_ && !is_enabled) return;
  pipe.stages.pop_back();
  pipe.stages.push_front(is_enabled ? std::move(vector) : Vector{});
}

void GoldenLanes::offer(bool /*is_enabled*/) {
  if (is_shared_) {
    drive_shared(scale_, scale_valid_i_, scale_tag_i_, scale_result_i_, scale_ready_i_);
    drive_shared(look_, look_valid_i_, look_tag_i_, look_result_i_, look_ready_i_);
  } else {
    put(scale_.stages.back(), scale_valid_i_, scale_tag_i_, scale_result_i_);
    put(look_.stages.back(), look_valid_i_, look_tag_i_, look_result_i_);
  }
}

void GoldenLanes::drive_shared(Pipe& pipe, Port valid, Port tag, Port result, Port ready) {
  pipe.keeps_waiting = random_ != nullptr && random_->chance(percent_);
  ready.set(pipe.keeps_waiting ? 0 : 1);
  const Vector& next = pipe.early.empty() ? pipe.stages.back() : pipe.early.front();
  VERNIER_CHECK(!pipe.due.back() || next.is_valid, "lanes that are never stopped have no result when it is due");
  put(pipe.due.back() ? next : Vector{}, valid, tag, result);
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
  if (!is_known(setup)) {
    vector.results.assign(static_cast<size_t>(lanes_), 0);
    return vector;
  }
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
  if (!slot.type) {  // RTL that asks for what no command has gets anything
    vector.results.assign(static_cast<size_t>(lanes_), 0);
    return vector;
  }
  kernels::visit_table(slot, *slot.type, [&](auto look_up) {
    for (int64_t lane = 0; lane < lanes_; ++lane)
      vector.results.push_back(look_up(static_cast<int16_t>(look_value_.field(lane, 16))));
  });
  return vector;
}

}  // namespace vernier::cosim
