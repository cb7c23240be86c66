// SPDX-License-Identifier: Apache-2.0
// The numbers that a TOML file may override, and in which range. The one list that validation, messages and the printed
// values share.
#pragma once

#include "hw/base/ratio.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/spec/registers.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace vernier::config::detail {

/// A number that may be overridden.
struct Limit {
  std::string_view key;
  base::Ratio least, most;
  std::string_view meaning;
  bool may_be_fraction = false;  // given as text: "1/125"
};

inline constexpr std::array<Limit, 6> kLimits{{
    {"clock_hz", 1'000'000, kMostClockHz, "clock; only turns cycles into seconds, and per second into per cycle"},
    {"sram_bytes", spec::kKibi, spec::kMaxSramBytes, "SRAM; a multiple of one word in each bank"},
    {"external_bytes_per_cycle", kLeastBandwidth, 1024, "bandwidth of the external memory; a fraction is text, as \"1/125\"",
     true},
    {"external_latency_cycles", 1, 1'000'000, "from a request to its first byte"},
    {"external_burst_bytes", 8, 4096, "unit of transfer of the external memory; a power of two"},
    {"queue_depth_commands", 4, 64, "commands that wait in front of a unit"},
}};

/// "clock_hz is 0, allowed are 1000000 to 100000000000"
std::string out_of_range(const Limit& limit, base::Ratio value);

/// A second way of saying the value under `key`, in units of time: it follows from that and the clock.
struct Twin {
  std::string_view name;
  std::string_view key;
  std::string_view meaning;
};

inline constexpr std::array<Twin, 2> kTwins{{
    {"external_bytes_per_second", "external_bytes_per_cycle", "the same over time: external_bytes_per_cycle x clock_hz"},
    {"external_latency_ns", "external_latency_cycles", "the same in time; in a TOML file rounded up to whole cycles"},
}};

/// The value under a key of kLimits.
base::Ratio value_of(const MachineConfig& config, std::string_view key);
/// Sets it; the caller validates.
void set_value(MachineConfig& config, std::string_view key, base::Ratio value);
/// The value under a twin's name, from the value that it stands for and the clock.
base::Ratio twin_of(const MachineConfig& config, const Twin& twin);
/// The least and the most that may stand under a twin's name, by the clock that `config` has.
std::pair<int64_t, int64_t> range_of(const MachineConfig& config, const Twin& twin);
/// Sets what the twin stands for, by the clock that `config` has; a latency rounds up. The caller validates.
void set_twin(MachineConfig& config, const Twin& twin, int64_t value);

}  // namespace vernier::config::detail
