// SPDX-License-Identifier: Apache-2.0
// A folder that goes with all that is in it.
#pragma once

#include <filesystem>
#include <string_view>

namespace vernier::base {

class TemporaryFolder {
 public:
  /// A new folder in `parent`, whose name begins with `prefix`. UserError, with its path and `complaint`, where none can be
  /// made.
  TemporaryFolder(const std::filesystem::path& parent, std::string_view prefix, std::string_view complaint);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Async-signal-safe: removes the folders that this process has made. For the handler of SIGINT and SIGTERM.
  static void remove_all_of_process() noexcept;

 private:
  std::filesystem::path path_;
  int owner_pid_;  // a fork of the process leaves the folder alone
  TemporaryFolder* next_;
};

}  // namespace vernier::base
