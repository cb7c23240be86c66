// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/rescale_driver.hpp"

#include "hw/base/error.hpp"

#include <algorithm>

namespace vernier::cosim {

RescalePins::RescalePins(const ClockedBlock& block)
    : value(block.port("scale_value_i")),
      multiplier(block.port("scale_multiplier_i")),
      shift(block.port("scale_shift_i")),
      scale32(block.port("scale_scale32_i")),
      rounding(block.port("scale_rounding_i")),
      in_type(block.port("scale_in_type_i")),
      in_unsigned(block.port("scale_in_unsigned_i")),
      in_zero_point(block.port("scale_in_zero_point_i")),
      out_type(block.port("scale_out_type_i")),
      out_unsigned(block.port("scale_out_unsigned_i")),
      out_zero_point(block.port("scale_out_zero_point_i")),
      clamp_min(block.port("scale_clamp_min_i")),
      clamp_max(block.port("scale_clamp_max_i")) {}

void RescalePins::drive(const RescaleSetup& setup, std::span<const RescaleLane> lanes) {
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    const auto idx = static_cast<int64_t>(lane);
    value.set_field(idx, 48, static_cast<uint64_t>(lanes[lane].value));
    multiplier.set_field(idx, 32, static_cast<uint64_t>(lanes[lane].multiplier));
    shift.set_field(idx, 6, static_cast<uint64_t>(lanes[lane].shift));
  }
  scale32.set(setup.scale32 ? 1 : 0);
  rounding.set(static_cast<uint64_t>(setup.rounding));
  in_type.set(static_cast<uint64_t>(setup.in_type));
  in_unsigned.set(setup.in_unsigned ? 1 : 0);
  in_zero_point.set(static_cast<uint64_t>(setup.in_zero_point));
  out_type.set(static_cast<uint64_t>(setup.out_type));
  out_unsigned.set(setup.out_unsigned ? 1 : 0);
  out_zero_point.set(static_cast<uint64_t>(setup.out_zero_point));
  clamp_min.set(static_cast<uint64_t>(setup.clamp_min));
  clamp_max.set(static_cast<uint64_t>(setup.clamp_max));
}

RescaleDriver::RescaleDriver(ClockedBlock& block) : lanes_(block.lanes()), pins_(block) {
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
  pins_.drive(vector.setup, vector.lanes);
}

void RescaleDriver::scramble(Random& random) {
  for (int64_t lane = 0; lane < lanes_; ++lane) pins_.value.set_field(lane, 48, random.bits());
  pins_.shift.set_field(0, 6, random.bits());
  pins_.multiplier.set_field(0, 32, random.bits());
  pins_.rounding.set(random.bits());
  pins_.in_type.set(random.bits());
  pins_.out_zero_point.set(random.bits());
}

std::span<const int32_t> RescaleDriver::expected(int slot) const { return vectors_[static_cast<size_t>(slot)].expected; }

int RescaleDriver::group_of(int slot) const { return cosim::group_of(vectors_[static_cast<size_t>(slot)].setup); }

std::string RescaleDriver::explain(int slot, int lane) const {
  const Vector& vector = vectors_[static_cast<size_t>(slot)];
  return cosim::explain(vector.setup, vector.lanes[static_cast<size_t>(lane)]);
}

}  // namespace vernier::cosim
