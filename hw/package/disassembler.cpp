// SPDX-License-Identifier: Apache-2.0
#include "hw/package/disassembler.hpp"

#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"

#include <iterator>

namespace vernier::package {
namespace {

std::string fault_text(spec::FaultCode fault, const std::string& detail) {
  return fmt::format("{}: {}", spec::to_string(fault), detail);
}

}  // namespace

std::vector<ListedCommand> list_commands(const Package& package) {
  std::vector<ListedCommand> list;
  const std::span<const std::byte> stream = package.stream;
  size_t at = 0;
  while (at < stream.size()) {
    const Decoded decoded = decode(stream.subspan(at));
    const auto index = static_cast<int64_t>(list.size());
    ListedCommand entry{index, static_cast<int64_t>(at), layer_of(package, index), {}, {}, {}};
    if (decoded.fault != spec::FaultCode::None) {
      entry.fault = fault_text(decoded.fault, decoded.detail);
    } else {
      entry.unit = mnemonic(decoded.command);
      entry.text = print(decoded.command);
      const Validity validity = check(decoded.command, package.config.datapath);
      if (validity.fault != spec::FaultCode::None) entry.fault = fault_text(validity.fault, validity.detail);
    }
    list.push_back(std::move(entry));
    if (!list.back().fault.empty() || std::holds_alternative<spec::EndCommand>(decoded.command.body)) return list;
    at += static_cast<size_t>(decoded.length_bytes);
  }
  list.push_back({static_cast<int64_t>(list.size()),
                  static_cast<int64_t>(at),
                  -1,
                  {},
                  {},
                  fault_text(spec::FaultCode::StreamEnd, fmt::format("no end command in {} bytes", stream.size()))});
  return list;
}

std::string disassemble(const Package& package) {
  std::string text = fmt::format("# {} for {} at --optimize {}: stream of {} bytes at {}\n", package.model_name,
                                 package.config.name, package.optimize, package.stream.size(), package.stream_address);
  const auto out = std::back_inserter(text);
  for (const ListedCommand& command : list_commands(package)) {
    const std::string_view layer =
        command.layer_idx < 0 ? "?" : std::string_view(package.layers[static_cast<size_t>(command.layer_idx)].name);
    const bool is_past_end = static_cast<size_t>(command.offset_bytes) >= package.stream.size();
    if (!is_past_end) fmt::format_to(out, "{:5} 0x{:06x} [{}] ", command.command_idx, command.offset_bytes, layer);
    if (!command.text.empty()) fmt::format_to(out, "{}\n", command.text);
    if (!command.fault.empty()) fmt::format_to(out, "fault: {}\n", command.fault);
  }
  return text;
}

}  // namespace vernier::package
