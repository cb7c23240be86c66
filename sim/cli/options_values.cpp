// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_values.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <functional>
#include <limits>
#include <string_view>
#include <system_error>

namespace vernier::cli {
namespace {

using base::UserError;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

using IsEntry = std::function<bool(const std::string&)>;

/// The entries of "a,b,c". Neighbours of which `is_one` says so are one entry with its commas; the longest such one is
/// taken.
std::vector<std::string> entries_of(const std::string& option, const std::string& list, const IsEntry& is_one) {
  std::vector<std::string> entries;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t first_end = std::min(list.find(',', begin), list.size());
    size_t end = list.size();
    while (end > first_end && !is_one(list.substr(begin, end - begin))) end = list.rfind(',', end - 1);
    entries.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  const bool has_empty = std::any_of(entries.begin(), entries.end(), [](const std::string& entry) { return entry.empty(); });
  if (entries.size() > 1 && has_empty) throw UserError(option, "'{}' has an empty entry", list);
  return entries;
}

/// A file's name may have commas: what is there by that name is no list.
bool is_config_file(const std::string& name) {
  std::error_code no_error_matters;
  return (name.ends_with(".toml") || name.find('/') != std::string::npos) &&
         std::filesystem::is_regular_file(name, no_error_matters);
}

/// The entries, or nothing once where the option is absent.
std::vector<std::optional<std::string>> alternatives(
    const std::string& option, const std::optional<std::string>& list,
    const IsEntry& is_one = [](const std::string&) { return false; }) {
  if (!list) return {std::nullopt};
  const std::vector<std::string> entries = entries_of(option, *list, is_one);
  return {entries.begin(), entries.end()};
}

}  // namespace

namespace {

/// KEY and VALUE, which may be a list.
std::pair<std::string, std::string> split_set(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UserError("--set", "'{}' is not KEY=VALUE, such as clock_hz=500000000; 'vernier config show' lists the keys",
                    text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

MachineOptions machine_of(const MachineTexts& texts) {
  MachineOptions options;
  for (const std::string& text : texts.sets) {
    auto [key, value] = split_set(text);
    if (value.find(',') != std::string::npos)
      throw UserError("--set", "'{}' has several values; 'run' and 'estimate' alone take these", text);
    if (options.sets.contains(key)) throw UserError("--set", "{} is given more than once", key);
    options.sets.emplace(std::move(key), std::move(value));
  }
  options.config = texts.config;
  options.memory = texts.memory;
  if (texts.memory) check_choice("--memory", *texts.memory, {"sram", "weights-external", "external"});
  if (texts.sram_bytes) options.sram_bytes = parse_bytes("--sram-bytes", *texts.sram_bytes);
  if (texts.optimize) {
    check_choice("--optimize", *texts.optimize, {"0", "1"});
    options.optimize = *texts.optimize == "0" ? 0 : 1;
  }
  options.level = lower_case(texts.level);
  const std::vector<std::string> levels{"8k", "none"};
  if (std::find(levels.begin(), levels.end(), options.level) == levels.end()) check_choice("--level", texts.level, levels);
  constexpr int64_t kMaxDimension = std::numeric_limits<int32_t>::max();
  options.batch = texts.batch;
  options.encodings = texts.encodings;
  options.signature = texts.signature;
  if (texts.tflite_rounding) options.tflite_rounding = flow::tflite_rounding_of(*texts.tflite_rounding);
  if (options.batch && (*options.batch < 1 || *options.batch > kMaxDimension))
    throw UserError("--batch", "{} is not in 1 to {}", *options.batch, kMaxDimension);
  take_ends(texts.ends, options);
  return options;
}

std::vector<MachineOptions> machines_of(const MachineTexts& texts) {
  std::vector<MachineOptions> machines;
  for (const auto& config : alternatives("--config", texts.config, is_config_file)) {
    for (const auto& memory : alternatives("--memory", texts.memory)) {
      for (const auto& sram_bytes : alternatives("--sram-bytes", texts.sram_bytes)) {
        MachineTexts one = texts;
        one.config = config;
        one.memory = memory;
        one.sram_bytes = sram_bytes;
        std::vector<std::vector<std::string>> all_sets{{}};
        for (const std::string& text : texts.sets) {
          const auto [key, list] = split_set(text);
          std::vector<std::vector<std::string>> longer;
          for (const std::vector<std::string>& sets : all_sets) {
            for (const auto& value : alternatives("--set", list)) {
              longer.push_back(sets);
              longer.back().push_back(key + "=" + *value);
            }
          }
          all_sets = std::move(longer);
        }
        for (std::vector<std::string>& sets : all_sets) {
          one.sets = std::move(sets);
          machines.push_back(machine_of(one));
        }
      }
    }
  }
  return machines;
}

}  // namespace vernier::cli
