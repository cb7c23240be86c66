// SPDX-License-Identifier: Apache-2.0
#include "hw/package/stream_commands.hpp"

#include "hw/package/command_codec.hpp"

#include <span>
#include <utility>
#include <variant>

namespace vernier::package {

std::vector<StreamCommand> commands_of_part(const Package& package, int64_t begin_byte, int64_t num_bytes) {
  std::vector<StreamCommand> commands;
  const auto stream = std::span(package.stream).first(static_cast<size_t>(begin_byte + num_bytes));
  for (auto offset = static_cast<size_t>(begin_byte); offset < stream.size();) {
    Decoded decoded = decode(stream.subspan(offset));
    if (decoded.fault != spec::FaultCode::None) break;
    commands.push_back({std::move(decoded.command), static_cast<int64_t>(offset), decoded.length_bytes});
    offset += static_cast<size_t>(decoded.length_bytes);
    if (std::holds_alternative<spec::EndCommand>(commands.back().command.body)) break;
  }
  return commands;
}

std::vector<StreamCommand> stream_commands(const Package& package) {
  std::vector<StreamCommand> commands;
  bool is_damaged = false;
  for_each_stream(package, [&](int64_t begin_byte, int64_t num_bytes) {
    if (is_damaged) return;
    for (StreamCommand& one : commands_of_part(package, begin_byte, num_bytes)) commands.push_back(std::move(one));
    is_damaged = commands.empty() || !std::holds_alternative<spec::EndCommand>(commands.back().command.body);
  });
  return commands;
}

}  // namespace vernier::package
