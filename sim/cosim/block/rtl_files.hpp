// SPDX-License-Identifier: Apache-2.0
// What a block is built from while the program runs: the modules of hw/rtl, and the C++ around a Verilated block. The build
// embeds them (hw/rtl/CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace vernier::cosim {

struct RtlFile {
  std::string_view name, text;
};

/// npu_*.sv; rtl_block.hpp and verilated_stop.cpp; for each block binding_MODULE.cpp, of a class Vblock.
std::span<const RtlFile> rtl_files();

}  // namespace vernier::cosim
