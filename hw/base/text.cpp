// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace vernier::base {
namespace {

/// Insertions, deletions, substitutions and swaps of neighbours that lead from one to the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

struct Character {
  uint32_t code = 0;
  size_t num_bytes = 0;  // 0: no UTF-8
};

/// The character that `text`, which is not empty, begins with. Overlong forms and halves of surrogate pairs are no UTF-8.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t num_bytes = lead >= 0xf8 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  if (num_bytes == 0 || text.size() < num_bytes) return {};
  uint32_t code = lead & (0x7fU >> num_bytes);
  for (size_t i = 1; i < num_bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80) return {};
    code = code << 6U | (next & 0x3fU);
  }
  constexpr std::array<uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[num_bytes] || code > 0x10ffff || is_surrogate ? Character{} : Character{code, num_bytes};
}

bool is_seen(uint32_t code) {
  const auto within = [code](uint32_t first, uint32_t last) { return code >= first && code <= last; };
  const bool is_control = code < 0x20 || within(0x7f, 0x9f);
  // Zero width, line and paragraph separators, marks and overrides of direction, byte order mark.
  const bool is_format = code == 0xad || code == 0x61c || within(0x200b, 0x200f) || within(0x2028, 0x202e) ||
                         within(0x2060, 0x206f) || code == 0xfeff;
  return !is_control && !is_format;
}

/// Bytes of ESC [ numbers m at the start of the text, 0 when it starts with something else.
size_t color_bytes(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

std::string escaped(std::string_view text, bool keeps_lines, bool keeps_color) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    size_t taken = character.num_bytes;
    bool is_kept = taken > 0 && (is_seen(character.code) || (keeps_lines && (text[0] == '\n' || text[0] == '\t')));
    if (const size_t color = keeps_color ? color_bytes(text) : 0; color > 0) {
      is_kept = true;
      taken = color;
    }
    taken = std::max<size_t>(taken, 1);
    if (is_kept) {
      result += text.substr(0, taken);
    } else {
      for (const char byte : text.substr(0, taken)) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    text.remove_prefix(taken);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, false, false); }

std::string json_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string printable_lines(std::string_view text, bool keeps_color) { return escaped(text, true, keeps_color); }

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  std::string best;
  if (name.size() < 2) return best;  // of one letter, anything is near
  // A letter apart, and the contrary: DRAM is the external memory.
  if (name == "dram")
    return std::find(candidates.begin(), candidates.end(), "external") == candidates.end() ? "" : "external";
  size_t best_distance = std::clamp<size_t>(name.size() / 3, 1, 3) + 1;
  for (const std::string& candidate : candidates) {
    if (const size_t distance = edit_distance(name, candidate); distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const std::string found = nearest(name, candidates);
  return found.empty() ? "" : fmt::format(", did you mean '{}'?", found);
}

std::string first_name(const std::string& name) { return name.substr(0, name.find(';')); }

std::string with_thousands(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string counted(int64_t count, std::string_view one) {
  return fmt::format("{} {}{}", with_thousands(count), one, count == 1 ? "" : one.ends_with("ch") ? "es" : "s");
}

std::string bytes_text(int64_t bytes) {
  constexpr int64_t kKibi = 1024;
  if (bytes >= kKibi * kKibi && bytes % (kKibi * kKibi) == 0) return fmt::format("{} MiB", bytes / (kKibi * kKibi));
  if (bytes >= kKibi && bytes % kKibi == 0) return fmt::format("{} KiB", bytes / kKibi);
  return with_thousands(bytes) + " B";
}

std::string size_text(int64_t bytes) {
  constexpr int64_t kKibi = 1024;
  if (bytes < kKibi) return fmt::format("{} B", bytes);
  const int64_t unit = bytes < kKibi * kKibi ? kKibi : kKibi * kKibi;
  const std::string_view name = unit == kKibi ? "KiB" : "MiB";
  if (bytes % unit == 0) return fmt::format("{} B ({} {})", bytes, bytes / unit, name);
  return fmt::format("{} B ({:.1f} {})", bytes, static_cast<double>(bytes) / static_cast<double>(unit), name);
}

}  // namespace vernier::base
