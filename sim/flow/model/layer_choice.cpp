// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/layer_choice.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/report/layer_names.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace vernier::flow {
namespace {

/// The layers for which `is_match` holds.
template <typename Match>
std::vector<int64_t> matches(size_t num_layers, const Match& is_match) {
  std::vector<int64_t> found;
  for (size_t i = 0; i < num_layers; ++i) {
    if (is_match(i)) found.push_back(static_cast<int64_t>(i));
  }
  return found;
}

/// A number of a layer; -1 for other text.
int64_t layer_number_of(const std::string& text) {
  int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

/// Whether a table may print `name` as `shown`: "..." in place of its beginning, its middle or its end.
bool is_cut(const std::string& shown, const std::string& name) {
  constexpr std::string_view kDots = "...";
  const size_t at = shown.find(kDots);
  if (at == std::string::npos || shown.size() == kDots.size()) return false;
  const std::string_view front = std::string_view(shown).substr(0, at);
  const std::string_view back = std::string_view(shown).substr(at + kDots.size());
  return name.size() >= front.size() + back.size() && name.starts_with(front) && name.ends_with(back);
}

}  // namespace

int64_t choose_layer(const std::string& option, const std::string& wanted, const std::vector<std::string>& full_names,
                     const std::vector<std::string>& short_names) {
  const size_t num_layers = full_names.size();
  std::vector<int64_t> found = matches(num_layers, [&](size_t i) { return full_names[i] == wanted; });
  if (found.empty()) found = matches(num_layers, [&](size_t i) { return short_names[i] == wanted; });
  const int64_t number = layer_number_of(wanted);
  if (found.empty() && number >= 0) {
    if (number < static_cast<int64_t>(num_layers)) return number;
    throw base::UserError(option, "{} is no layer, the layers are 0 to {}", wanted, num_layers - 1);
  }
  if (found.empty()) found = matches(num_layers, [&](size_t i) { return is_cut(wanted, short_names[i]); });
  if (found.empty()) found = matches(num_layers, [&](size_t i) { return is_cut(wanted, full_names[i]); });
  if (found.empty() && !wanted.empty())
    found = matches(num_layers, [&](size_t i) { return full_names[i].find(wanted) != std::string::npos; });
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw base::UserError(option, "no layer '{}'{}; allowed are a name, a part of one, or 0 to {}", wanted,
                          base::suggestion(wanted, short_names), num_layers - 1);
  }
  std::vector<std::string> lines{
      base::UserError(option, "'{}' is in the names of {} layers, wanted is one of them:", wanted, found.size()).what()};
  const size_t width = std::to_string(found.back()).size();
  for (const int64_t idx : found) {
    const std::string& short_name = short_names[static_cast<size_t>(idx)];
    const bool shows_wanted = short_name.find(wanted) != std::string::npos || is_cut(wanted, short_name);
    lines.emplace_back(
        base::UserError(option, "  {:>{}} {}", idx, width, shows_wanted ? short_name : full_names[static_cast<size_t>(idx)])
            .what());
  }
  throw base::UserErrors(lines);
}

int64_t choose_layer(const std::string& option, const std::string& wanted, const package::Package& package) {
  std::vector<std::string> names;
  for (const package::LayerEntry& layer : package.layers) names.push_back(layer.name);
  return choose_layer(option, wanted, names, report::shorten_layer_names(names).names);
}

}  // namespace vernier::flow
