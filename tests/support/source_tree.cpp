// SPDX-License-Identifier: Apache-2.0
// The only source whose object depends on where the checkout lies: a compiler cache serves all others to every clone.
#include "tests/support/source_tree.hpp"

namespace vernier::tests {

std::filesystem::path source_path(const std::filesystem::path& relative) {
  return std::filesystem::path(VERNIER_SOURCE_DIR) / relative;
}

std::filesystem::path shared_path(const std::filesystem::path& relative) {
  const auto path = source_path("").parent_path().parent_path() / "shared" / relative;
  return std::filesystem::exists(path) ? path : std::filesystem::path{};
}

}  // namespace vernier::tests
