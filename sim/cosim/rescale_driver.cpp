// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/rescale_driver.hpp"

#include "hw/base/error.hpp"

#include <algorithm>

namespace vernier::cosim {

RescaleDriver::RescaleDriver(ClockedBlock& block)
    : lanes_(block.lanes()),
      value_(block.port("scale_value_i")),
      multiplier_(block.port("scale_multiplier_i")),
      shift_(block.port("scale_shift_i")),
      scale32_(block.port("scale_scale32_i")),
      rounding_(block.port("scale_rounding_i")),
      in_type_(block.port("scale_in_type_i")),
      in_unsigned_(block.port("scale_in_unsigned_i")),
      in_zero_point_(block.port("scale_in_zero_point_i")),
      out_type_(block.port("scale_out_type_i")),
      out_unsigned_(block.port("scale_out_unsigned_i")),
      out_zero_point_(block.port("scale_out_zero_point_i")),
      clamp_min_(block.port("scale_clamp_min_i")),
      clamp_max_(block.port("scale_clamp_max_i")) {
  for (Vector& vector : vectors_) {
    vector.lanes.resize(static_cast<size_t>(lanes_));
    vector.expected.resize(static_cast<size_t>(lanes_));
  }
}

/// A vector of nothing but zeros could not tell a block that computes from one that does not, so that there is none.
void RescaleDriver::draw(int slot, Random& random) {
  Vector& vector = vectors_[static_cast<size_t>(slot)];
  do {
    if (random.chance(60)) {
      setup_ = draw_setup(random);
      is_setup_legal_ = is_legal(setup_);
    }
    for (size_t lane = 0; lane < vector.lanes.size(); ++lane) {
      vector.lanes[lane] = draw_lane(setup_, random);
      vector.expected[lane] = rescale_steps(setup_, vector.lanes[lane]).result;
    }
  } while (std::ranges::all_of(vector.expected, [](int32_t result) { return result == 0; }));
  vector.setup = setup_;
  if (!is_setup_legal_) return;
  for (const RescaleLane& lane : vector.lanes) coverage_.count(setup_, lane, rescale_steps(setup_, lane));
}

void RescaleDriver::drive(int slot) {
  const Vector& vector = vectors_[static_cast<size_t>(slot)];
  for (size_t lane = 0; lane < vector.lanes.size(); ++lane) {
    const auto idx = static_cast<int64_t>(lane);
    value_.set_field(idx, 48, static_cast<uint64_t>(vector.lanes[lane].value));
    multiplier_.set_field(idx, 32, static_cast<uint64_t>(vector.lanes[lane].multiplier));
    shift_.set_field(idx, 6, static_cast<uint64_t>(vector.lanes[lane].shift));
  }
  const RescaleSetup& setup = vector.setup;
  scale32_.set(setup.scale32 ? 1 : 0);
  rounding_.set(static_cast<uint64_t>(setup.rounding));
  in_type_.set(static_cast<uint64_t>(setup.in_type));
  in_unsigned_.set(setup.in_unsigned ? 1 : 0);
  in_zero_point_.set(static_cast<uint64_t>(setup.in_zero_point));
  out_type_.set(static_cast<uint64_t>(setup.out_type));
  out_unsigned_.set(setup.out_unsigned ? 1 : 0);
  out_zero_point_.set(static_cast<uint64_t>(setup.out_zero_point));
  clamp_min_.set(static_cast<uint64_t>(setup.clamp_min));
  clamp_max_.set(static_cast<uint64_t>(setup.clamp_max));
}

void RescaleDriver::scramble(Random& random) {
  for (int64_t lane = 0; lane < lanes_; ++lane) value_.set_field(lane, 48, random.bits());
  shift_.set_field(0, 6, random.bits());
  multiplier_.set_field(0, 32, random.bits());
  rounding_.set(random.bits());
  in_type_.set(random.bits());
  out_zero_point_.set(random.bits());
}

std::span<const int32_t> RescaleDriver::expected(int slot) const { return vectors_[static_cast<size_t>(slot)].expected; }

int RescaleDriver::group_of(int slot) const { return cosim::group_of(vectors_[static_cast<size_t>(slot)].setup); }

std::string RescaleDriver::explain(int slot, int lane) const {
  const Vector& vector = vectors_[static_cast<size_t>(slot)];
  const RescaleLane& operands = vector.lanes[static_cast<size_t>(lane)];
  const RescaleSteps steps = rescale_steps(vector.setup, operands);
  return fmt::format(
      "value {} (0x{:x}), multiplier {}, shift {}; {}; less the zero point {}, product {}, shifted {}, biased {}",
      operands.value, static_cast<uint64_t>(operands.value) & 0xffff'ffff'ffffU, operands.multiplier, operands.shift,
      describe(vector.setup), steps.number, steps.product, steps.scaled, steps.biased);
}

}  // namespace vernier::cosim
