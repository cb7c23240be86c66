// SPDX-License-Identifier: Apache-2.0
// Which widths of a block the program was built with: a quick build leaves the wide ones out (hw/rtl/CMakeLists.txt).
#pragma once

#include "sim/cosim/block/rtl_block.hpp"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Those of `lanes` at which the program has the block.
inline std::vector<int> built_widths(std::string_view module, std::initializer_list<int> lanes = {8, 16, 32}) {
  std::vector<int> built;
  for (const int width : lanes) {
    for (const RtlEntry& entry : rtl_blocks()) {
      if (entry.name == module && entry.lanes == width && entry.variant == RtlVariant::Plain) built.push_back(width);
    }
  }
  return built;
}

/// Whether the program has the block; else ctest counts the case as skipped.
inline bool is_built(std::string_view module, int64_t lanes) {
  if (!built_widths(module, {static_cast<int>(lanes)}).empty()) return true;
  WARN("skipped: this program was built without " << module << " of " << lanes << " lanes");
  return false;
}

}  // namespace vernier::cosim
