// SPDX-License-Identifier: Apache-2.0
#include "hw/config/toml_config.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/parse_bytes.hpp"
#include "hw/base/text.hpp"
#include "hw/config/limits.hpp"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

namespace vernier::config::detail {
namespace {

using base::UserError;

/// Keys that are no numbers with a range.
constexpr std::array<std::string_view, 5> kOtherKeys{"base", "name", "external_is_full_duplex", "memory_mode",
                                                     "sram_protection"};

/// What may follow the stem of a key: its unit.
constexpr std::array<std::string_view, 7> kUnits{"_hz",        "_bytes",      "_cycles", "_commands",
                                                 "_per_cycle", "_per_second", "_ns"};

/// Where a value comes from that stands in no file.
constexpr std::string_view kSetOption = "--set";

/// Of a fraction that is given as text: with it and any range above, nothing overflows.
constexpr int64_t kMostDenominator = 1'000'000'000;

std::vector<std::string> all_keys() {
  std::vector<std::string> keys(kOtherKeys.begin(), kOtherKeys.end());
  for (const Limit& limit : kLimits) {
    keys.emplace_back(limit.key);
    for (const Twin& twin : kTwins) {
      if (twin.key == limit.key) keys.emplace_back(twin.name);
    }
  }
  return keys;
}

/// The kind of a TOML value, for messages.
std::string kind_of(const toml::node& node) {
  if (node.is_string()) return "a string";
  if (node.is_integer()) return "a whole number";
  if (const auto* fraction = node.as_floating_point()) return fmt::format("a fraction ({:#})", fraction->get());
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

/// A whole number, 8000000 or 8e6.
int64_t take_whole(const std::string& place, std::string_view key, const toml::node& node, std::string_view wanted) {
  constexpr double kMostExact = 0x1p53;
  if (const auto* text = node.as_string(); text != nullptr && key.ends_with("_bytes"))
    return base::parse_bytes(fmt::format("{}: {}", place, key), text->get());
  if (const auto* number = node.as_floating_point()) {
    const double value = number->get();
    if (std::fabs(value) <= kMostExact && value == std::trunc(value)) return static_cast<int64_t>(value);
  }
  return take<int64_t>(place, key, node, wanted);
}

/// "1/125" or "16"; nothing where the text is neither.
std::optional<base::Ratio> ratio_of(const std::string& text) {
  const auto number = [](std::string_view digits) -> std::optional<int64_t> {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0) return std::nullopt;
    return value;
  };
  const size_t slash = text.find('/');
  const auto numerator = number(std::string_view(text).substr(0, slash));
  const auto denominator = slash == std::string::npos ? 1 : number(std::string_view(text).substr(slash + 1));
  if (!numerator || !denominator || *denominator < 1 || *denominator > kMostDenominator) return std::nullopt;
  return base::Ratio(*numerator, *denominator);
}

base::Ratio take_ratio(const std::string& place, std::string_view key, const toml::node& node) {
  const std::string wanted = "a whole number or a fraction as text, such as \"1/125\"";
  const toml::value<std::string>* text = node.as_string();
  if (text == nullptr) return take_whole(place, key, node, wanted);
  if (const auto ratio = ratio_of(text->get())) return *ratio;
  throw UserError(place, "{} is '{}', allowed is {} (denominators up to {})", key, text->get(), wanted, kMostDenominator);
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
  std::vector<std::string> with_unit;
  for (const std::string_view unit : kUnits) {
    const std::string full = key + std::string(unit);
    if (std::find(keys.begin(), keys.end(), full) != keys.end()) with_unit.push_back('\'' + full + '\'');
  }
  if (!with_unit.empty()) {
    throw UserError(place, "key '{}' lacks its unit, the key is {}", key, fmt::join(with_unit, " or "));
  }
  throw UserError(place, "unknown key '{}'{} (allowed are {})", key, base::suggestion(key, keys), fmt::join(keys, ", "));
}

/// One file. What is wrong is collected by line.
class File {
 public:
  File(std::string path, const toml::table& table) : path_(std::move(path)) {
    for (const auto& [key, node] : table) entries_.emplace(std::string(key.str()), &node);
  }

