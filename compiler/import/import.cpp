// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/import.hpp"

#include "hw/base/file.hpp"

namespace vernier::import {

ir::Graph import_file(const std::filesystem::path& path, const ir::Level& level) {
  const std::vector<std::byte> bytes = base::read_file(path);
  return import_tosa(path.string(), bytes, level);
}

}  // namespace vernier::import
