// SPDX-License-Identifier: Apache-2.0
// Where built RTL is kept: $XDG_CACHE_HOME/vernier/rtl, or ~/.cache/vernier/rtl. The folder may be deleted at any time.
//
// A kept file ends with a line that has the checksum of all before it, which loaders and linkers do not look at: what was
// cut or written over is told from what was kept, and is built again.
#pragma once

#include "hw/base/temporary_folder.hpp"
#include "sim/cosim/block/child_process.hpp"

#include <filesystem>
#include <functional>
#include <string_view>

namespace vernier::cosim {

/// UserError where no variable of the environment says where it is.
std::filesystem::path rtl_cache_folder();
/// Whether something can be built there; the folder is made where there is none. One that can only be read still has what
/// was kept.
bool is_writable(const std::filesystem::path& cache);
/// UserError where it is not.
void require_writable(const std::filesystem::path& cache);
/// UserError where the computer ended a program that built something there, and not what the program read; `who` says what
/// it was at.
void refuse_trouble(const Finished& finished, std::string_view who, const std::filesystem::path& cache);

/// A folder to work in: in `cache`, or where this user's temporary files are when that can only be read.
base::TemporaryFolder scratch_in(const std::filesystem::path& cache);
/// Calls `work` with such a folder. Where its file system is full, that is what the UserError says.
void build_in(const std::filesystem::path& cache, const std::function<void(const std::filesystem::path& scratch)>& work);
/// Removes folders of scratch_in() that a program left there more than an hour ago.
void remove_leftovers(const std::filesystem::path& cache);

/// Appends the checksum and renames a file, so that nobody sees half of one.
void keep_file(const std::filesystem::path& built, const std::filesystem::path& kept);
/// Whether the file is there and is as keep_file() left it.
bool is_kept_whole(const std::filesystem::path& kept);

}  // namespace vernier::cosim
