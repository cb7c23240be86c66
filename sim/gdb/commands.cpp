// SPDX-License-Identifier: Apache-2.0
#include "sim/gdb/commands.hpp"

#include "sim/gdb/packet.hpp"
#include "sim/gdb/target_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace vernier::gdb {

namespace {

/// What a reply can hold in hex digits.
constexpr size_t kMostReadBytes = kMostPacketBytes / 2;

std::string hex_of_register(uint32_t value) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8) text += fmt::format("{:02x}", value >> shift & 0xFF);
  return text;
}

/// The number of a control and status register; nullopt where `number` is none of them.
std::optional<uint32_t> csr_of(uint32_t number) {
  if (number < kFirstCsrNumber || number >= kFirstCsrNumber + kNumCsrNumbers) return std::nullopt;
  return number - kFirstCsrNumber;
}

/// Two numbers: an address, or an offset, and how many bytes from there on.
struct Range {
  uint32_t begin = 0, num_bytes = 0;
};
std::optional<Range> take_range(Cursor& arguments) {
  const std::optional<uint32_t> begin = arguments.number();
  if (!begin || !arguments.take(",")) return std::nullopt;
  const std::optional<uint32_t> num_bytes = arguments.number();
  if (!num_bytes) return std::nullopt;
  return Range{*begin, *num_bytes};
}

/// `data` has as many bytes as the packet says, or there are none.
std::string write(Target& target, uint32_t address, const std::optional<std::string>& data) {
  if (!data) return std::string(kBadArguments);
  const auto bytes = std::as_bytes(std::span(*data));
  return std::string(bytes.empty() || target.write_memory(address, bytes) ? kOk : kBadAddress);
}

/// Type, address and length of Z and z. nullopt where they are none, or where conditions follow, which are not served.
std::optional<Breakpoints::Entry> entry_of(Cursor arguments) {
  const std::optional<uint32_t> type = arguments.number();
  if (!type || *type > static_cast<uint32_t>(StopPoint::Access) || !arguments.take(",")) return std::nullopt;
  const std::optional<Range> range = take_range(arguments);
  if (!range || !arguments.is_at_end()) return std::nullopt;
  Breakpoints::Entry entry{.type = static_cast<StopPoint>(*type), .address = range->begin};
  if (!is_watchpoint(entry.type)) return entry;
  if (range->num_bytes == 0) return std::nullopt;
  entry.num_bytes = range->num_bytes;
  return entry;
}

/// A part of a text that is longer than a packet.
std::string part_of(const std::string& text, Cursor arguments) {
  const std::optional<Range> range = take_range(arguments);
  if (!range || !arguments.is_at_end() || range->begin > text.size()) return std::string(kBadArguments);
  const std::string part = text.substr(range->begin, std::min<size_t>(range->num_bytes, kMostReadBytes));
  return (range->begin + part.size() < text.size() ? "m" : "l") + part;
}

/// `monitor`: the reply is text in hex digits.
std::string monitor(const Target& target, Cursor arguments) {
  const std::optional<std::string> command = arguments.bytes(arguments.left().size() / 2);
  if (!command || !arguments.is_at_end()) return std::string(kBadArguments);
  if (*command == "cycles")
    return hex_of(fmt::format("cycle {}, {} instructions since the release of the control CPU\n", target.cycles(),
                              target.instructions()));
  return hex_of("monitor knows one command: cycles\n");
}

}  // namespace

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

std::string read_registers(const Target& target) {
  std::string text;
  for (uint32_t number = 0; number < kNumRegisters; ++number) text += hex_of_register(target.reg(number));
  return text + hex_of_register(target.pc());
}

std::string write_registers(Target& target, Cursor arguments) {
  std::vector<uint32_t> values;
  while (const std::optional<uint32_t> value = arguments.register_value()) values.push_back(*value);
  if (values.size() != kNumRegisters + 1 || !arguments.is_at_end()) return std::string(kBadArguments);
  for (uint32_t number = 0; number < kNumRegisters; ++number) target.set_reg(number, values[number]);
  target.set_pc(values.back());
  return std::string(kOk);
}

