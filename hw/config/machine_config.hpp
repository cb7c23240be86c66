// SPDX-License-Identifier: Apache-2.0
// One machine: a preset of hw/spec with the overrides of a TOML file, validated. The shape of the datapath is the preset's.
#pragma once

#include "hw/base/ratio.hpp"
#include "hw/spec/machine.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vernier::config {

inline constexpr size_t kMaxNameBytes = 64;
inline constexpr int64_t kMostClockHz = 100'000'000'000;
inline constexpr base::Ratio kLeastBandwidth{1, 65536};             // bytes per cycle of external memory
inline constexpr int64_t kMostBandwidthDenominator = kMostClockHz;  // of bytes per cycle: any whole bytes per second

/// Who said what: for messages and notes, no part of the machine.
struct Origins {
  std::string sram;                        // of sram_bytes: "preset 'v256'", "small.toml:3", "--sram-bytes"
  std::vector<std::string> external_keys;  // those that a TOML file gives, sorted
};

struct MachineConfig {
  std::string name;  // of the preset, or the TOML file's `name`, or its stem
  std::string base;  // the preset
  spec::Datapath datapath{};
  int64_t clock_hz = 0;
  int64_t sram_bytes = 0;
  spec::ExternalMemory external{};
  int64_t queue_depth = 0;
  spec::MemoryMode memory_mode = spec::MemoryMode::Sram;
  spec::SramProtection sram_protection = spec::SramProtection::None;
  Origins origins;
  bool operator==(const MachineConfig&) const;  // of all but origins
};

/// One value of a configuration as people and programs see it: `config show`, the report and the package print these, in
/// order.
struct ConfigValue {
  std::string key;                    // with its unit in the name: "external_bytes_per_cycle"
  std::string value;                  // printed: "16", "1/125", "true"
  std::optional<base::Ratio> number;  // of those that are one
  bool is_overridable;                // may stand in a TOML file; the others are the preset's or derived
  std::string meaning;                // one line, with range
};
std::vector<ConfigValue> values_of(const MachineConfig& config);

/// A preset by its name, or a TOML file (anything that ends in .toml or contains a '/'). UserError for an unknown name (with
/// the nearest one), a missing file, an unknown key, a value out of range or of a wrong type, a key without its unit: all
/// that is wrong with a file at once, as UserErrors.
MachineConfig load_config(const std::string& name_or_path);
/// The same with other values for some keys, as a TOML file would have them: the name tells which, "v64 clock_hz=500000000".
MachineConfig load_config(const std::string& name_or_path, const std::map<std::string, std::string>& sets);
/// The preset of that name; UserError names `subject` (option or file) otherwise.
MachineConfig preset_config(const std::string& name, const std::string& subject);

/// A value that is not allowed: its key, and what was found and is allowed.
struct Finding {
  std::string key, text;
};
/// All values that are out of their range; a name that is not one line of 1 to kMaxNameBytes.
std::vector<Finding> findings_of(const MachineConfig& config);
/// Throws UserError (naming `subject`) for the first of findings_of().
void validate(const MachineConfig& config, const std::string& subject);

/// "none", "parity"; UserError names `subject` otherwise.
spec::SramProtection sram_protection_from_name(const std::string& name, const std::string& subject);

/// "sram", "weights-external", "external"; UserError names `subject` otherwise.
spec::MemoryMode memory_mode_from_name(const std::string& name, const std::string& subject);

}  // namespace vernier::config
