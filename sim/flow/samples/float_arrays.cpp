// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/samples/float_arrays.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npz.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

namespace vernier::flow {
namespace {

using base::UserError;
constexpr std::string_view kArrayEnding = ".npy";

std::map<std::string, std::string> npy_files_below(const std::string& folder) {
  std::map<std::string, std::string> files;
  std::error_code error;
  std::filesystem::recursive_directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
    std::string name = std::filesystem::relative(at->path(), folder).generic_string();
    if (!name.ends_with(kArrayEnding) || !at->is_regular_file()) continue;
    name.resize(name.size() - kArrayEnding.size());
    files.emplace(std::move(name), at->path().string());
  }
  if (error) throw UserError(folder, "cannot be read: {}", error.message());
  return files;
}

}  // namespace

FloatArrays::FloatArrays(const std::string& place) : place_(place) {
  std::error_code unknown;
  if (std::filesystem::is_directory(place, unknown)) {
    files_ = npy_files_below(place);
  } else {
    for (base::NamedArray& one : base::read_npz(place)) arrays_.emplace(std::move(one.name), std::move(one.array));
  }
  if (files_.empty() && arrays_.empty())
    throw UserError(place, "has no arrays, expected NAME.npy for tensors of the network (--float-outputs)");
}

std::vector<std::string> FloatArrays::names() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : files_) names.push_back(name);
  for (const auto& [name, array] : arrays_) names.push_back(name);
  return names;
}

std::string FloatArrays::subject(const std::string& name) const {
  const auto file = files_.find(name);
  return file != files_.end() ? file->second : fmt::format("{}: array '{}'", place_, name);
}

GivenArray FloatArrays::array(const std::string& name) const {
  const auto file = files_.find(name);
  GivenArray found{subject(name), file != files_.end() ? base::read_npy_array(file->second) : arrays_.at(name)};
  if (found.array.dtype != "float32")
    throw UserError(found.subject, "holds {} {}, expected float32 (numpy: .astype('float32'))", found.array.dtype,
                    base::to_string(found.array.shape));
  const std::span<const float> floats = found.array.as<float>();
  const auto bad = std::ranges::find_if(floats, [](float number) { return !std::isfinite(number); });
  if (bad != floats.end())
    throw UserError(found.subject, "holds {} at {}, allowed are numbers", *bad,
                    base::to_string(base::coordinates_of(found.array.shape, bad - floats.begin())));
  return found;
}

std::optional<std::string> tensor_named(const std::string& array, const std::vector<std::string>& tensors) {
  const auto find = [&](const auto& is_it) -> std::optional<std::string> {
    const auto found = std::ranges::find_if(tensors, is_it);
    return found == tensors.end() ? std::nullopt : std::optional(*found);
  };
  if (auto same = find([&](const std::string& tensor) { return tensor == array; })) return same;
  if (auto file = find([&](const std::string& tensor) { return base::safe_file_name(tensor) == array; })) return file;
  return find([&](const std::string& tensor) {
    const std::string first = base::first_name(tensor);
    return first == array || base::safe_file_name(first) == array;
  });
}

}  // namespace vernier::flow
