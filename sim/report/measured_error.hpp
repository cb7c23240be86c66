// SPDX-License-Identifier: Apache-2.0
// How far the cycles of the model are from those of RTL where that was measured. Whole networks on the core with its memory
// come first; where a preset has none in a memory mode, the commands of the networks alone stand for them, each on RTL
// behind an SRAM with banks and ports in memory mode sram, the model's cycles summed against the RTL's.
// docs/results/fidelity.json has the figures; a test compares this table with them (tests/fidelity/measured_test.py).
#pragma once

#include "hw/spec/machine.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vernier::report {

enum class MeasuredScope : uint8_t {
  Core,     // all commands of a network together, `vernier run --backend rtl --rtl-scope core`
  Command,  // each command alone, `--rtl-memory banked`
};
inline constexpr std::array<std::string_view, 2> kMeasuredScopeNames{"core", "command"};

/// RTL takes from least to greatest percent more cycles than the model, rounded outwards to two decimals, over the networks.
struct MeasuredError {
  MeasuredScope scope;
  std::string_view config;
  spec::MemoryMode memory_mode;
  double least_percent, greatest_percent;
  int num_networks;
};

inline constexpr std::array kMeasuredErrors{
    MeasuredError{MeasuredScope::Core, "v64", spec::MemoryMode::Sram, 0.00, 3.38, 11},
    MeasuredError{MeasuredScope::Core, "v256", spec::MemoryMode::Sram, 0.00, 2.37, 11},
    MeasuredError{MeasuredScope::Core, "v1024", spec::MemoryMode::Sram, 0.00, 1.21, 11},
    MeasuredError{MeasuredScope::Core, "v256", spec::MemoryMode::WeightsExternal, 0.00, 1.86, 9},
    MeasuredError{MeasuredScope::Core, "v256", spec::MemoryMode::External, 0.01, 1.65, 9},
    MeasuredError{MeasuredScope::Command, "v64", spec::MemoryMode::Sram, -0.26, 0.25, 12},
    MeasuredError{MeasuredScope::Command, "v256", spec::MemoryMode::Sram, -0.32, 0.06, 12},
    MeasuredError{MeasuredScope::Command, "v1024", spec::MemoryMode::Sram, -0.83, 0.17, 12},
};

/// Of a preset in a memory mode: over whole networks where there are any, else over commands alone, whose memory mode may be
/// another one. None for a machine that was not measured, as a variant of a preset.
inline std::optional<MeasuredError> measured_error(std::string_view config, spec::MemoryMode memory_mode) {
  const auto* const core = std::ranges::find_if(kMeasuredErrors, [&](const MeasuredError& error) {
    return error.scope == MeasuredScope::Core && error.config == config && error.memory_mode == memory_mode;
  });
  if (core != kMeasuredErrors.end()) return *core;
  const auto* const alone = std::ranges::find_if(kMeasuredErrors, [&](const MeasuredError& error) {
    return error.scope == MeasuredScope::Command && error.config == config;
  });
  return alone == kMeasuredErrors.end() ? std::nullopt : std::optional(*alone);
}

/// A bound on what nobody has measured is for people only up to this size: a larger one says nothing about a run. The JSON
/// report has every bound.
inline constexpr double kMostShownBoundPercent = 20.0;

}  // namespace vernier::report
