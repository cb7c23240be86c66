// SPDX-License-Identifier: Apache-2.0
// Files that a command reads and files that it writes: none may be both, none may be written twice, and all are looked at
// before any work is done.
#pragma once

#include "sim/flow/model/machine_options.hpp"

#include <string>
#include <vector>

namespace vernier::flow {

struct Place {
  std::string what;  // for messages: "--report"
  std::string file;
};

/// MODEL, and what the options have read for it.
std::vector<Place> read_places(const std::string& model, const MachineOptions& machine);
/// One for each file.
std::vector<Place> places_of(const std::string& what, const std::vector<std::string>& files);

/// UserError when a file to be written is one that is read, or is written twice: by any path, symbolic link or hard link,
/// there already or not yet.
void refuse_overwriting(const std::vector<Place>& read, const std::vector<Place>& written);

/// ".json" of "a.json"; ".mx.json", Model Explorer's, is one of its own.
std::string ending_of(const std::string& file);
/// UserError unless the file has one of the endings (any, where there are none), in a folder that is there and can be
/// written. `other` is what else the option takes: " or -".
void check_file_place(const std::string& option, const std::string& file, const std::vector<std::string>& endings,
                      const std::string& other = "");
void check_file_places(const std::string& option, const std::vector<std::string>& files,
                       const std::vector<std::string>& endings);
/// UserError where the directory cannot be made, or not be written.
void check_directory_place(const std::string& option, const std::string& directory);

}  // namespace vernier::flow
