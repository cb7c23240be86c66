// SPDX-License-Identifier: Apache-2.0
#include "hw/package/disassembler.hpp"

#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"

#include <iterator>

namespace vernier::package {
namespace {

std::string_view layer_name(const Package& package, int64_t command_idx) {
  const int32_t layer = layer_of(package, command_idx);
  return layer < 0 ? std::string_view("?") : std::string_view(package.layers[static_cast<size_t>(layer)].name);
}

}  // namespace

std::string disassemble(const Package& package) {
  std::string text = fmt::format("# {} for {} at --optimize {}: stream of {} bytes at {}\n", package.model_name,
                                 package.config.name, package.optimize, package.stream.size(), package.stream_address);
  const auto out = std::back_inserter(text);
  const std::span<const std::byte> stream = package.stream;
  size_t at = 0;
  for (int64_t index = 0; at < stream.size(); ++index) {
    const Decoded decoded = decode(stream.subspan(at));
    fmt::format_to(out, "{:5} 0x{:06x} [{}] ", index, at, layer_name(package, index));
    if (decoded.fault != spec::FaultCode::None) {
      fmt::format_to(out, "fault: {}: {}\n", spec::to_string(decoded.fault), decoded.detail);
      return text;
    }
    fmt::format_to(out, "{}\n", print(decoded.command));
    const Validity validity = check(decoded.command, package.config.datapath);
    if (validity.fault != spec::FaultCode::None) {
      fmt::format_to(out, "fault: {}: {}\n", spec::to_string(validity.fault), validity.detail);
      return text;
    }
    at += static_cast<size_t>(decoded.length_bytes);
    if (std::holds_alternative<spec::EndCommand>(decoded.command.body)) return text;
  }
  fmt::format_to(out, "fault: {}: no end command in {} bytes\n", spec::to_string(spec::FaultCode::StreamEnd), stream.size());
  return text;
}

}  // namespace vernier::package
