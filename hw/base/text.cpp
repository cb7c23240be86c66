// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace vernier::base {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
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
