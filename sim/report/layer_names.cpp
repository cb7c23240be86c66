// SPDX-License-Identifier: Apache-2.0
#include "sim/report/layer_names.hpp"

#include "sim/report/columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace vernier::report {
namespace {

constexpr size_t kMaxSuffixes = 4;

std::vector<std::string> parts_of(const std::string& joined) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= joined.size();) {
    const size_t end = std::min(joined.find(';', at), joined.size());
    parts.push_back(joined.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// One of each layer's joined names, see shorten_layer_names().
std::vector<std::string> chosen_parts(const std::vector<std::string>& full_names) {
  std::map<std::string, int> layers_with_first, layers_with_part;
  for (const std::string& name : full_names) {
    const std::vector<std::string> parts = parts_of(name);
    ++layers_with_first[parts.front()];
    for (const std::string& part : std::set<std::string>(parts.begin(), parts.end())) ++layers_with_part[part];
  }
  std::vector<std::string> chosen;
  for (const std::string& name : full_names) {
    const std::vector<std::string> parts = parts_of(name);
    const auto own = std::find_if(parts.begin(), parts.end(),
                                  [&](const std::string& part) { return !part.empty() && layers_with_part[part] == 1; });
    const bool takes_own = layers_with_first[parts.front()] > 1 && own != parts.end();
    chosen.push_back(takes_own ? *own : parts.front());
  }
  return chosen;
}

bool is_letter(const std::string& text, size_t at) {
  return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
}

size_t num_different(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size();
}

/// How many names have each candidate.
using Counts = std::map<std::string, size_t>;

std::string common_prefix(const std::vector<std::string>& names) {
  Counts counts;
  for (const std::string& name : names) {
    for (size_t at = 0; at < name.size(); ++at) {
      if ((name[at] == '/' || name[at] == '.') && is_letter(name, at + 1)) ++counts[name.substr(0, at + 1)];
    }
  }
  std::pair<size_t, std::string> best;
  for (const auto& [prefix, count] : counts) {
    const bool is_better = count > best.first || (count == best.first && prefix.size() > best.second.size());
    if (count >= 2 && 2 * count >= names.size() && is_better) best = {count, prefix};
  }
  return best.second;
}

std::vector<std::string> without_prefix(std::vector<std::string> names, const std::string& prefix) {
  for (std::string& name : names) {
    if (name.starts_with(prefix) && is_letter(name, prefix.size())) name.erase(0, prefix.size());
  }
  return names;
}

std::vector<std::string> without_suffix(std::vector<std::string> names, const std::string& suffix) {
  for (std::string& name : names) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  return names;
}

/// The ending that saves most characters of all; leaves no names equal that were different.
std::string common_suffix(const std::vector<std::string>& names) {
  Counts counts;
  for (const std::string& name : names) {
    for (size_t at = 1; at < name.size(); ++at) {
      if ((name[at] == '/' || name[at] == '_') && is_letter(name, at + 1)) ++counts[name.substr(at)];
    }
  }
  std::vector<std::pair<size_t, std::string>> by_saving;
  for (const auto& [suffix, count] : counts) {
    if (count >= 2 && 4 * count >= names.size()) by_saving.emplace_back(count * suffix.size(), suffix);
  }
  std::sort(by_saving.rbegin(), by_saving.rend());
  const size_t different = num_different(names);
  for (const auto& [saving, suffix] : by_saving) {
    if (num_different(without_suffix(names, suffix)) == different) return suffix;
  }
  return "";
}

}  // namespace

ShortNames shorten_layer_names(const std::vector<std::string>& full_names) {
  ShortNames result;
  result.names = chosen_parts(full_names);
  const std::string prefix = common_prefix(result.names);
  std::vector<std::string> shorter = without_prefix(result.names, prefix);
  if (num_different(shorter) == num_different(result.names)) {
    result.prefix = prefix;
    result.names = std::move(shorter);
  }
  while (result.suffixes.size() < kMaxSuffixes) {
    const std::string suffix = common_suffix(result.names);
    if (suffix.empty()) break;
    result.names = without_suffix(std::move(result.names), suffix);
    result.suffixes.push_back(suffix);
  }
  return result;
}

std::vector<std::string> fit_names(const std::vector<std::string>& names, int64_t columns) {
  std::vector<std::string> best;
  for (const Cut cut : {Cut::Front, Cut::Middle, Cut::Back}) {
    std::vector<std::string> fitted;
    fitted.reserve(names.size());
    for (const std::string& name : names) fitted.push_back(fit(name, columns, cut));
    if (best.empty() || num_different(fitted) > num_different(best)) best = std::move(fitted);
  }
  return best;
}

}  // namespace vernier::report
