// SPDX-License-Identifier: Apache-2.0
// What the harnesses of libFuzzer have in common. A harness gives bytes to one reader: whatever they are, it returns or says
// what is wrong with them (UserError). Anything else that is thrown ends the program, which libFuzzer reports as a finding.
#pragma once

#include "hw/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <unistd.h>

namespace vernier::tests {

/// Runs the reader; a mistake of the bytes is no finding.
template <typename Reader>
int read_bytes(const uint8_t* data, size_t size, const Reader& reader) {
  try {
    reader(std::as_bytes(std::span(data, size)));
  } catch (const base::UserError&) {
  }
  return 0;
}

/// The same for readers that take a file: it is written anew for each input.
template <typename Reader>
int read_file(const uint8_t* data, size_t size, const Reader& reader) {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("vernier_libfuzzer_" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return read_bytes(data, size, [&](std::span<const std::byte> /*in the file*/) { reader(path); });
}

}  // namespace vernier::tests
