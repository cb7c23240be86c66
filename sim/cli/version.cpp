// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/version.hpp"

namespace vernier::cli {

std::string tool_version() {
  std::string version = VERNIER_VERSION;
  if (!commit().empty()) version.append("+g").append(commit());
  return version;
}

}  // namespace vernier::cli
