// SPDX-License-Identifier: Apache-2.0
// How far the cycles of the model are from those of RTL where that was measured: each command of twelve networks alone, on
// RTL behind an SRAM with banks and ports, the model's cycles summed against the RTL's. docs/results/fidelity.json has the
// figures; a test compares this table with them (tests/fidelity/measured_test.py).
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace vernier::report {

/// RTL takes from least to greatest percent more cycles than the model, rounded outwards to two decimals, over the networks.
struct MeasuredError {
  std::string_view config;
  double least_percent, greatest_percent;
  int num_networks;
};

inline constexpr std::array kMeasuredErrors{MeasuredError{"v64", -0.26, 0.25, 12}, MeasuredError{"v256", -0.32, 0.06, 12},
                                            MeasuredError{"v1024", -0.83, 0.17, 12}};

/// None for a machine that was not measured, as a variant of a preset.
inline std::optional<MeasuredError> measured_error(std::string_view config) {
  const auto* const found = std::ranges::find(kMeasuredErrors, config, &MeasuredError::config);
  return found == kMeasuredErrors.end() ? std::nullopt : std::optional(*found);
}

/// A bound on what nobody has measured is for people only up to this size: a larger one says nothing about a run. The JSON
/// report has every bound.
inline constexpr double kMostShownBoundPercent = 20.0;

}  // namespace vernier::report
