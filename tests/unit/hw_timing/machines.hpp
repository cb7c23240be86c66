// SPDX-License-Identifier: Apache-2.0
// Machines and commands for the tests of hw/timing.
#pragma once

#include "hw/base/error.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/spec/command.hpp"
#include "hw/timing/unit_timing.hpp"

#include <numeric>
#include <string_view>

namespace vernier::timing {

inline config::MachineConfig machine(std::string_view name) {
  const std::optional<spec::Preset> preset = spec::find_preset(name);
  VERNIER_CHECK(preset, "no preset {}", name);
  config::MachineConfig config;
  config.name = config.base = std::string(name);
  config.datapath = preset->datapath;
  config.clock_hz = preset->clock_hz;
  config.sram_bytes = preset->sram_bytes;
  config.external = preset->external;
  config.queue_depth = preset->queue_depth;
  config.memory_mode = preset->memory_mode;
  return config;
}

/// A map of planes of N channels: a pixel is one word. `row_pad_words` lengthens each row.
inline spec::FeatureMap planes(int64_t base, int64_t rows, int64_t columns, int64_t lanes, int64_t row_pad_words = 0) {
  spec::FeatureMap map;
  map.base = base;
  map.pixel_pitch_bytes = lanes;
  map.row_pitch_bytes = (columns + row_pad_words) * lanes;
  map.block_pitch_bytes = rows * map.row_pitch_bytes;
  return map;
}

/// Dense NHWC.
inline spec::FeatureMap dense(int64_t base, int64_t columns, int64_t channels, int64_t lanes,
                              base::ElementType type = base::ElementType::Int8) {
  const int64_t element_bytes = base::stored_bytes(type);
  spec::FeatureMap map;
  map.base = base;
  map.type = type;
  map.pixel_pitch_bytes = channels * element_bytes;
  map.row_pitch_bytes = columns * map.pixel_pitch_bytes;
  map.block_pitch_bytes = lanes * element_bytes;
  return map;
}

inline int64_t demand_of(const Phase& phase, Resource resource) { return phase.demand[static_cast<size_t>(resource)]; }
inline int64_t stall_of(const Phase& phase, Stall stall) { return phase.stall_cycles[static_cast<size_t>(stall)]; }
/// Cycles that hands can count: what banks cost is played (bank_play_test).
inline int64_t without_banks(const Phase& phase) { return phase.cycles - stall_of(phase, Stall::BankConflict); }
/// A command's first words of weights, rows and results can meet before its streams are ahead.
inline constexpr int64_t kStartWords = 4;
inline int64_t sum_of_stalls(const Phase& phase) {
  return std::accumulate(phase.stall_cycles.begin(), phase.stall_cycles.end(), int64_t{0});
}

}  // namespace vernier::timing