std::string read_register(const Target& target, Cursor arguments) {
  const std::optional<uint32_t> number = arguments.number();
  if (!number || !arguments.is_at_end()) return std::string(kBadArguments);
  if (*number < kNumRegisters) return hex_of_register(target.reg(*number));
  if (*number == kPcNumber) return hex_of_register(target.pc());
  const std::optional<uint32_t> csr = csr_of(*number);
  const std::optional<uint32_t> value = csr ? target.csr(*csr) : std::nullopt;
  return value ? hex_of_register(*value) : std::string(kBadArguments);
}

std::string write_register(Target& target, Cursor arguments) {
  const std::optional<uint32_t> number = arguments.number();
  if (!number || !arguments.take("=")) return std::string(kBadArguments);
  const std::optional<uint32_t> value = arguments.register_value();
  if (!value || !arguments.is_at_end()) return std::string(kBadArguments);
  if (*number < kNumRegisters) {
    target.set_reg(*number, *value);
  } else if (*number == kPcNumber) {
    target.set_pc(*value);
  } else if (const std::optional<uint32_t> csr = csr_of(*number); !csr || !target.set_csr(*csr, *value)) {
    return std::string(kBadArguments);
  }
  return std::string(kOk);
}

std::string read_memory(Target& target, Cursor arguments) {
  const std::optional<Range> range = take_range(arguments);
  if (!range || range->num_bytes == 0 || !arguments.is_at_end()) return std::string(kBadArguments);
  std::string bytes(std::min<size_t>(range->num_bytes, kMostReadBytes), '\0');
  bytes.resize(target.read_memory(range->begin, std::as_writable_bytes(std::span(bytes))));
  return bytes.empty() ? std::string(kBadAddress) : hex_of(bytes);
}

std::string write_memory(Target& target, Cursor arguments) {
  const std::optional<Range> range = take_range(arguments);
  if (!range || !arguments.take(":") || arguments.left().size() != size_t{2} * range->num_bytes)
    return std::string(kBadArguments);
  return write(target, range->begin, arguments.bytes(range->num_bytes));
}

std::string write_binary_memory(Target& target, Cursor arguments) {
  const std::optional<Range> range = take_range(arguments);
  if (!range || !arguments.take(":") || arguments.left().size() != range->num_bytes) return std::string(kBadArguments);
  return write(target, range->begin, std::string(arguments.left()));
}

std::string insert(Breakpoints& breakpoints, Cursor arguments) {
  const std::optional<Breakpoints::Entry> entry = entry_of(arguments);
  return std::string(entry && breakpoints.insert(*entry) ? kOk : kBadArguments);
}

std::string remove(Breakpoints& breakpoints, Cursor arguments) {
  const std::optional<Breakpoints::Entry> entry = entry_of(arguments);
  if (!entry) return std::string(kBadArguments);
  breakpoints.remove(*entry);
  return std::string(kOk);
}

std::string query(const Target& target, Cursor packet) {
  if (packet.take("qSupported"))
    return fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;vContSupported+", kMostPacketBytes);
  if (packet.take("qXfer:features:read:"))
    return packet.take("target.xml:") ? part_of(target_description(), packet) : std::string("E00");
  if (packet.take("qRcmd,")) return monitor(target, packet);
  if (packet.take("qAttached")) return "1";  // so that GDB detaches when it ends
  if (packet.take("qC") && packet.is_at_end()) return "QC1";
  if (packet.take("qfThreadInfo")) return "m1";
  if (packet.take("qsThreadInfo")) return "l";
  return std::string(kUnknown);
}

bool is_our_thread(std::string_view thread) { return thread == "0" || thread == "1" || thread == "-1"; }

}  // namespace vernier::gdb