  MachineConfig read() {
    MachineConfig config = start();
    for (const auto& [key, node] : entries_) guard(*node, [&, &key = key, node = node] { apply(config, key, *node); });
    for (const Twin& twin : kTwins) apply(config, twin);
    check(config);
    if (mistakes_.empty()) return config;
    std::stable_sort(mistakes_.begin(), mistakes_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> lines;
    for (const auto& [line, text] : mistakes_) lines.push_back(text);
    throw base::UserErrors(lines);
  }

 private:
  using Line = toml::source_index;

  [[nodiscard]] std::string where(const toml::node& node) const {
    if (node.source().begin.line == 0) return std::string(kSetOption);
    return fmt::format("{}:{}", path_, node.source().begin.line);
  }

  [[nodiscard]] const toml::node* find(std::string_view key) const {
    const auto found = entries_.find(std::string(key));
    return found == entries_.end() ? nullptr : found->second;
  }

  /// Runs `action`; what it finds wrong is a mistake of the node's line.
  template <typename Action>
  bool guard(const toml::node& node, Action action) {
    try {
      action();
      return true;
    } catch (const UserError& error) {
      mistakes_.emplace_back(node.source().begin.line, error.what());
      return false;
    }
  }

  /// The preset, or, where the file names none, one that the other keys can be looked at with.
  MachineConfig start() {
    const std::string usual(spec::kPresets[1].name);
    MachineConfig config = preset_config(usual, path_);
    const toml::node* node = find("base");
    if (node == nullptr) {
      mistakes_.emplace_back(
          0,
          UserError(path_, "there is no base, wanted is the preset to start from: base = \"{}\" or another", usual).what());
    } else {
      has_base_ = guard(
          *node, [&] { config = preset_config(take<std::string>(where(*node), "base", *node, "a string"), where(*node)); });
    }
    config.name = std::filesystem::path(path_).stem().string();
    return config;
  }

  void apply(MachineConfig& config, const std::string& key, const toml::node& node) {
    const std::string place = where(node);
    const auto limit = std::find_if(kLimits.begin(), kLimits.end(), [&](const Limit& l) { return l.key == key; });
    if (key.starts_with("external_")) config.origins.external_keys.push_back(key);
    if (key == "sram_bytes") config.origins.sram = place;
    if (key == "base" || is_twin(key)) return;
    if (key == "name") {
      config.name = take<std::string>(place, key, node, "a string");
    } else if (key == "external_is_full_duplex") {
      config.external.is_full_duplex = take<bool>(place, key, node, "true or false");
    } else if (key == "memory_mode") {
      config.memory_mode = memory_mode_from_name(take<std::string>(place, key, node, "a string"), place);
    } else if (key == "sram_protection") {
      config.sram_protection = sram_protection_from_name(take<std::string>(place, key, node, "a string"), place);
    } else if (limit != kLimits.end()) {
      const base::Ratio value =
          limit->may_be_fraction ? take_ratio(place, key, node) : take_whole(place, key, node, "a whole number");
      // What is out of range is told here, once; the preset's value stays.
      if (value < limit->least || value > limit->most) throw UserError(place, std::string_view(out_of_range(*limit, value)));
      set_value(config, key, value);
    } else {
      throw_unknown_key(place, key, config);
    }
  }

  [[nodiscard]] static bool is_twin(const std::string& key) {
    return std::any_of(kTwins.begin(), kTwins.end(), [&](const Twin& twin) { return twin.name == key; });
  }

  /// After the clock is known.
  void apply(MachineConfig& config, const Twin& twin) {
    const toml::node* node = find(twin.name);
    if (node == nullptr) return;
    guard(*node, [&] {
      const std::string place = where(*node);
      if (const toml::node* other = find(twin.key)) {
        throw UserError(place, "{} and {} (line {}) say the same, allowed is one of them", twin.name, twin.key,
                        other->source().begin.line);
      }
      const auto value = take_whole(place, twin.name, *node, "a whole number");
      const auto [least, most] = range_of(config, twin);
      if (value < least || value > most) {
        throw UserError(place, "{} is {}, allowed are {} to {} at a clock of {} Hz", twin.name, value, least, most,
                        config.clock_hz);
      }
      set_twin(config, twin, value);
    });
  }

  /// What only the whole can show.
  void check(const MachineConfig& config) {
    for (const Finding& finding : findings_of(config)) {
      const toml::node* node = find(finding.key);
      if (finding.key == "sram_bytes" && !has_base_) continue;  // its multiples are the preset's
      mistakes_.emplace_back(node == nullptr ? 0 : node->source().begin.line,
                             UserError(node == nullptr ? path_ : where(*node), std::string_view(finding.text)).what());
    }
    if (spec::find_preset(config.name)) {
      const toml::node* node = find("name");
      mistakes_.emplace_back(
          node == nullptr ? 0 : node->source().begin.line,
          UserError(node == nullptr ? path_ : where(*node),
                    "'{}' is the name of a preset, wanted is another: name = \"{}-mine\"", config.name, config.name)
              .what());
    }
  }

  std::string path_;
  std::map<std::string, const toml::node*> entries_;
  bool has_base_ = false;
  std::vector<std::pair<Line, std::string>> mistakes_;
};

toml::table parse(const std::string& path) {
  const std::string text = base::read_text_file(path);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    const std::string place = fmt::format("{}:{}", path, error.source().begin.line);
    std::string reason(error.description());
    // "... cannot redefine existing string 'base'"
    if (const size_t quote = reason.find('\''); quote != std::string::npos && reason.find("redefine") != std::string::npos)
      throw UserError(place, "key {} is given twice", reason.substr(quote));
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    throw UserError(place, "not TOML: {}", reason);
  }
}

/// A number or a truth value as TOML has it; anything else is text.
void insert(toml::table& table, const std::string& key, const std::string& value) {
  if (value.find_first_of("\"'[{\n\r#") == std::string::npos) {
    try {
      toml::table parsed = toml::parse("value = " + value);
      toml::node& node = *parsed.get("value");
      if (const auto* whole = node.as_integer()) return void(table.insert_or_assign(key, whole->get()));
      if (const auto* fraction = node.as_floating_point()) return void(table.insert_or_assign(key, fraction->get()));
      if (const auto* truth = node.as_boolean()) return void(table.insert_or_assign(key, truth->get()));
    } catch (const toml::parse_error&) {  // text
    }
  }
  table.insert_or_assign(key, value);
}

}  // namespace

MachineConfig load_toml(const std::string& path) {
  const toml::table table = parse(path);
  return File(path, table).read();
}

MachineConfig load_toml(const std::string& path, const std::string& base, const std::map<std::string, std::string>& sets) {
  toml::table table = path.empty() ? toml::table{{"base", base}, {"name", base + " set"}} : parse(path);
  for (const auto& [key, value] : sets) {
    for (const Twin& twin : kTwins) {  // two keys say the same
      if (key == twin.name) table.erase(twin.key);
      if (key == twin.key) table.erase(twin.name);
    }
    insert(table, key, value);
  }
  return File(path.empty() ? std::string(kSetOption) : path, table).read();
}

}  // namespace vernier::config::detail
