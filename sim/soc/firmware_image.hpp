// SPDX-License-Identifier: Apache-2.0
// The project's own firmware, as ./dev firmware wrote it into firmware/image.
#pragma once

#include "sim/soc/firmware_program.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace vernier::soc {

/// firmware/image/job_server.hex; the build makes it a text of the program.
extern const std::string_view kFirmwareText;

/// The bytes of such a text, from the first byte of the firmware memory on: after lines that begin with '#' 32-bit words in
/// hexadecimal, little endian in memory. InternalError where it is none, or where its sha256 is not the one that it names.
std::vector<std::byte> parse_firmware(std::string_view text);

/// The functions and labels of the code that such a text names, by address, for people. InternalError where a line is none.
std::vector<FirmwareSymbol> firmware_functions(std::string_view text);

/// kFirmwareText as a program.
const FirmwareProgram& own_firmware();

}  // namespace vernier::soc
