// SPDX-License-Identifier: Apache-2.0
// Files that a command reads and files that it writes: none may be both, and none may be written twice.
#pragma once

#include <string>
#include <vector>

namespace vernier::cli {

struct Place {
  std::string what;  // for messages: "--report"
  std::string file;
};

/// UserError when a file to be written is one that is read, or is written twice: by any path, symbolic link or hard link,
/// there already or not yet.
void refuse_overwriting(const std::vector<Place>& read, const std::vector<Place>& written);

}  // namespace vernier::cli
