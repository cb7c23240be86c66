// SPDX-License-Identifier: Apache-2.0
// Text that is kept in the tree and reviewed as a difference.
#pragma once

#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace vernier::tests {

/// Fails unless the file, a path in the source tree, holds exactly `text`. With VERNIER_UPDATE_GOLDEN=1 it is written
/// instead.
inline void check_golden(const std::filesystem::path& relative, const std::string& text) {
  const std::filesystem::path path = source_path(relative);
  const char* update = std::getenv("VERNIER_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  INFO(relative.string() << " is not what is made now; VERNIER_UPDATE_GOLDEN=1 rewrites it");
  CHECK(text == std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace vernier::tests
