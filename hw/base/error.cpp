// SPDX-License-Identifier: Apache-2.0
#include "hw/base/error.hpp"

namespace vernier::base {

void throw_internal_error(const char* file, int line, const char* condition, const std::string& message) {
  std::string_view name = file;
  for (std::string_view root : {"/hw/", "/sim/", "/compiler/", "/tests/"}) {
    if (const auto at = name.rfind(root); at != std::string_view::npos) name = name.substr(at + 1);
  }
  throw InternalError(fmt::format("{}:{}: internal error: {} (expected {})", name, line, message, condition));
}

}  // namespace vernier::base
