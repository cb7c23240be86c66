// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stimulus/rescale_vectors.hpp"

#include "hw/base/error.hpp"
#include "hw/model/rescale.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/spec/machine.hpp"
#include "hw/spec/rescale_limits.hpp"
#include "hw/spec/vector_schedule.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace vernier::cosim {
namespace {

using base::ElementType;
using spec::Rounding;

constexpr std::array kInTypes{ElementType::Int8, ElementType::Int16, ElementType::Int32, ElementType::Int48};
constexpr std::array kOutTypes{ElementType::Int8, ElementType::Int16, ElementType::Int32};
constexpr std::array<std::string_view, 4> kRoundingNames{"single", "double", "inexact", "half_even"};
constexpr int kNumShifts = 64;

int in_bits(const RescaleSetup& setup) { return base::info(setup.in_type).bits; }

/// `odd` times a power of two, of at most `bits` bits: trailing zeros as asked for.
int64_t with_trailing_zeros(int zeros, int bits, Random& random) {
  const int free_bits = std::max(1, static_cast<int>(random.within(1, std::max(1, bits - zeros))));
  const uint64_t odd = (random.bits() & ((uint64_t{1} << free_bits) - 1)) | 1U;
  return static_cast<int64_t>(odd << zeros);
}

/// A lane whose product has exactly `zeros` trailing zeros (at least so many with `or_more`), where its widths allow that.
void aim_at_zeros(const RescaleSetup& setup, int zeros, Random& random, RescaleLane& lane) {
  const int value_bits = std::min(in_bits(setup), setup.scale32 ? 32 : 48) - 1, multiplier_bits = setup.scale32 ? 31 : 15;
  const int least = std::max(0, zeros - (value_bits - 1)), most = std::min(multiplier_bits - 1, zeros);
  if (least > most) return;
  const auto of_multiplier = static_cast<int>(random.within(least, most));
  lane.multiplier = static_cast<int32_t>(with_trailing_zeros(of_multiplier, multiplier_bits, random));
  int64_t number = with_trailing_zeros(zeros - of_multiplier, value_bits, random);
  if (!setup.in_unsigned && random.chance(50)) number = -number;
  lane.value = number + setup.in_zero_point;
}

/// Numbers near the ends, near 0, or of any length.
int64_t any_number(int bits, Random& random) {
  const auto all = static_cast<int64_t>(random.bits());
  switch (random.within(0, 3)) {
    case 0: return model::sign_extend(all, bits);
    case 1: return model::sign_extend(all, static_cast<int>(random.within(1, bits)));
    case 2: return model::sign_extend((int64_t{1} << (bits - 1)) + random.within(-2, 2), bits);
    default: return random.within(-2, 2);
  }
}

int shift_class(int shift) { return shift < 16 ? 0 : shift < 32 ? 1 : shift < 48 ? 2 : 3; }
constexpr int kNumShiftClasses = 4;
constexpr std::array<std::string_view, kNumShiftClasses> kShiftClasses{"2..15", "16..31", "32..47", "48..62"};
constexpr std::array<std::string_view, 6> kOutcomes{"other",    "exact",          "tie up",
                                                    "tie down", "saturated high", "saturated low"};
constexpr size_t kNumOutcomes = kOutcomes.size();

size_t outcome_bin(const RescaleSetup& setup, int shift, RescaleOutcome outcome) {
  const auto width = static_cast<size_t>(group_of(setup)), rounding = static_cast<size_t>(setup.rounding);
  return ((width * kRoundingNames.size() + rounding) * kNumShiftClasses + static_cast<size_t>(shift_class(shift))) *
             kNumOutcomes +
         static_cast<size_t>(outcome);
}

size_t sign_bin(const RescaleSetup& setup, int shift) {
  const auto width = static_cast<size_t>(group_of(setup)), rounding = static_cast<size_t>(setup.rounding);
  return ((width * kRoundingNames.size() + rounding) * kNumShifts + static_cast<size_t>(shift)) * 4 +
         (setup.in_unsigned ? 2U : 0U) + (setup.out_unsigned ? 1U : 0U);
}

/// Calls visit(setup) for every combination of types, signs, multiplier and rounding.
template <typename Visitor>
void for_each_setup(Visitor visit) {
  for (const ElementType in_type : kInTypes) {
    for (const ElementType out_type : kOutTypes) {
      for (int flags = 0; flags < 8; ++flags) {
        for (size_t rounding = 0; rounding < kRoundingNames.size(); ++rounding) {
          visit(RescaleSetup{.in_type = in_type,
                             .out_type = out_type,
                             .in_unsigned = (flags & 1) != 0,
                             .out_unsigned = (flags & 2) != 0,
                             .scale32 = (flags & 4) != 0,
                             .rounding = static_cast<Rounding>(rounding)});
        }
      }
    }
  }
}

}  // namespace

