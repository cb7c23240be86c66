// SPDX-License-Identifier: Apache-2.0
// Where tests find files: the source tree, and ../shared beside it, which not every machine has.
#pragma once

#include <filesystem>
#include <vector>

namespace vernier::tests {

inline std::filesystem::path source_path(const std::filesystem::path& relative) {
  return std::filesystem::path(VERNIER_SOURCE_DIR) / relative;
}

/// A path in ../shared; empty where it does not exist. The test says so with WARN and returns.
inline std::filesystem::path shared_path(const std::filesystem::path& relative) {
  const auto path = std::filesystem::path(VERNIER_SOURCE_DIR).parent_path() / "shared" / relative;
  return std::filesystem::exists(path) ? path : std::filesystem::path{};
}

}  // namespace vernier::tests
