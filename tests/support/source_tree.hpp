// SPDX-License-Identifier: Apache-2.0
// Where tests find files: the source tree, and ../shared beside it, which not every machine has.
#pragma once

#include <filesystem>

namespace vernier::tests {

std::filesystem::path source_path(const std::filesystem::path& relative);

/// A path in ../shared; empty where it does not exist. The test says so with WARN and returns.
std::filesystem::path shared_path(const std::filesystem::path& relative);

}  // namespace vernier::tests
