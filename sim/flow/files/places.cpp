// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/files/places.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/report/node_data.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace vernier::flow {
namespace {

bool is_existing_directory(const std::filesystem::path& path) {
  std::error_code unknown;  // what cannot be looked at is none
  return std::filesystem::is_directory(path, unknown);
}
bool is_writable_directory(const std::filesystem::path& path) {
  return is_existing_directory(path) && ::access(path.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

std::vector<Place> read_places(const std::string& model, const MachineOptions& machine) {
  std::vector<Place> places{{"MODEL", model}};
  if (machine.config) places.push_back({"--config", *machine.config});
  if (machine.encodings) places.push_back({"--encodings", *machine.encodings});
  return places;
}

std::vector<Place> places_of(const std::string& what, const std::vector<std::string>& files) {
  std::vector<Place> places;
  for (const std::string& file : files) places.push_back({what, file});
  return places;
}

void refuse_overwriting(const std::vector<Place>& read, const std::vector<Place>& written) {
  for (size_t i = 0; i < written.size(); ++i) {
    const Place& place = written[i];
    for (const Place& other : read) {
      if (base::is_same_file(place.file, other.file))
        throw base::UserError(place.what, "'{}' would overwrite {} '{}', expected another file", place.file, other.what,
                              other.file);
    }
    for (size_t k = 0; k < i; ++k) {
      if (base::is_same_file(place.file, written[k].file))
        throw base::UserError(place.what, "'{}' would overwrite {} '{}' of the same run, expected another file", place.file,
                              written[k].what, written[k].file);
    }
  }
}

std::string ending_of(const std::string& file) {
  return file.ends_with(report::kNodeDataEnding) ? std::string(report::kNodeDataEnding)
                                                 : std::filesystem::path(file).extension().string();
}

void check_file_place(const std::string& option, const std::string& file, const std::vector<std::string>& endings,
                      const std::string& other) {
  if (!endings.empty() && std::ranges::find(endings, ending_of(file)) == endings.end())
    throw base::UserError(option, "'{}' is not FILE{}{}", file, fmt::join(endings, ", FILE"), other);
  const std::filesystem::path path(file);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!is_writable_directory(folder))
    throw base::UserError(option, "'{}' cannot be written: folder '{}' is missing or not writable", file, folder.string());
  if (is_existing_directory(path)) throw base::UserError(option, "'{}' is a directory, expected a file name", file);
}

void check_file_places(const std::string& option, const std::vector<std::string>& files,
                       const std::vector<std::string>& endings) {
  for (const std::string& file : files) check_file_place(option, file, endings);
}

void check_directory_place(const std::string& option, const std::string& directory) {
  if (directory.empty()) throw base::UserError(option, "'' is not a directory name");
  // The directory is made when there is something to write: until then, whether it can be is a question to its parents.
  std::filesystem::path place = std::filesystem::absolute(directory);
  std::error_code unknown;
  while (!std::filesystem::exists(place, unknown) && place.has_relative_path()) place = place.parent_path();
  if (!is_existing_directory(place))
    throw base::UserError(option, "'{}' cannot be made: '{}' is no directory", directory, place.string());
  if (!is_writable_directory(place))
    throw base::UserError(option, "'{}': directory '{}' is not writable", directory, place.string());
}

}  // namespace vernier::flow
