// SPDX-License-Identifier: Apache-2.0
// Where built RTL is kept: $XDG_CACHE_HOME/vernier/rtl, or ~/.cache/vernier/rtl. The folder may be deleted at any time.
//
// A kept file ends with a line that has the checksum of all before it, which loaders and linkers do not look at: what was
// cut or written over is told from what was kept, and is built again.
#pragma once

#include "hw/base/temporary_folder.hpp"

#include <filesystem>

namespace vernier::cosim {

/// Is made where there is none. UserError where it cannot be, or cannot be written.
std::filesystem::path rtl_cache_folder();

/// A folder in `cache` to work in.
base::TemporaryFolder scratch_in(const std::filesystem::path& cache);
/// Removes folders of scratch_in() that a program left there more than an hour ago.
void remove_leftovers(const std::filesystem::path& cache);

/// Appends the checksum and renames a file, so that nobody sees half of one.
void keep_file(const std::filesystem::path& built, const std::filesystem::path& kept);
/// Whether the file is there and is as keep_file() left it.
bool is_kept_whole(const std::filesystem::path& kept);

}  // namespace vernier::cosim
