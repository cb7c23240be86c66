// SPDX-License-Identifier: Apache-2.0
#include "hw/package/disassembler.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/legend.hpp"
#include "hw/package/steps_text.hpp"

#include <algorithm>
#include <set>

namespace vernier::package {
namespace {

std::string fault_text(spec::FaultCode fault, const std::string& detail) {
  return fmt::format("{}: {}", spec::to_string(fault), detail);
}

/// Lines of at most that many columns: broken at spaces, words that are longer anywhere. What follows a break is indented,
/// and a comment stays one.
std::string broken(const std::string& lines, int64_t width_columns) {
  if (width_columns == 0) return lines;
  const auto width = static_cast<size_t>(std::max<int64_t>(width_columns, 20));
  std::string text;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = lines.find('\n', begin);
    std::string line = lines.substr(begin, end - begin);
    begin = end + 1;
    const std::string indent = line.starts_with("#") ? "#     " : "        ";
    while (line.size() > width) {
      const size_t space = line.rfind(' ', width);
      const bool is_word = space == std::string::npos || space <= indent.size();
      text.append(line, 0, is_word ? width : space).push_back('\n');
      line.replace(0, is_word ? width : space + 1, indent);
    }
    text.append(line).push_back('\n');
  }
  return text;
}

/// Appends the commands of the part up to END. False: it has none, and the last entry says why.
bool list_part(const Package& package, int64_t begin_byte, int64_t num_bytes, std::vector<ListedCommand>& list) {
  const auto stream = std::span(package.stream).first(static_cast<size_t>(begin_byte + num_bytes));
  auto at = static_cast<size_t>(begin_byte);
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
    if (!list.back().fault.empty()) return false;
    if (std::holds_alternative<spec::EndCommand>(decoded.command.body)) return true;
    at += static_cast<size_t>(decoded.length_bytes);
  }
  list.push_back({static_cast<int64_t>(list.size()),
                  static_cast<int64_t>(at),
                  -1,
                  {},
                  {},
                  fault_text(spec::FaultCode::StreamEnd, fmt::format("no end command in {} bytes", num_bytes))});
  return false;
}

/// The heading of a stream of several; empty for any other command.
std::string stream_heading(const Package& package, int64_t command_idx) {
  std::string text;
  for (size_t i = 0; i < package.flow.streams.size(); ++i) {
    const StreamPart& part = package.flow.streams[i];
    if (part.first_command == command_idx)
      text += fmt::format("# stream {}: {} bytes from byte 0x{:x} on\n", i, part.num_bytes, part.begin_byte);
  }
  return text;
}

}  // namespace

std::vector<ListedCommand> list_commands(const Package& package) {
  std::vector<ListedCommand> list;
  bool goes_on = true;
  for_each_stream(package, [&](int64_t begin_byte, int64_t num_bytes) {
    goes_on = goes_on && list_part(package, begin_byte, num_bytes, list);
  });
  return list;
}

std::string disassemble(const Package& package, const DisassemblyStyle& style) {
  const std::vector<ListedCommand> commands = list_commands(package);
  const auto is_wanted = [&](const ListedCommand& command) {
    return !style.is_wanted || !command.fault.empty() || style.is_wanted(command);
  };
  std::string text = broken(
      fmt::format("# {} for {} at --optimize {}: stream of {} bytes at {}\n", base::printable(package.model_name),
                  base::printable(package.config.name), package.optimize, package.stream.size(), package.stream_address),
      style.width_columns);
  text += broken(variables_text(package), style.width_columns);
  text += broken(steps_text(package), style.width_columns);
  if (std::none_of(commands.begin(), commands.end(), is_wanted))
    return text + broken("# no command matches what was asked for\n", style.width_columns);
  if (style.has_legend) {
    std::set<std::string> units;
    for (const ListedCommand& command : commands) {
      if (is_wanted(command)) units.insert(command.unit);
    }
    text += broken(legend(units), style.width_columns);
  }
  for (const ListedCommand& command : commands) {
    if (!is_wanted(command)) continue;
    const auto layer = static_cast<size_t>(std::max(command.layer_idx, 0));
    const std::string& name = command.layer_idx < 0       ? "?"
                              : style.layer_names.empty() ? package.layers[layer].name
                                                          : style.layer_names.at(layer);
    const bool is_past_end = static_cast<size_t>(command.offset_bytes) >= package.stream.size();
    std::string lines = stream_heading(package, command.command_idx);
    if (!is_past_end) lines += fmt::format("{:5} 0x{:06x} [{}] ", command.command_idx, command.offset_bytes, name);
    if (!command.text.empty()) lines += command.text + "\n";
    if (const auto i = static_cast<size_t>(command.command_idx); i < style.remarks.size())
      lines += fmt::format("    # {}\n", style.remarks[i]);
    if (!command.fault.empty()) lines += fmt::format("fault: {}\n", command.fault);
    text += broken(lines, style.width_columns);
  }
  return text;
}

}  // namespace vernier::package
