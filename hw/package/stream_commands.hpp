// SPDX-License-Identifier: Apache-2.0
// The commands of a package's stream, decoded, with their places in it.
#pragma once

#include "hw/package/package.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>
#include <vector>

namespace vernier::package {

struct StreamCommand {
  spec::Command command;
  int64_t offset_bytes = 0, length_bytes = 0;
};
/// By command_idx, END included; up to the first that cannot be decoded.
std::vector<StreamCommand> stream_commands(const Package& package);

}  // namespace vernier::package
