// SPDX-License-Identifier: Apache-2.0
// What a TOML file may override, and in which range. The one list that validation, messages and the printed values share.
#pragma once

#include "hw/config/machine_config.hpp"
#include "hw/spec/registers.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace vernier::config::detail {

/// A whole number that may be overridden.
struct Limit {
  std::string_view key;
  int64_t least, most;
  std::string_view meaning;
};

inline constexpr std::array<Limit, 6> kLimits{{
    {"clock_hz", 1'000'000, 100'000'000'000, "clock; only turns cycles into seconds"},
    {"sram_bytes", spec::kKibi, spec::kMaxSramBytes, "SRAM; a multiple of one word in each bank"},
    {"external_bytes_per_cycle", 1, 1024, "bandwidth of the external memory"},
    {"external_latency_cycles", 1, 1'000'000, "from a request to its first byte"},
    {"external_burst_bytes", 8, 4096, "unit of transfer of the external memory; a power of two"},
    {"queue_depth_commands", 4, 64, "commands that wait in front of a unit"},
}};

/// The value under one of the keys above.
int64_t value_of(const MachineConfig& config, std::string_view key);
/// Sets it; the caller validates.
void set_value(MachineConfig& config, std::string_view key, int64_t value);

}  // namespace vernier::config::detail
