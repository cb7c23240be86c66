// SPDX-License-Identifier: Apache-2.0
// The TOML file of a configuration. Its parser is included by toml_config.cpp alone.
#pragma once

#include "hw/config/machine_config.hpp"

#include <map>
#include <string>

namespace vernier::config::detail {

/// Reads, applies and validates; UserError names the file and the line.
MachineConfig load_toml(const std::string& path);
/// Of the file, or of the preset `base` where `path` is empty, with the values of `sets` in place of its own. UserError for
/// these names `--set`.
MachineConfig load_toml(const std::string& path, const std::string& base, const std::map<std::string, std::string>& sets);

}  // namespace vernier::config::detail
