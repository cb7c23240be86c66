// SPDX-License-Identifier: Apache-2.0
// Whole-file input and output. Outputs are written to a temporary name beside their place and renamed, so that no reader
// ever sees half a file; what is left after an interrupt is removed by remove_unfinished_files().
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::base {

/// The whole file, or all that a pipe gives. UserError (naming the file) when it is missing, a directory, a device, or
/// cannot be read.
std::vector<std::byte> read_file(const std::filesystem::path& path);
std::string read_text_file(const std::filesystem::path& path);

/// Writes and renames; UserError (naming the file and the system's reason) when that fails, and nothing is left behind. What
/// is there already and no regular file (a pipe, /dev/stdout) is written to as it is; a symbolic link stays one.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_text_file(const std::filesystem::path& path, std::string_view text);

/// Whether the two are one file, or will be once they are written: by any path, symbolic link or hard link. Pipes and
/// devices are never taken for one file.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Files that appear together or not at all, by the same rules: add() writes each under a temporary name, commit() puts them
/// in their places. Without a commit() the temporary files go when the set does.
class FileSet {
 public:
  FileSet();
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;
  ~FileSet();
  /// Makes a directory and those above it that are missing; without a commit() they go again.
  void make_directory(const std::filesystem::path& path);
  void add(const std::filesystem::path& path, std::span<const std::byte> bytes);
  void add_text(const std::filesystem::path& path, std::string_view text);
  /// A file that is written piece by piece: append() adds to the one that was begun last.
  void begin(const std::filesystem::path& path);
  void append(std::span<const std::byte> bytes);
  void commit();

 private:
  struct Entry;
  void end();
  std::vector<Entry> entries_;
  std::vector<std::filesystem::path> directories_;  // made here, outermost first
};

/// Async-signal-safe: unlinks the temporary files that are being written, if any. For the handler of SIGINT and SIGTERM.
void remove_unfinished_files() noexcept;

/// Every character outside [A-Za-z0-9._-] becomes '_', leading dots are dropped; never empty. At most 200
/// characters: file systems take 255, with the ending.
std::string safe_file_name(std::string_view name);

}  // namespace vernier::base
