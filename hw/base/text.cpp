// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  std::string best;
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

std::string shortened(const std::string& name, int64_t columns) {
  const auto room = static_cast<size_t>(columns);
  return name.size() <= room ? name : "..." + name.substr(name.size() - (room - 3));
}

std::string first_name(const std::string& name) { return name.substr(0, name.find(';')); }

std::string with_thousands(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string bytes_text(int64_t bytes) {
  constexpr int64_t kKibi = 1024;
  if (bytes >= kKibi * kKibi && bytes % (kKibi * kKibi) == 0) return fmt::format("{} MiB", bytes / (kKibi * kKibi));
  if (bytes >= kKibi && bytes % kKibi == 0) return fmt::format("{} KiB", bytes / kKibi);
  return with_thousands(bytes) + " B";
}

}  // namespace vernier::base
