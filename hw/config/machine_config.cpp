// SPDX-License-Identifier: Apache-2.0
#include "hw/config/machine_config.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/config/limits.hpp"
#include "hw/config/toml_config.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <tuple>

namespace vernier::config {
namespace {

using base::UserError;

constexpr std::string_view kConfigOption = "--config";

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const spec::Preset& preset : spec::kPresets) names.emplace_back(preset.name);
  return names;
}

MachineConfig from_preset(const spec::Preset& preset) {
  return {std::string(preset.name),
          std::string(preset.name),
          preset.datapath,
          preset.clock_hz,
          preset.sram_bytes,
          preset.external,
          preset.queue_depth,
          preset.memory_mode,
          spec::SramProtection::None,
          {fmt::format("preset '{}'", preset.name), {}}};
}

/// A name stands in every report, on a line with others.
bool is_legal_name(const std::string& name) {
  const bool is_blank = name.find_first_not_of(' ') == std::string::npos;
  const bool has_control =
      std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  return !is_blank && !has_control && name.size() <= kMaxNameBytes;
}

}  // namespace

bool MachineConfig::operator==(const MachineConfig& other) const {
  const auto shape = [](const MachineConfig& c) {
    return std::tuple(c.datapath.lanes, c.datapath.sram_read_words, c.datapath.sram_write_words);
  };
  const auto memory = [](const MachineConfig& c) {
    return std::tuple(c.sram_bytes, c.external.bytes_per_cycle, c.external.latency_cycles, c.external.burst_bytes,
                      c.external.is_full_duplex, c.memory_mode, c.sram_protection);
  };
  return name == other.name && base == other.base && shape(*this) == shape(other) && clock_hz == other.clock_hz &&
         memory(*this) == memory(other) && queue_depth == other.queue_depth;
}

MachineConfig preset_config(const std::string& name, const std::string& subject) {
  if (const auto preset = spec::find_preset(name)) return from_preset(*preset);
  const std::vector<std::string> names = preset_names();
  throw UserError(subject, "unknown configuration '{}'{} (allowed are {}{})", name, base::suggestion(name, names),
                  fmt::join(names, ", "), subject == kConfigOption ? " and .toml files" : "");
}

MachineConfig load_config(const std::string& name_or_path) {
  const bool is_path = name_or_path.ends_with(".toml") || name_or_path.find('/') != std::string::npos;
  return is_path ? detail::load_toml(name_or_path) : preset_config(name_or_path, std::string(kConfigOption));
}

MachineConfig load_config(const std::string& name_or_path, const std::map<std::string, std::string>& sets) {
  MachineConfig config = load_config(name_or_path);
  if (sets.empty()) return config;
  const bool is_path = name_or_path.ends_with(".toml") || name_or_path.find('/') != std::string::npos;
  std::string name = config.name;
  for (const auto& [key, value] : sets) name += fmt::format(" {}={}", key, value);
  config = detail::load_toml(is_path ? name_or_path : "", config.base, sets);
  if (!sets.contains("name")) config.name = name;
  return config;
}

std::vector<Finding> findings_of(const MachineConfig& config) {
  std::vector<Finding> findings;
  const auto add = [&]<typename... Args>(std::string_view key, fmt::format_string<Args...> format, Args&&... args) {
    findings.push_back({std::string(key), fmt::format(format, std::forward<Args>(args)...)});
  };
  if (!is_legal_name(config.name)) {
    add("name", "name is '{}', allowed are 1 to {} bytes, not only blanks, no control characters", config.name,
        kMaxNameBytes);
  }
  for (const detail::Limit& limit : detail::kLimits) {
    const base::Ratio value = detail::value_of(config, limit.key);
    if (value < limit.least || value > limit.most) add(limit.key, "{}", detail::out_of_range(limit, value));
  }
  const auto is_fine = [&](std::string_view key) {
    return std::none_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.key == key; });
  };
  const int64_t stripe_bytes = int64_t{spec::kNumSramBanks} * config.datapath.word_bytes();
  if (is_fine("sram_bytes") && config.sram_bytes % stripe_bytes != 0) {
    const int64_t below = config.sram_bytes - config.sram_bytes % stripe_bytes;
    add("sram_bytes",
        "sram_bytes is {}, allowed on preset '{}' are multiples of {} B (a word in each of the {} banks); the nearest are "
        "{} B "
        "and {} B",
        base::size_text(config.sram_bytes), config.base, stripe_bytes, spec::kNumSramBanks, below, below + stripe_bytes);
  }
  if (is_fine("external_burst_bytes") && (config.external.burst_bytes & (config.external.burst_bytes - 1)) != 0) {
    add("external_burst_bytes", "external_burst_bytes is {}, allowed are powers of two from 8 to 4096",
        config.external.burst_bytes);
  }
  return findings;
}

void validate(const MachineConfig& config, const std::string& subject) {
  const std::vector<Finding> findings = findings_of(config);
  if (!findings.empty()) throw UserError(subject, std::string_view(findings.front().text));
}

namespace {

/// The index of `name` in `names`; UserError, which says `what` it is, otherwise.
size_t index_of_name(std::span<const std::string_view> names, std::string_view what, const std::string& name,
                     const std::string& subject) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  throw UserError(subject, "unknown {} '{}'{} (allowed are {})", what, name,
                  base::suggestion(name, std::vector<std::string>(names.begin(), names.end())), fmt::join(names, ", "));
}

}  // namespace

spec::MemoryMode memory_mode_from_name(const std::string& name, const std::string& subject) {
  return static_cast<spec::MemoryMode>(index_of_name(spec::kMemoryModeNames, "memory mode", name, subject));
}

spec::SramProtection sram_protection_from_name(const std::string& name, const std::string& subject) {
  return static_cast<spec::SramProtection>(index_of_name(spec::kSramProtectionNames, "sram_protection", name, subject));
}

}  // namespace vernier::config
