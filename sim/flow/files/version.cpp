// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/files/version.hpp"

namespace vernier::flow {

std::string tool_version() {
  std::string version = VERNIER_VERSION;
  if (!commit().empty()) version.append("+g").append(commit());
  return version;
}

}  // namespace vernier::flow
