// SPDX-License-Identifier: Apache-2.0
// Whose RTL a block is made of: this program's, somebody else's from a folder, or blocks in C++ that a test has.
#pragma once

#include "sim/cosim/block/rtl_build.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace vernier::cosim {

/// Makes the RTL of a unit (spec::kRtlBlocks) with so many lanes, or says why it cannot (UserError).
using BlockMaker = std::function<std::unique_ptr<RtlBlock>(std::string_view unit, int lanes)>;

struct RtlLibrary {
  /// Makes a block of so many lanes, or says why it cannot (UserError).
  std::function<std::unique_ptr<RtlBlock>(const spec::RtlBlock& block, int lanes, const RtlOptions& options)> make;
  /// Whether the block is to come from here: of somebody else's RTL one that has a module of it.
  std::function<bool(const spec::RtlBlock& block)> concerns = [](const spec::RtlBlock& /*block*/) { return true; };
  /// UserError where make() would find nothing to build the block with. Builds nothing.
  std::function<void(const spec::RtlBlock& block, int lanes)> require = [](const spec::RtlBlock& /*block*/, int /*lanes*/) {
  };
  bool has_array = true;  // or a part of it other than lanes
};

/// This program's. Some blocks are compiled into it (rtl_blocks()); one that is not, say of 32 lanes in a quick build, is
/// built by Verilator when it is first asked for, and kept in the user's cache. With `traces_memories` all are built, and
/// their waves have the contents of memories.
RtlLibrary own_rtl(const RtlBuilder::Progress& progress = {}, bool traces_memories = false);
/// The blocks that have a module of the folder in them. UserError for a folder that is none, or that read_rtl_folder()
/// refuses.
RtlLibrary rtl_of_folder(const std::filesystem::path& folder, RtlBuilder::Progress progress = {},
                         bool traces_memories = false);
/// What a function makes.
RtlLibrary rtl_of(BlockMaker make);

}  // namespace vernier::cosim
