// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_values.hpp"

#include "hw/base/error.hpp"
#include "hw/base/ratio.hpp"
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

struct SizeUnit {
  std::string_view name;  // lower case
  int64_t bytes;
};
constexpr std::array<SizeUnit, 8> kSizeUnits{{{"", 1},
                                              {"b", 1},
                                              {"kb", 1000},
                                              {"mb", 1'000'000},
                                              {"gb", 1'000'000'000},
                                              {"kib", int64_t{1} << 10},
                                              {"mib", int64_t{1} << 20},
                                              {"gib", int64_t{1} << 30}}};
constexpr base::Wide kMostBytes = std::numeric_limits<int64_t>::max();

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

/// A decimal number, digits / 10^decimals, with what follows it.
struct Decimal {
  base::Wide digits = 0;
  int64_t decimals = 0;  // negative: zeros to append
  std::string_view rest;
};

/// Takes "12", "1.5", "1e6" off the front; nothing where there is no number, or one with more digits than a size has.
std::optional<Decimal> take_decimal(std::string_view text) {
  Decimal number;
  size_t at = 0;
  bool has_digits = false, has_point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !has_point) {
      has_point = true;
    } else if (std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      number.digits = number.digits * 10 + (text[at] - '0');
      number.decimals += has_point ? 1 : 0;
      has_digits = true;
      if (number.digits > kMostBytes) return std::nullopt;
    } else {
      break;
    }
  }
  if (!has_digits) return std::nullopt;
  if (at < text.size() && text[at] == 'e') {
    const size_t first = at + 1 < text.size() && text[at + 1] == '+' ? at + 2 : at + 1;
    int64_t exponent = 0;
    const auto [end, error] = std::from_chars(text.data() + first, text.data() + text.size(), exponent);
    if (error != std::errc() || exponent < -40 || exponent > 40) return std::nullopt;
    number.decimals -= exponent;
    at = static_cast<size_t>(end - text.data());
  }
  number.rest = text.substr(at);
  return number;
}

/// Hexadecimal digits after "0x"; nothing where there are others.
std::optional<int64_t> hexadecimal(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  const bool is_all = error == std::errc() && end == digits.data() + digits.size() && digits.front() != '-';
  return is_all ? std::optional(value) : std::nullopt;
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

void check_choice(const std::string& option, const std::string& value, const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  // What is spelled in capitals is near to the same in small letters.
  std::vector<std::string> lower_allowed;
  for (const std::string& choice : allowed) lower_allowed.push_back(lower_case(choice));
  const std::string near = base::nearest(lower_case(value), lower_allowed);
  const auto found = std::find(lower_allowed.begin(), lower_allowed.end(), near);
  const std::string suggestion =
      found == lower_allowed.end()
          ? ""
          : fmt::format(", did you mean '{}'?", allowed[static_cast<size_t>(found - lower_allowed.begin())]);
  throw UserError(option, "'{}' is not one of {}{}", value, fmt::join(allowed, ", "), suggestion);
}

void check_range(const std::string& option, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return;
  throw UserError(option, "{} is not in {} to {}", value, base::with_thousands(least), base::with_thousands(most));
}

int64_t parse_bytes(const std::string& option, const std::string& text) {
  const auto refuse = [&]() -> UserError {
    return {option, "'{}' is not a number of bytes; allowed are such as 65536, 0x10000, 64e3, 64KB, 64KiB, 1.5MiB", text};
  };
  const std::string lower = lower_case(text);
  if (lower.starts_with("0x") && lower.size() > 2) {
    if (const auto value = hexadecimal(std::string_view(lower).substr(2))) return *value;
    throw refuse();
  }
  const std::optional<Decimal> number = take_decimal(lower);
  if (!number) throw refuse();
  const std::string_view unit_name = number->rest.starts_with(' ') ? number->rest.substr(1) : number->rest;
  const auto unit =
      std::find_if(kSizeUnits.begin(), kSizeUnits.end(), [&](const SizeUnit& u) { return u.name == unit_name; });
  if (unit == kSizeUnits.end()) throw refuse();
  base::Wide bytes = number->digits * unit->bytes;
  for (int64_t i = number->decimals; i < 0 && bytes <= kMostBytes; ++i) bytes *= 10;
  for (int64_t i = number->decimals; i > 0; --i) {
    if (bytes % 10 != 0) throw UserError(option, "'{}' is not a whole number of bytes", text);
    bytes /= 10;
  }
  if (bytes > kMostBytes) throw UserError(option, "'{}' is more bytes than there are addresses", text);
  return static_cast<int64_t>(bytes);
}

MachineOptions machine_of(const MachineTexts& texts) {
  MachineOptions options;
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
        machines.push_back(machine_of(one));
      }
    }
  }
  return machines;
}

}  // namespace vernier::cli
