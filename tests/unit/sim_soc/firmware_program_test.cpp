// SPDX-License-Identifier: Apache-2.0
// ELF files byte by byte: what is loaded where, which symbols there are, and that a damaged file ends in a UserError.
#include "sim/soc/firmware_program.hpp"

#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/control_system.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

using namespace vernier;
using namespace vernier::soc;

namespace {

constexpr uint32_t kRom = spec::cpu_window_base(spec::CpuWindowId::Firmware);
constexpr uint32_t kRam = spec::cpu_window_base(spec::CpuWindowId::Ram);

/// A file of words and half words at their offsets.
struct Bytes {
  std::vector<std::byte> data;
  template <typename T>
  void put(size_t offset, T value) {
    if (data.size() < offset + sizeof value) data.resize(offset + sizeof value);
    std::memcpy(data.data() + offset, &value, sizeof value);
  }
  void put_words(size_t offset, std::initializer_list<uint32_t> words) {
    for (const uint32_t word : words) put(std::exchange(offset, offset + 4), word);
  }
  void put_text(size_t offset, std::string_view text) {
    for (const char c : text) put(offset++, c);
  }
};

constexpr size_t kSegments = 52, kContents = 0x100, kSymbols = 0x200, kNames = 0x300, kSections = 0x400;

/// Code of 8 bytes; variables that are copied to RAM; and zeros. Symbols: _start, a label without a size, main, and others
/// that are no code.
Bytes example() {
  Bytes file;
  file.put_text(0, "\177ELF\1\1\1");
  file.put<uint16_t>(16, 2);
  file.put<uint16_t>(18, 243);
  file.put_words(20, {1, kRom, kSegments, kSections, 0});
  file.put<uint16_t>(42, 32);
  file.put<uint16_t>(44, 4);
  file.put<uint16_t>(46, 40);
  file.put<uint16_t>(48, 5);
  file.put_words(kSegments, {1, kContents, kRom, kRom, 8, 8, 5, 4});
  file.put_words(kSegments + 32, {1, kContents + 8, kRam, kRom + 8, 4, 20, 6, 4});
  file.put_words(kSegments + 64, {0x70000003, 0, 0, 0, 4, 4, 4, 1});  // attributes: not loaded
  file.put_words(kSegments + 96, {1, 0, kRam + 20, kRam + 20, 0, 100, 6, 4});
  file.put_words(kContents, {0x11111111, 0x22222222, 0x33333333});
  file.put_text(kNames, std::string_view("\0main\0_start\0label\0data\0$x\0.L1\0", 31));
  const auto symbol = [&](size_t index, uint32_t name, uint32_t address, uint32_t bytes, uint8_t info, uint16_t section) {
    file.put_words(kSymbols + 16 * index, {name, address, bytes});
    file.put<uint8_t>(kSymbols + 16 * index + 12, info);
    file.put<uint16_t>(kSymbols + 16 * index + 14, section);
  };
  symbol(0, 0, 0, 0, 0, 0);
  symbol(1, 1, kRom + 6, 2, 0x12, 1);    // main
  symbol(2, 6, kRom, 2, 0x12, 1);        // _start
  symbol(3, 13, kRom + 4, 0, 0x00, 1);   // label
  symbol(4, 19, kRam, 4, 0x11, 2);       // data: an object
  symbol(5, 24, kRom, 0, 0x00, 1);       // $x
  symbol(6, 27, kRom, 0, 0x00, 1);       // .L1
  symbol(7, 19, kRam, 0, 0x10, 2);       // a label of a section without code
  symbol(8, 13, kRom, 0, 0x10, 0xFFF1);  // absolute
  file.put_words(kSections, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  file.put_words(kSections + 40, {0, 1, 6, kRom, kContents, 8, 0, 0, 4, 0});
  file.put_words(kSections + 80, {0, 1, 3, kRam, kContents + 8, 4, 0, 0, 4, 0});
  file.put_words(kSections + 120, {0, 2, 0, 0, kSymbols, 16 * 9, 4, 1, 4, 16});
  file.put_words(kSections + 160, {0, 3, 0, 0, kNames, 31, 0, 0, 1, 0});
  return file;
}

FirmwareProgram parse(const Bytes& file) { return parse_firmware_elf(file.data, "f.elf"); }

}  // namespace

TEST_CASE("Firmware: segments lie at their load addresses, zeros are left out of what is loaded") {
  const Bytes file = example();
  const FirmwareProgram program = parse(file);
  CHECK(program.sha256 == base::sha256_hex(file.data));
  REQUIRE(program.segments.size() == 3);
  CHECK((program.segments[0].address == kRom && program.segments[0].bytes.size() == 8));
  CHECK((program.segments[1].address == kRom + 8 && program.segments[1].bytes.size() == 4));
  CHECK(program.segments[1].bytes.front() == std::byte{0x33});
  CHECK((program.segments[2].address == kRam + 20 && program.segments[2].bytes.empty()));
}

TEST_CASE("Firmware: symbols are those of code, by address") {
  const FirmwareProgram program = parse(example());
  std::vector<std::tuple<uint32_t, uint32_t, std::string>> found;
  for (const FirmwareSymbol& one : program.symbols) found.emplace_back(one.address, one.size_bytes, one.name);
  const decltype(found) expected{{kRom, 2, "_start"}, {kRom + 4, 0, "label"}, {kRom + 6, 2, "main"}};
  CHECK(found == expected);
  const auto name_at = [&](uint32_t address) {
    const FirmwareSymbol* symbol = symbol_at(program, address);
    return symbol == nullptr ? std::string() : symbol->name;
  };
  CHECK(name_at(kRom - 1).empty());
  CHECK(name_at(kRom) == "_start");
  CHECK(name_at(kRom + 1) == "_start");
  CHECK(name_at(kRom + 2).empty());
  CHECK(name_at(kRom + 5) == "label");
  CHECK(name_at(kRom + 7) == "main");
  CHECK(name_at(kRom + 8).empty());
}

TEST_CASE("Firmware: a file without sections has no symbols") {
  Bytes file = example();
  file.put<uint32_t>(32, 0);
  CHECK(parse(file).symbols.empty());
}

TEST_CASE("Firmware: a byte is loaded once, and names of symbols end") {
  for (const uint32_t address : {kRom, kRom + 4, kRom + 7}) {
    Bytes file = example();
    file.put<uint32_t>(kSegments + 32 + 12, address);
    CHECK_THROWS_WITH(parse(file), Catch::Matchers::Contains("overlaps the one at 0x10010000"));
  }
  Bytes behind = example();  // the same with the order of the two turned round
  behind.put<uint32_t>(kSegments + 12, kRom + 10);
  CHECK_THROWS_WITH(parse(behind), Catch::Matchers::Contains("overlaps the one at 0x1001000a"));
  Bytes named = example();
  constexpr size_t kFar = 0x1000;
  named.put_words(kSections + 160, {0, 3, 0, 0, kFar, 100'000, 0, 0, 1, 0});
  named.put_text(kFar, std::string(100'000, 'n'));
  for (const FirmwareSymbol& symbol : parse(named).symbols) CHECK(symbol.name.size() == 1000);
}

TEST_CASE("Firmware: the last byte of a memory is in it, the next one is not") {
  const auto parse_at = [](uint32_t address, uint32_t bytes) {
    Bytes file = example();
    file.put_words(kSegments + 96 + 8, {address, address, 0, bytes});
    return parse(file);
  };
  for (const auto id : {spec::CpuWindowId::Firmware, spec::CpuWindowId::Ram}) {
    const uint32_t end = spec::cpu_window_base(id) + spec::cpu_window(id).size_bytes;
    CHECK_NOTHROW(parse_at(end - 1, 1));
    CHECK_THROWS_AS(parse_at(end - 1, 2), base::UserError);
    CHECK_THROWS_AS(parse_at(end, 1), base::UserError);
    CHECK_NOTHROW(parse_at(spec::cpu_window_base(id), spec::cpu_window(id).size_bytes));
    CHECK_THROWS_AS(parse_at(spec::cpu_window_base(id) - 1, 1), base::UserError);
    CHECK_THROWS_AS(parse_at(spec::cpu_window_base(id), spec::cpu_window(id).size_bytes + 1), base::UserError);
  }
}

TEST_CASE("Firmware: a file that is cut off or damaged anywhere is read or refused, nothing else") {
  const Bytes whole = example();
  for (size_t size = 0; size < whole.data.size(); ++size) {
    const std::vector<std::byte> start(whole.data.begin(), whole.data.begin() + static_cast<std::ptrdiff_t>(size));
    INFO(size << " bytes");
    CHECK_THROWS_AS(parse_firmware_elf(start, "f.elf"), base::UserError);
  }
  const unsigned seed = 1;
  std::mt19937 random(seed);
  INFO("seed " << seed);
  for (int i = 0; i < 20'000; ++i) {
    Bytes file = whole;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      const std::array<uint32_t, 4> places{0, kSegments, kSymbols, kSections};
      const size_t offset = (places[random() % 4] + random() % 200) % file.data.size();
      file.data[offset] = static_cast<std::byte>(random() % 2 == 0 ? 0xFF : random());
    }
    try {
      for (const FirmwareSegment& segment : parse(file).segments)
        CHECK(is_firmware_place(segment.address, segment.bytes.size()));
    } catch (const base::UserError&) {
    }
  }
}
