// SPDX-License-Identifier: Apache-2.0
// The TOML file of a configuration. Its parser is included by toml_config.cpp alone.
#pragma once

#include "hw/config/machine_config.hpp"

#include <string>

namespace vernier::config::detail {

/// Reads, applies and validates; UserError names the file and the line.
MachineConfig load_toml(const std::string& path);

}  // namespace vernier::config::detail
