// SPDX-License-Identifier: Apache-2.0
#include "hw/package/stream_commands.hpp"

#include "hw/package/command_codec.hpp"

#include <span>
#include <utility>
#include <variant>

namespace vernier::package {

std::vector<StreamCommand> stream_commands(const Package& package) {
  std::vector<StreamCommand> commands;
  const std::span<const std::byte> stream(package.stream);
  for (size_t offset = 0; offset < stream.size();) {
    Decoded decoded = decode(stream.subspan(offset));
    if (decoded.fault != spec::FaultCode::None) break;
    commands.push_back({std::move(decoded.command), static_cast<int64_t>(offset), decoded.length_bytes});
    offset += static_cast<size_t>(decoded.length_bytes);
    if (std::holds_alternative<spec::EndCommand>(commands.back().command.body)) break;
  }
  return commands;
}

}  // namespace vernier::package
