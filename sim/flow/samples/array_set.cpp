// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/samples/array_set.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npz.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

namespace vernier::flow {
namespace {

namespace fs = std::filesystem;
using base::UserError;

constexpr std::string_view kEnding = ".npy", kFloatEnding = ".float.npy";

/// What is in a folder, by name; hidden files are passed over.
std::vector<fs::path> entries_of(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator at(folder, error);
  std::vector<fs::path> entries;
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    if (!at->path().filename().string().starts_with('.')) entries.push_back(at->path());
  }
  if (error) throw UserError(folder, "cannot be read: {}", error.message());
  std::ranges::sort(entries, {}, [](const fs::path& path) { return path.filename().string(); });
  return entries;
}

/// Files by what stands before their ending; NAME.npy goes before NAME.float.npy.
std::map<std::string, std::string> arrays_by_stem(const std::vector<fs::path>& entries, bool takes_floats) {
  std::map<std::string, std::string> files, floats;
  for (const fs::path& entry : entries) {
    std::string name = entry.filename().string();
    if (!name.ends_with(kEnding)) continue;
    const bool is_floats = takes_floats && name.ends_with(kFloatEnding);
    name.resize(name.size() - (is_floats ? kFloatEnding : kEnding).size());
    (is_floats ? floats : files).emplace(name, entry.string());
  }
  files.merge(floats);
  return files;
}

/// The samples of a stack as names that sort as they do.
std::vector<std::string> numbers_up_to(int64_t count) {
  constexpr size_t kLeastDigits = 4;
  const size_t digits = std::max(kLeastDigits, std::to_string(count - 1).size());
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i) names.push_back(fmt::format("{:0{}}", i, digits));
  return names;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

ArraySet::ArraySet(ArrayQuestion question, std::string place) : question_(std::move(question)), place_(std::move(place)) {
  std::error_code error;
  if (fs::is_directory(place_, error)) {
    open_folder();
    return;
  }
  const std::vector<std::byte> bytes = base::read_file(place_);
  std::vector<GivenArray> stacks(question_.names.size());
  if (!base::is_zip(bytes)) {
    if (stacks.size() != 1)
      throw UserError(question_.option, "{} is one array, and the network has {} {}s ({}): give a folder or an .npz file",
                      place_, stacks.size(), question_.what, fmt::join(question_.names, ", "));
    stacks[0] = {place_, base::parse_npy_array(place_, bytes)};
    take_stacks(std::move(stacks));
    return;
  }
  std::vector<base::NamedArray> arrays = base::parse_npz(place_, bytes);
  const bool is_unnamed = arrays.size() == 1 && stacks.size() == 1 && arrays[0].name == "arr_0";  // as numpy calls it
  for (base::NamedArray& array : arrays) {
    const size_t index = is_unnamed ? 0 : index_of(place_, array.name);
    stacks[index] = {fmt::format("{}: array '{}'", place_, array.name), std::move(array.array)};
  }
  for (size_t i = 0; i < stacks.size(); ++i) {
    if (stacks[i].subject.empty())
      throw UserError(place_, "has no array '{}', expected one for each {} of the network", question_.names[i],
                      question_.what);
  }
  take_stacks(std::move(stacks));
}

/// A name as it is, or as a file of it is called.
size_t ArraySet::index_of(const std::string& where, const std::string& key) const {
  for (size_t i = 0; i < question_.names.size(); ++i) {
    if (key == question_.names[i] || key == base::safe_file_name(question_.names[i])) return i;
  }
  throw UserError(where, "holds '{}', no {} is named so; the {}s are {}{}", key, question_.what, question_.what,
                  fmt::join(question_.names, ", "), base::suggestion(key, question_.names));
}

void ArraySet::take_stacks(std::vector<GivenArray> stacks) {
  stacks_ = std::move(stacks);
  for (const GivenArray& stack : stacks_) {
    const base::Shape& shape = stack.array.shape;
    if (shape.empty())
      throw UserError(stack.subject, "holds one number, expected an array whose first dimension counts the samples");
    if (shape[0] == 0) throw UserError(stack.subject, "has no samples: its shape is {}", base::to_string(shape));
    if (shape[0] != stacks_[0].array.shape[0])
      throw UserError(stack.subject, "has {}, and {} has {}", base::counted(shape[0], "sample"), stacks_[0].subject,
                      stacks_[0].array.shape[0]);
  }
  samples_ = numbers_up_to(stacks_[0].array.shape[0]);
}

void ArraySet::open_folder() {
  if (question_.names.size() == 1) {
    open_folder_of_one();
  } else {
    open_folder_of_several();
  }
  if (!samples_.empty()) return;
  if (question_.names.size() == 1)
    throw UserError(place_, "has no .npy files, expected one for each sample ({})", question_.option);
  throw UserError(place_, "has no folders, expected one for each sample with a file NAME.npy for each {} ({})",
                  question_.what, question_.option);
}

void ArraySet::open_folder_of_one() {
  const std::vector<fs::path> entries = entries_of(place_);
  for (const auto& [stem, file] : arrays_by_stem(entries, question_.takes_floats)) samples_.push_back(stem);
  // In the order of the names of the files, as a list of them has it: "a-1.npy" comes before "a.npy".
  std::ranges::sort(samples_, {}, [](const std::string& stem) { return stem + std::string(kEnding); });
  const auto files = arrays_by_stem(entries, question_.takes_floats);
  for (const std::string& sample : samples_) files_.push_back({files.at(sample)});
}

void ArraySet::open_folder_of_several() {
  for (const fs::path& folder : entries_of(place_)) {
    if (!fs::is_directory(folder)) {
      if (folder.string().ends_with(kEnding))
        throw UserError(folder.string(), "is a file, expected a folder for each sample with a file NAME.npy for each {}: {}",
                        question_.what, fmt::join(question_.names, ", "));
      continue;
    }
    std::vector<std::string> files(question_.names.size());
    for (const auto& [stem, file] : arrays_by_stem(entries_of(folder.string()), question_.takes_floats))
      files[index_of(folder.string(), stem)] = file;
    for (size_t i = 0; i < files.size(); ++i) {
      if (files[i].empty())
        throw UserError(folder.string(), "has no {}.npy, expected a file for each {}: {}",
                        base::safe_file_name(question_.names[i]), question_.what, fmt::join(question_.names, ", "));
    }
    samples_.push_back(folder.filename().string());
    files_.push_back(std::move(files));
  }
}

GivenArray ArraySet::array(size_t sample, size_t name) const {
  if (is_folder()) {
    const std::string& file = files_.at(sample).at(name);
    return {file, base::read_npy_array(file)};
  }
  const GivenArray& stack = stacks_.at(name);
  const auto& [dtype, shape, data] = stack.array;
  const size_t num_bytes = data.size() / static_cast<size_t>(shape[0]);
  const auto begin = data.begin() + static_cast<std::ptrdiff_t>(sample * num_bytes);
  return {fmt::format("{}, sample {}", stack.subject, sample),
          {dtype, base::Shape(shape.begin() + 1, shape.end()), {begin, begin + static_cast<std::ptrdiff_t>(num_bytes)}}};
}

std::string ArraySet::note_on_order() const {
  if (!is_folder() || !std::ranges::all_of(samples_, is_number)) return "";
  for (size_t i = 1; i < samples_.size(); ++i) {
    const auto& [before, after] = std::tie(samples_[i - 1], samples_[i]);
    if (before.size() > after.size())
      return fmt::format("the samples of {} are in the order of their names, in which '{}' comes before '{}'", place_,
                         before, after);
  }
  return "";
}

void ArraySet::arrange_as(const ArraySet& other) {
  if (!is_folder()) {
    if (samples_.size() != other.samples_.size())
      throw UserError(place_, "has {}, and {} has {}", base::counted(std::ssize(samples_), "sample"), other.place_,
                      other.samples_.size());
    return;
  }
  std::map<std::string, std::vector<std::string>> files;
  for (size_t i = 0; i < samples_.size(); ++i) files.emplace(samples_[i], files_[i]);
  files_.clear();
  for (const std::string& sample : other.samples_) {
    const auto found = files.find(sample);
    if (found == files.end())
      throw UserError(place_, "has nothing for sample '{}' of {} ({})", sample, other.place_, question_.option);
    files_.push_back(std::move(found->second));
    files.erase(found);
  }
  if (!files.empty())
    throw UserError(place_, "has '{}', which is no sample of {} ({})", files.begin()->first, other.place_, question_.option);
  samples_ = other.samples_;
}

base::NpyArray fitted(base::NpyArray array, const std::vector<base::Shape>& shapes) {
  for (const base::Shape& shape : shapes) {
    if (array.shape == shape) return array;
    const bool lacks_one = shape.size() == array.shape.size() + 1 && shape[0] == 1 &&
                           std::equal(array.shape.begin(), array.shape.end(), shape.begin() + 1);
    if (!lacks_one) continue;
    array.shape = shape;
    return array;
  }
  return array;
}

}  // namespace vernier::flow