RescaleSetup setup_of(const spec::MacCommand& command) {
  return {.in_type = command.accumulator_is_48 ? ElementType::Int48 : ElementType::Int32,
          .out_type = command.output.type,
          .out_unsigned = command.output_is_unsigned,
          .scale32 = command.scale32,
          .rounding = command.rounding,
          .out_zero_point = static_cast<int32_t>(command.output_zero_point),
          .clamp_min = static_cast<int32_t>(command.clamp_min),
          .clamp_max = static_cast<int32_t>(command.clamp_max)};
}

RescaleSteps rescale_steps(const RescaleSetup& setup, const RescaleLane& lane) {
  RescaleSteps steps;
  const int64_t difference = model::extend_stored(lane.value, setup.in_type, setup.in_unsigned) - setup.in_zero_point;
  steps.number = setup.scale32 ? model::wrap32(difference) : model::wrap48(difference);
  const int64_t multiplier = setup.scale32 ? lane.multiplier : model::sign_extend(lane.multiplier, 16);
  steps.product = model::wrapping_mul64(steps.number, multiplier);
  steps.scaled = setup.scale32
                     ? model::apply_scale_32(model::wrap32(steps.number), lane.multiplier, lane.shift, setup.rounding)
                     : model::apply_scale_16(steps.number, lane.multiplier, lane.shift, setup.rounding);
  steps.biased = model::wrap32(int64_t{steps.scaled} + setup.out_zero_point);
  const int32_t saturated = model::saturate_scaled(steps.scaled, setup.out_zero_point, setup.out_type, setup.out_unsigned);
  steps.result = std::min(std::max(saturated, setup.clamp_min), setup.clamp_max);
  return steps;
}

RescaleOutcome outcome_of(const RescaleSetup& setup, const RescaleLane& lane, const RescaleSteps& steps) {
  const int32_t saturated = model::saturate_scaled(steps.scaled, setup.out_zero_point, setup.out_type, setup.out_unsigned);
  if (saturated < steps.biased) return RescaleOutcome::SaturatedHigh;
  if (saturated > steps.biased) return RescaleOutcome::SaturatedLow;
  const auto product = static_cast<uint64_t>(steps.product);
  if (product == 0) return RescaleOutcome::Exact;
  const int zeros = std::countr_zero(product);
  if (zeros >= lane.shift) return RescaleOutcome::Exact;
  if (zeros != lane.shift - 1) return RescaleOutcome::Other;
  return steps.scaled > steps.product >> lane.shift ? RescaleOutcome::TieUp : RescaleOutcome::TieDown;
}

bool is_legal(const RescaleSetup& setup) {
  spec::VectorCommand program;
  program.streams.push_back({.type = setup.in_type, .is_unsigned = setup.in_unsigned});
  program.streams.push_back({.type = setup.out_type});
  program.steps.push_back({.op = spec::VectorOp::Load, .imm0 = setup.in_zero_point});
  program.steps.push_back({.op = spec::VectorOp::Rescale,
                           .b_is_immediate = true,
                           .type = setup.out_type,
                           .is_unsigned = setup.out_unsigned,
                           .scale32 = setup.scale32,
                           .rounding = setup.rounding,
                           .shift = spec::kMinRescaleShift,
                           .imm0 = 1,
                           .imm1 = setup.out_zero_point});
  program.steps.push_back({.op = spec::VectorOp::Store, .stream = 1});
  VERNIER_CHECK(spec::schedule(program, spec::kPresets[0].datapath), "no schedule for a RESCALE");
  spec::Command command{{.queue = spec::Queue::VectorUnit}, program};
  return package::check(command, spec::kPresets[0].datapath).fault == spec::FaultCode::None;
}

