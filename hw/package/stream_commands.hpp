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
/// The commands of a part of the stream that the NPU runs as one, END included, up to the first that cannot be decoded.
std::vector<StreamCommand> commands_of_part(const Package& package, int64_t begin_byte, int64_t num_bytes);
/// By command_idx, of all streams of the package; up to the first command that cannot be decoded, or a stream without END.
std::vector<StreamCommand> stream_commands(const Package& package);

}  // namespace vernier::package
