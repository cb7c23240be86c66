// SPDX-License-Identifier: Apache-2.0
// Text that is compared with a file of the source tree; VERNIER_UPDATE_GOLDEN=1 writes the file anew: read the difference.
#pragma once

#include "hw/base/file.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace vernier::tests {

inline void check_golden(const std::string& path, const std::string& text) {
  INFO(path);
  const std::filesystem::path file = source_path(path);
  const char* update = std::getenv("VERNIER_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") base::write_text_file(file.string(), text);
  CHECK(base::read_text_file(file.string()) == text);
}

}  // namespace vernier::tests