bool is_legal(const RescaleSetup& setup, const RescaleLane& lane) {
  return spec::takes_rescale(lane.multiplier, lane.shift, setup.scale32);
}

RescaleSetup draw_setup(Random& random) {
  RescaleSetup setup;
  const bool is_tosa = !random.chance(12);
  const auto any_zero_point = [&](ElementType type, bool is_unsigned) {
    if (!is_tosa) return static_cast<int32_t>(any_number(random.chance(50) ? 17 : 32, random));
    if (type == ElementType::Int8)
      return static_cast<int32_t>(is_unsigned ? random.within(0, 255) : random.within(-128, 127));
    return type == ElementType::Int16 && is_unsigned && random.chance(50) ? 32768 : 0;
  };
  setup.scale32 = random.chance(50);
  setup.in_type = kInTypes[static_cast<size_t>(random.within(0, is_tosa && setup.scale32 ? 2 : 3))];
  setup.out_type = kOutTypes[static_cast<size_t>(random.within(0, 2))];
  setup.in_unsigned = random.chance(40) && (!is_tosa || base::stored_bytes(setup.in_type) <= 2);
  setup.out_unsigned = random.chance(40) && (!is_tosa || setup.out_type != ElementType::Int32);
  do {
    setup.rounding = static_cast<Rounding>(random.within(0, 3));
  } while (is_tosa && !setup.scale32 && setup.rounding == Rounding::Double);
  setup.in_zero_point = any_zero_point(setup.in_type, setup.in_unsigned);
  setup.out_zero_point = any_zero_point(setup.out_type, setup.out_unsigned);
  if (random.chance(30)) {
    const int64_t a = any_number(9, random), b = any_number(random.chance(50) ? 9 : 32, random);
    const bool is_ordered = is_tosa || random.chance(50);
    setup.clamp_min = static_cast<int32_t>(is_ordered ? std::min(a, b) : a);
    setup.clamp_max = static_cast<int32_t>(is_ordered ? std::max(a, b) : b);
  }
  return setup;
}

RescaleLane draw_lane(const RescaleSetup& setup, Random& random) {
  RescaleLane lane;
  const int multiplier_bits = setup.scale32 ? 31 : 15;
  lane.shift = static_cast<int32_t>(random.within(spec::kMinRescaleShift, spec::kMaxRescaleShift));
  lane.value = any_number(in_bits(setup), random);
  const auto bits = static_cast<int32_t>(random.bits());
  lane.multiplier = bits & ((1 << random.within(1, multiplier_bits - 1)) - 1);
  switch (random.within(0, 7)) {
    case 0:
    case 1: aim_at_zeros(setup, lane.shift - 1, random, lane); break;
    case 2: aim_at_zeros(setup, lane.shift + static_cast<int>(random.within(0, 2)), random, lane); break;
    case 3:  // a product of many bits
      lane.value = random.chance(50) ? (int64_t{1} << (in_bits(setup) - 1)) - 1 : int64_t{1} << (in_bits(setup) - 1);
      lane.multiplier = static_cast<int32_t>((int64_t{1} << multiplier_bits) - 1 - random.within(0, 3));
      break;
    case 4:
      if (random.chance(30)) lane.multiplier = static_cast<int32_t>(any_number(32, random));
      if (random.chance(10)) lane.shift = static_cast<int32_t>(random.within(0, 63));
      if (random.chance(2)) {  // the largest product that there is, which half to even of the largest shift adds as much to
        lane.value = setup.in_zero_point - (int64_t{1} << ((setup.scale32 ? 32 : 48) - 1));
        lane.multiplier = setup.scale32 ? INT32_MIN : INT16_MIN;
        lane.shift = random.chance(50) ? kNumShifts - 1 : lane.shift;
      }
      break;
    default: break;
  }
  return lane;
}

RescaleCoverage::RescaleCoverage()
    : outcomes_(rescale_groups().size() * kRoundingNames.size() * kNumShiftClasses * kNumOutcomes),
      signs_(rescale_groups().size() * kRoundingNames.size() * kNumShifts * 4) {
  constexpr int kTries = 2000;
  Random random(1);
  for_each_setup([&](const RescaleSetup& setup) {
    if (!cosim::is_legal(setup)) return;
    for (int shift = spec::kMinRescaleShift; shift <= spec::kMaxRescaleShift; ++shift)
      signs_[sign_bin(setup, shift)].is_legal = true;
    for (int i = 0; i < kTries; ++i) {
      const RescaleLane lane = draw_lane(setup, random);
      if (!cosim::is_legal(setup, lane)) continue;
      const RescaleOutcome outcome = outcome_of(setup, lane, rescale_steps(setup, lane));
      outcomes_[outcome_bin(setup, lane.shift, outcome)].is_legal = true;
    }
  });
}

