// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/samples/labels.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

#include <charconv>
#include <string_view>

namespace vernier::flow {
namespace {

using base::UserError;

template <typename T>
std::vector<double> numbers_as(const base::NpyArray& array) {
  const std::span<const T> values = array.as<T>();
  return {values.begin(), values.end()};
}

/// Lines may end with a carriage return, and empty ones may follow the last number.
std::vector<int64_t> labels_in_text(const std::string& file, std::string_view text) {
  std::vector<int64_t> labels;
  int64_t num_lines = 0, empty_line = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++num_lines;
    while (!line.empty() && std::string_view(" \t\r").find(line.back()) != std::string_view::npos) line.remove_suffix(1);
    while (!line.empty() && std::string_view(" \t").find(line.front()) != std::string_view::npos) line.remove_prefix(1);
    if (line.empty()) {
      if (empty_line == 0) empty_line = num_lines;
      continue;
    }
    if (empty_line > 0) throw UserError(file, "line {} is empty, expected the number of a class", empty_line);
    int64_t label = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), label);
    if (error != std::errc() || stop != line.data() + line.size())
      throw UserError(file, "line {} is '{}', expected the number of a class", num_lines, line);
    labels.push_back(label);
  }
  return labels;
}

std::vector<int64_t> labels_in_array(const std::string& file, const base::NpyArray& array) {
  const bool is_of_integers = array.dtype.starts_with("int") || array.dtype.starts_with("uint");
  if (!is_of_integers || array.shape.size() != 1)
    throw UserError(file, "holds {} {}, expected integers with one dimension", array.dtype, base::to_string(array.shape));
  if (array.dtype == "int64") {
    const std::span<const int64_t> values = array.as<int64_t>();
    return {values.begin(), values.end()};
  }
  if (array.data.empty() && array.shape[0] > 0)
    throw UserError(file, "holds {}, allowed are int8, uint8, int16, uint16, int32 and int64", array.dtype);
  std::vector<int64_t> labels;
  for (const double number : numbers_of(array)) labels.push_back(static_cast<int64_t>(number));
  return labels;
}

}  // namespace

std::vector<double> numbers_of(const base::NpyArray& array) {
  if (array.dtype == "float32") return numbers_as<float>(array);
  if (array.dtype == "int8") return numbers_as<int8_t>(array);
  if (array.dtype == "uint8" || array.dtype == "bool") return numbers_as<uint8_t>(array);
  if (array.dtype == "int16") return numbers_as<int16_t>(array);
  if (array.dtype == "uint16") return numbers_as<uint16_t>(array);
  if (array.dtype == "int32") return numbers_as<int32_t>(array);
  VERNIER_CHECK(array.dtype == "int64", "no numbers of {}", array.dtype);
  return numbers_as<int64_t>(array);
}

std::vector<int64_t> read_labels(const std::string& file, size_t num_samples) {
  const std::vector<std::byte> bytes = base::read_file(file);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<int64_t> labels =
      text.starts_with("\x93NUMPY") ? labels_in_array(file, base::parse_npy_array(file, bytes)) : labels_in_text(file, text);
  if (labels.size() != num_samples)
    throw UserError(file, "has {}, and there are {}", base::counted(std::ssize(labels), "label"),
                    base::counted(static_cast<int64_t>(num_samples), "sample"));
  return labels;
}

}  // namespace vernier::flow
