// SPDX-License-Identifier: Apache-2.0
#include "hw/base/temporary_folder.hpp"

#include "hw/base/error.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

namespace vernier::base {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent, std::string_view prefix, std::string_view complaint) {
  std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) throw UserError(name, complaint);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace vernier::base
