// SPDX-License-Identifier: Apache-2.0
#include "hw/base/error.hpp"

namespace vernier::base {

std::string on_one_line(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (code < 0x20 || code == 0x7f) {
      result += fmt::format("\\x{:02x}", code);
    } else {
      result += character;
    }
  }
  return result;
}

void throw_internal_error(const char* file, int line, const char* condition, const std::string& message) {
  std::string_view name = file;
  for (std::string_view root : {"/hw/", "/sim/", "/compiler/", "/tests/"}) {
    if (const auto at = name.rfind(root); at != std::string_view::npos) name = name.substr(at + 1);
  }
  throw InternalError(fmt::format("{}:{}: internal error: {} (expected {})", name, line, message, condition));
}

}  // namespace vernier::base