void RescaleCoverage::count(const RescaleSetup& setup, const RescaleLane& lane, const RescaleSteps& steps) {
  if (!cosim::is_legal(setup, lane)) return;
  signs_[sign_bin(setup, lane.shift)].is_hit = true;
  outcomes_[outcome_bin(setup, lane.shift, outcome_of(setup, lane, steps))].is_hit = true;
}

int64_t RescaleCoverage::num_legal() const {
  const auto is_legal_bin = [](const Bin& bin) { return bin.is_legal; };
  return std::ranges::count_if(outcomes_, is_legal_bin) + std::ranges::count_if(signs_, is_legal_bin);
}

int64_t RescaleCoverage::num_hit() const {
  const auto is_counted = [](const Bin& bin) { return bin.is_legal && bin.is_hit; };
  return std::ranges::count_if(outcomes_, is_counted) + std::ranges::count_if(signs_, is_counted);
}

std::vector<std::string> RescaleCoverage::missing() const {
  std::vector<std::string> names;
  const std::vector<std::string> groups = rescale_groups();
  for (size_t i = 0; i < outcomes_.size(); ++i) {
    if (!outcomes_[i].is_legal || outcomes_[i].is_hit) continue;
    const size_t cls = i / kNumOutcomes % kNumShiftClasses, rest = i / kNumOutcomes / kNumShiftClasses;
    names.push_back(fmt::format("{}, {}, shift {}, {}", groups[rest / kRoundingNames.size()],
                                kRoundingNames[rest % kRoundingNames.size()], kShiftClasses[cls],
                                kOutcomes[i % kNumOutcomes]));
  }
  for (size_t i = 0; i < signs_.size(); ++i) {
    if (!signs_[i].is_legal || signs_[i].is_hit) continue;
    const size_t shift = i / 4 % kNumShifts, rest = i / 4 / kNumShifts;
    names.push_back(fmt::format("{}, {}, shift {}, {} to {}", groups[rest / kRoundingNames.size()],
                                kRoundingNames[rest % kRoundingNames.size()], shift, (i & 2U) != 0 ? "unsigned" : "signed",
                                (i & 1U) != 0 ? "unsigned" : "signed"));
  }
  return names;
}

int group_of(const RescaleSetup& setup) {
  const int type = static_cast<int>(setup.in_type) - static_cast<int>(ElementType::Int8);
  return type * 2 + (setup.scale32 ? 1 : 0);
}

std::vector<std::string> rescale_groups() {
  std::vector<std::string> names;
  for (const ElementType type : kInTypes) {
    for (const int bits : {16, 32}) names.push_back(fmt::format("{} x {}", base::to_string(type), bits));
  }
  return names;
}

std::string describe(const RescaleSetup& setup) {
  return fmt::format("{}{} zero point {}, multiplier of {} bits, rounding {}, to {}{} zero point {}, clamp {} to {}",
                     setup.in_unsigned ? "u" : "", base::to_string(setup.in_type), setup.in_zero_point,
                     setup.scale32 ? 32 : 16, kRoundingNames[static_cast<size_t>(setup.rounding)],
                     setup.out_unsigned ? "u" : "", base::to_string(setup.out_type), setup.out_zero_point, setup.clamp_min,
                     setup.clamp_max);
}

std::string explain(const RescaleSetup& setup, const RescaleLane& lane) {
  const RescaleSteps steps = rescale_steps(setup, lane);
  return fmt::format(
      "value {} (0x{:x}), multiplier {}, shift {}; {}; less the zero point {}, product {}, shifted {}, biased {}",
      lane.value, static_cast<uint64_t>(lane.value) & 0xffff'ffff'ffffU, lane.multiplier, lane.shift, describe(setup),
      steps.number, steps.product, steps.scaled, steps.biased);
}

}  // namespace vernier::cosim
