// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/firmware_image.hpp"

#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/control_system.hpp"

#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

namespace vernier::soc {

std::vector<std::byte> parse_firmware(std::string_view text) {
  constexpr std::string_view kChecksum = "# sha256 ";
  std::vector<std::byte> bytes;
  std::string wanted;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kChecksum)) wanted = line.substr(kChecksum.size());
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      uint32_t value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
      VERNIER_CHECK(error == std::errc() && end == word.data() + word.size(), "'{}' is no word of firmware", word);
      for (int bit = 0; bit < 32; bit += 8) bytes.push_back(static_cast<std::byte>(value >> bit));
    }
  }
  VERNIER_CHECK(!bytes.empty() && base::sha256_hex(bytes) == wanted, "{} bytes of firmware are not what was built",
                bytes.size());
  return bytes;
}

std::vector<FirmwareSymbol> firmware_functions(std::string_view text) {
  constexpr std::string_view kFunction = "# function ";
  std::vector<FirmwareSymbol> functions;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kFunction)) continue;
    std::istringstream words(line.substr(kFunction.size()));
    FirmwareSymbol function;
    words >> std::hex >> function.address >> std::dec >> function.size_bytes >> function.name;
    VERNIER_CHECK(!words.fail(), "'{}' is no function of firmware", line);
    functions.push_back(std::move(function));
  }
  return functions;
}

const FirmwareProgram& own_firmware() {
  static const FirmwareProgram kProgram = [] {
    std::vector<std::byte> bytes = parse_firmware(kFirmwareText);
    std::string sha256 = base::sha256_hex(bytes);
    return FirmwareProgram{std::move(sha256),
                           {{spec::cpu_window_base(spec::CpuWindowId::Firmware), std::move(bytes)}},
                           firmware_functions(kFirmwareText)};
  }();
  return kProgram;
}

}  // namespace vernier::soc
