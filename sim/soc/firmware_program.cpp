// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/firmware_program.hpp"

#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/control_system.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace vernier::soc {

namespace {

// Offsets in the header, in a row of the tables, and values (System V ABI, chapters 4 and 5).
constexpr uint64_t kHeaderBytes = 52, kSegmentBytes = 32, kSectionBytes = 40, kSymbolBytes = 16;
constexpr uint16_t kExecutable = 2, kRiscV = 243;
constexpr uint64_t kMostNameBytes = 1000;
constexpr uint32_t kLoad = 1, kSymbolTable = 2, kExecutableSection = 4;
constexpr uint32_t kNoType = 0, kFunction = 2;

std::string_view machine_name(uint16_t machine) {
  constexpr std::array<std::pair<uint16_t, std::string_view>, 6> kNames{
      {{3, "x86"}, {8, "MIPS"}, {20, "PowerPC"}, {40, "Arm"}, {62, "x86-64"}, {183, "AArch64"}}};
  for (const auto& [number, name] : kNames) {
    if (number == machine) return name;
  }
  return "another architecture";
}

std::string window_text(spec::CpuWindowId id) {
  const uint32_t base = spec::cpu_window_base(id);
  return fmt::format("0x{:08x} to 0x{:08x}", base, base + spec::cpu_window(id).size_bytes - 1);
}

bool is_in_window(spec::CpuWindowId id, uint32_t address, uint64_t num_bytes) {
  const uint32_t base = spec::cpu_window_base(id);
  return address >= base && address - base + num_bytes <= spec::cpu_window(id).size_bytes;
}

class ElfReader {
 public:
  ElfReader(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  FirmwareProgram read() {
    check_kind();
    FirmwareProgram program{.sha256 = base::sha256_hex(bytes_), .segments = {}};
    read_segments(program);
    read_symbols(program);
    return program;
  }

 private:
  /// UserError where the file ends before.
  void require(uint64_t offset, uint64_t num_bytes, std::string_view what) const {
    if (offset + num_bytes <= bytes_.size()) return;
    throw base::UserError(file_, "is cut off: it has {} bytes, {} needs {}", bytes_.size(), what, offset + num_bytes);
  }
  template <typename T>
  [[nodiscard]] T value(uint64_t offset) const {
    T result{};
    std::memcpy(&result, bytes_.data() + offset, sizeof result);
    return result;
  }
  [[nodiscard]] uint32_t word(uint64_t offset) const { return value<uint32_t>(offset); }

  void check_kind() const;
  void read_segments(FirmwareProgram& program) const;
  void check_place(size_t index, uint32_t address, uint64_t num_bytes) const;
  void read_symbols(FirmwareProgram& program) const;
  void read_symbol(FirmwareProgram& program, uint64_t symbol, uint64_t names, uint64_t names_end) const;
  [[nodiscard]] bool is_code(uint16_t section) const;

  std::span<const std::byte> bytes_;
  const std::string& file_;
};

void ElfReader::check_kind() const {
  constexpr std::string_view kMagic = "\177ELF";
  if (bytes_.size() < kMagic.size() || std::memcmp(bytes_.data(), kMagic.data(), kMagic.size()) != 0)
    throw base::UserError(file_, "is no ELF file, firmware is an ELF executable for 32-bit RISC-V");
  require(0, kHeaderBytes, "its header");
  if (std::to_integer<int>(bytes_[5]) != 1)
    throw base::UserError(file_, "is an ELF file for big-endian machines, firmware is for a little-endian one");
  if (const auto machine = value<uint16_t>(18); machine != kRiscV)
    throw base::UserError(file_, "is an ELF file for machine {} ({}), firmware is for {} (RISC-V)", machine,
                          machine_name(machine), kRiscV);
  if (std::to_integer<int>(bytes_[4]) != 1)
    throw base::UserError(file_, "is an ELF file for 64-bit RISC-V, the control CPU has 32 bits");
  if (const auto type = value<uint16_t>(16); type != kExecutable)
    throw base::UserError(file_, "is an ELF file of type {}, firmware is an executable, type {}", type, kExecutable);
}

void ElfReader::read_segments(FirmwareProgram& program) const {
  const uint64_t table = word(28);
  const size_t num_segments = value<uint16_t>(44);
  if (num_segments > 0 && value<uint16_t>(42) != kSegmentBytes)
    throw base::UserError(file_, "has program headers of {} bytes, of ELF for 32 bits they have {}", value<uint16_t>(42),
                          kSegmentBytes);
  require(table, num_segments * kSegmentBytes, "the table of its segments");
  for (size_t i = 0; i < num_segments; ++i) {
    const uint64_t row = table + i * kSegmentBytes;
    const uint32_t offset = word(row + 4), run_address = word(row + 8), load_address = word(row + 12);
    const uint32_t file_bytes = word(row + 16), memory_bytes = word(row + 20);
    if (word(row) != kLoad || (memory_bytes == 0 && file_bytes == 0)) continue;
    require(offset, file_bytes, fmt::format("segment {}", i));
    if (memory_bytes < file_bytes)
      throw base::UserError(file_, "segment {} has {} bytes in the file and only {} in memory", i, file_bytes, memory_bytes);
    check_place(i, run_address, memory_bytes);
    if (file_bytes > 0) check_place(i, load_address, file_bytes);
    for (const FirmwareSegment& other : program.segments) {
      if (load_address < other.address + other.bytes.size() && other.address < uint64_t{load_address} + file_bytes)
        throw base::UserError(file_, "segment {} at 0x{:08x} overlaps the one at 0x{:08x}; each byte may be loaded once", i,
                              load_address, other.address);
    }
    const auto bytes = bytes_.subspan(offset, file_bytes);
    program.segments.push_back({file_bytes > 0 ? load_address : run_address, {bytes.begin(), bytes.end()}});
  }
  if (std::all_of(program.segments.begin(), program.segments.end(), [](const auto& one) { return one.bytes.empty(); }))
    throw base::UserError(file_, "has no segment to load");
  const uint32_t start = spec::cpu_window_base(spec::CpuWindowId::Firmware);
  if (word(24) != start)
    throw base::UserError(file_, "starts at 0x{:08x}, the control CPU starts at 0x{:08x}", word(24), start);
}

void ElfReader::check_place(size_t index, uint32_t address, uint64_t num_bytes) const {
  if (is_firmware_place(address, num_bytes)) return;
  for (const auto id : {spec::CpuWindowId::Firmware, spec::CpuWindowId::Ram}) {
    if (!is_in_window(id, address, 1)) continue;
    throw base::UserError(file_, "segment {} has {} bytes at 0x{:08x}, which is more than fit: '{}' is {}", index, num_bytes,
                          address, spec::cpu_window(id).name, window_text(id));
  }
  throw base::UserError(
      file_, "segment {} lies at 0x{:08x}, allowed are the firmware memory, {}, and the RAM of the control CPU, {}", index,
      address, window_text(spec::CpuWindowId::Firmware), window_text(spec::CpuWindowId::Ram));
}

bool ElfReader::is_code(uint16_t section) const {
  if (section == 0 || section >= value<uint16_t>(48)) return false;
  return (word(word(32) + uint64_t{section} * kSectionBytes + 8) & kExecutableSection) != 0;
}

/// Files without a table of symbols, or without sections, have none.
void ElfReader::read_symbols(FirmwareProgram& program) const {
  const uint64_t sections = word(32), num_sections = value<uint16_t>(48);
  if (sections == 0 || value<uint16_t>(46) != kSectionBytes) return;
  require(sections, num_sections * kSectionBytes, "the table of its sections");
  for (uint64_t i = 0; i < num_sections; ++i) {
    const uint64_t row = sections + i * kSectionBytes;
    const uint32_t names_section = word(row + 24);
    if (word(row + 4) != kSymbolTable || names_section >= num_sections) continue;
    const uint64_t symbols = word(row + 16), num_bytes = word(row + 20);
    const uint64_t names_row = sections + uint64_t{names_section} * kSectionBytes;
    const uint64_t names = word(names_row + 16), num_name_bytes = word(names_row + 20);
    require(symbols, num_bytes, "the table of its symbols");
    require(names, num_name_bytes, "the names of its symbols");
    for (uint64_t at = 0; at + kSymbolBytes <= num_bytes; at += kSymbolBytes)
      read_symbol(program, symbols + at, names, names + num_name_bytes);
    break;  // a file has one table of symbols
  }
  std::stable_sort(program.symbols.begin(), program.symbols.end(),
                   [](const FirmwareSymbol& a, const FirmwareSymbol& b) { return a.address < b.address; });
}

void ElfReader::read_symbol(FirmwareProgram& program, uint64_t symbol, uint64_t names, uint64_t names_end) const {
  const uint32_t type = value<uint8_t>(symbol + 12) & 15U;
  if ((type != kNoType && type != kFunction) || !is_code(value<uint16_t>(symbol + 14))) return;
  std::string name;
  names_end = std::min(names_end, names + word(symbol) + kMostNameBytes);
  for (uint64_t at = names + word(symbol); at < names_end && bytes_[at] != std::byte{0}; ++at)
    name += static_cast<char>(bytes_[at]);
  if (name.empty() || name.front() == '$' || name.starts_with(".L")) return;  // what assemblers mark
  program.symbols.push_back({word(symbol + 4), word(symbol + 8), name});
}

}  // namespace

bool is_firmware_place(uint32_t address, uint64_t num_bytes) {
  return is_in_window(spec::CpuWindowId::Firmware, address, num_bytes) ||
         is_in_window(spec::CpuWindowId::Ram, address, num_bytes);
}

const FirmwareSymbol* symbol_at(const FirmwareProgram& program, uint32_t address) {
  const auto after = std::upper_bound(program.symbols.begin(), program.symbols.end(), address,
                                      [](uint32_t value, const FirmwareSymbol& symbol) { return value < symbol.address; });
  if (after == program.symbols.begin()) return nullptr;
  const FirmwareSymbol& symbol = *(after - 1);
  return symbol.size_bytes == 0 || address - symbol.address < symbol.size_bytes ? &symbol : nullptr;
}

FirmwareProgram parse_firmware_elf(std::span<const std::byte> bytes, const std::string& file) {
  return ElfReader(bytes, file).read();
}

}  // namespace vernier::soc
