// SPDX-License-Identifier: Apache-2.0
// Operands for the rescale unit, what hw/model makes of them, and which kinds of them there are (coverage).
#pragma once

#include "hw/base/element_type.hpp"
#include "hw/spec/command.hpp"
#include "hw/spec/rounding.hpp"
#include "sim/cosim/stimulus/random.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::cosim {

/// What all lanes of a vector share. Zero points and limits are numbers.
struct RescaleSetup {
  base::ElementType in_type = base::ElementType::Int32;
  base::ElementType out_type = base::ElementType::Int8;
  bool in_unsigned = false, out_unsigned = false;
  bool scale32 = true;
  spec::Rounding rounding = spec::Rounding::Single;
  int32_t in_zero_point = 0, out_zero_point = 0;
  int32_t clamp_min = INT32_MIN, clamp_max = INT32_MAX;
};

/// That of the array's epilogue: an accumulator with its bias goes in.
RescaleSetup setup_of(const spec::MacCommand& command);

struct RescaleLane {
  int64_t value = 0;  // as stored: the low bits of the in type count
  int32_t multiplier = 1;
  int32_t shift = 2;
};

/// What happens to a number on its way, by hw/model.
struct RescaleSteps {
  int64_t number = 0;   // less the zero point, in 32 or 48 bits
  int64_t product = 0;  // with the multiplier's 32 or 16 bits
  int32_t scaled = 0, biased = 0;
  int32_t result = 0;
};
RescaleSteps rescale_steps(const RescaleSetup& setup, const RescaleLane& lane);

/// How a product meets the shift and the limits of the output type.
enum class RescaleOutcome : uint8_t { Other, Exact, TieUp, TieDown, SaturatedHigh, SaturatedLow };
RescaleOutcome outcome_of(const RescaleSetup& setup, const RescaleLane& lane, const RescaleSteps& steps);

/// Whether package::check takes a vector program with such a step; also a lane's multiplier and shift.
bool is_legal(const RescaleSetup& setup);
bool is_legal(const RescaleSetup& setup, const RescaleLane& lane);

/// Types, roundings and zero points that mostly are legal: one vector in eight is not, and has to equal the model all the
/// same.
RescaleSetup draw_setup(Random& random);
/// Half of them meet an exact quotient, a tie or a limit.
RescaleLane draw_lane(const RescaleSetup& setup, Random& random);

/// Width x rounding x shift class x outcome, and shift x width x rounding x signs of both ends. A bin is legal when
/// package::check takes its setup and hw/model shows a lane in it.
class RescaleCoverage {
 public:
  RescaleCoverage();
  void count(const RescaleSetup& setup, const RescaleLane& lane, const RescaleSteps& steps);
  [[nodiscard]] int64_t num_legal() const;
  [[nodiscard]] int64_t num_hit() const;
  /// The legal bins that nothing has hit.
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  struct Bin {
    bool is_legal = false, is_hit = false;
  };
  std::vector<Bin> outcomes_, signs_;
};

/// "int8 x 32" to "int48 x 16": the group of a setup, and all of them.
int group_of(const RescaleSetup& setup);
std::vector<std::string> rescale_groups();
std::string describe(const RescaleSetup& setup);
/// A lane's operands and what happens to them.
std::string explain(const RescaleSetup& setup, const RescaleLane& lane);

}  // namespace vernier::cosim
