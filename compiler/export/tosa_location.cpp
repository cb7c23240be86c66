// SPDX-License-Identifier: Apache-2.0
#include "compiler/export/tosa_writer.hpp"

#include <fmt/format.h>

namespace vernier::exporter {

std::string location_text(std::string_view name) {
  std::string text = "loc(\"";
  for (const char character : name) {
    const bool is_plain = character >= ' ' && character <= '~' && character != '"' && character != '\\';
    text += is_plain ? std::string(1, character) : fmt::format("\\{:02X}", static_cast<unsigned char>(character));
  }
  return text + "\")";
}

}  // namespace vernier::exporter
