// SPDX-License-Identifier: Apache-2.0
// One machine: a preset of hw/spec with the overrides of a TOML file, validated. The shape of the datapath is the preset's.
#pragma once

#include "hw/spec/machine.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::config {

inline constexpr size_t kMaxNameBytes = 64;

struct MachineConfig {
  std::string name;  // of the preset, or the TOML file's `name`, or its stem
  std::string base;  // the preset
  spec::Datapath datapath{};
  int64_t clock_hz = 0;
  int64_t sram_bytes = 0;
  spec::ExternalMemory external{};
  int64_t queue_depth = 0;
  spec::MemoryMode memory_mode = spec::MemoryMode::Sram;
  bool operator==(const MachineConfig&) const;
};

/// One value of a configuration as people and programs see it: `config show`, the report and the package print these, in
/// order.
struct ConfigValue {
  std::string key;    // with its unit in the name: "external_bytes_per_cycle"
  std::string value;  // printed
  bool is_number;
  bool is_overridable;  // may stand in a TOML file; the others are the preset's or derived
  std::string meaning;  // one line, with range
};
std::vector<ConfigValue> values_of(const MachineConfig& config);

/// A preset by its name, or a TOML file (anything that ends in .toml or contains a '/'). UserError for an unknown name (with
/// the nearest one), a missing file, an unknown key, a value out of range or of a wrong type, a key without its unit.
MachineConfig load_config(const std::string& name_or_path);
/// The preset of that name; UserError names `subject` (option or file) otherwise.
MachineConfig preset_config(const std::string& name, const std::string& subject);
/// Throws UserError (naming `subject`) unless every value is in its range, and the name is one line of 1 to kMaxNameBytes.
void validate(const MachineConfig& config, const std::string& subject);

/// "sram", "weights-external", "external"; UserError names `subject` otherwise.
spec::MemoryMode memory_mode_from_name(const std::string& name, const std::string& subject);

}  // namespace vernier::config
