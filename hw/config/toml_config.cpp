// SPDX-License-Identifier: Apache-2.0
#include "hw/config/toml_config.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/text.hpp"
#include "hw/config/limits.hpp"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>

namespace vernier::config::detail {
namespace {

using base::UserError;

/// Keys that are not whole numbers with a range.
constexpr std::array<std::string_view, 4> kOtherKeys{"base", "name", "external_is_full_duplex", "memory_mode"};

/// What may follow the stem of a key: its unit.
constexpr std::array<std::string_view, 5> kUnits{"_hz", "_bytes", "_cycles", "_commands", "_per_cycle"};

std::vector<std::string> all_keys() {
  std::vector<std::string> keys(kOtherKeys.begin(), kOtherKeys.end());
  for (const Limit& limit : kLimits) keys.emplace_back(limit.key);
  return keys;
}

std::string where(const std::string& path, const toml::source_region& source) {
  return fmt::format("{}:{}", path, source.begin.line);
}

/// The kind of a TOML value, for messages.
std::string_view kind_of(const toml::node& node) {
  if (node.is_string()) return "a string";
  if (node.is_integer()) return "a whole number";
  if (node.is_floating_point()) return "a fraction";
  if (node.is_boolean()) return "true or false";
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  return "a date or time";
}

template <typename T>
T take(const std::string& place, std::string_view key, const toml::node& node, std::string_view wanted) {
  const toml::value<T>* value = node.as<T>();
  if (value == nullptr) throw UserError(place, "{} is {}, allowed is {}", key, kind_of(node), wanted);
  return value->get();
}

/// Explains a key that a TOML file may not have: fixed by the preset, without its unit, or a slip of the pen.
[[noreturn]] void throw_unknown_key(const std::string& place, const std::string& key, const MachineConfig& preset) {
  for (const ConfigValue& value : values_of(preset)) {
    if (value.key == key) {
      throw UserError(place, "{} cannot be set: the shape of the datapath is the preset's ({} has {})", key, preset.base,
                      value.value);
    }
  }
  const std::vector<std::string> keys = all_keys();
  for (const std::string_view unit : kUnits) {
    const std::string full = key + std::string(unit);
    const bool exists = std::find(keys.begin(), keys.end(), full) != keys.end();
    if (exists) throw UserError(place, "key '{}' lacks its unit, the key is '{}'", key, full);
  }
  throw UserError(place, "unknown key '{}'{} (allowed are {})", key, base::suggestion(key, keys), fmt::join(keys, ", "));
}

void apply(MachineConfig& config, const std::string& path, const std::string& key, const toml::node& node) {
  const std::string place = where(path, node.source());
  const auto limit = std::find_if(kLimits.begin(), kLimits.end(), [&](const Limit& l) { return l.key == key; });
  if (key == "base") return;
  if (key == "name") {
    config.name = take<std::string>(place, key, node, "a string");
  } else if (key == "external_is_full_duplex") {
    config.external.is_full_duplex = take<bool>(place, key, node, "true or false");
  } else if (key == "memory_mode") {
    config.memory_mode = memory_mode_from_name(take<std::string>(place, key, node, "a string"), place);
  } else if (limit != kLimits.end()) {
    const auto value = take<int64_t>(place, key, node, "a whole number");
    set_value(config, key, value);
    if (value < limit->least || value > limit->most) {
      throw UserError(place, "{} is {}, allowed are {} to {}", key, value, limit->least, limit->most);
    }
  } else {
    throw_unknown_key(place, key, config);
  }
}

toml::table parse(const std::string& path) {
  const std::string text = base::read_text_file(path);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    std::string reason(error.description());
    // "... cannot redefine existing string 'base'"
    if (const size_t quote = reason.find('\''); quote != std::string::npos && reason.find("redefine") != std::string::npos)
      throw UserError(where(path, error.source()), "key {} is given twice", reason.substr(quote));
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    throw UserError(where(path, error.source()), "not TOML: {}", reason);
  }
}

}  // namespace

MachineConfig load_toml(const std::string& path) {
  const toml::table table = parse(path);
  const toml::node* base_node = table.get("base");
  if (base_node == nullptr) {
    throw UserError(path, "there is no base, wanted is the preset to start from: base = \"{}\" or another",
                    spec::kPresets[1].name);
  }
  const std::string place = where(path, base_node->source());
  MachineConfig config = preset_config(take<std::string>(place, "base", *base_node, "a string"), place);
  config.name = std::filesystem::path(path).stem().string();
  // In the order of the file, so that the first mistake is the one that is told.
  std::vector<std::pair<std::string, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(std::string(key.str()), &node);
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.second->source().begin.line < b.second->source().begin.line;
  });
  for (const auto& [key, node] : entries) apply(config, path, key, *node);
  if (spec::find_preset(config.name)) {
    throw UserError(path, "'{}' is the name of a preset, wanted is another: name = \"{}-mine\"", config.name, config.name);
  }
  validate(config, path);
  return config;
}

}  // namespace vernier::config::detail
