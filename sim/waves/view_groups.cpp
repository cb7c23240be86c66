// SPDX-License-Identifier: Apache-2.0
#include "sim/waves/view_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::waves {

namespace {

// A group of more signals is divided, or else closed.
constexpr size_t kMostOpen = 12;
// Wider than a number that people read.
constexpr int kMostNumberBits = 64;

/// It says what a scope's other signals belong to.
bool is_tag(const Variable& variable) {
  return variable.kind == VariableKind::State || variable.kind == VariableKind::Text || variable.name.ends_with("command");
}

bool is_nothing(const Event& event) {
  const auto* text = std::get_if<std::string>(&event.value);
  return text != nullptr && text->find_first_not_of('z') == std::string::npos;
}

/// Which variables change, and which have a value, within the window.
struct Life {
  explicit Life(const Wave& wave, const Window& window) : changes(wave.variables.size()), has_value(wave.variables.size()) {
    for (const Event& event : wave.events) {
      if (event.time >= window.to_cycle * kTimesPerCycle) continue;
      has_value[event.variable] = !is_nothing(event);
      if (event.time > window.from_cycle * kTimesPerCycle) changes[event.variable] = true;
    }
  }
  std::vector<bool> changes, has_value;
};

/// The signals of a scope that a view lists; none where nothing happens.
std::vector<size_t> listed(const Wave& wave, const Scope& scope, const Life& life) {
  const auto is_busy = [&](size_t i) {
    return life.changes[i] || (life.has_value[i] && wave.variables[i].name.ends_with("command"));
  };
  std::vector<size_t> result;
  if (std::none_of(scope.variables.begin(), scope.variables.end(), is_busy)) return result;
  for (const size_t i : scope.variables) {
    if (life.changes[i] || (life.has_value[i] && is_tag(wave.variables[i]))) result.push_back(i);
  }
  return result;
}

/// Puts the signals of each stream into a group of its own.
void divide(const Wave& wave, Group& group) {
  std::vector<std::pair<std::string, std::vector<size_t>>> streams;
  for (const size_t i : group.variables) {
    const std::string& name = wave.variables[i].name;
    const std::string word = name.substr(0, name.find('_'));
    const auto known =
        std::find_if(streams.begin(), streams.end(), [&](const auto& stream) { return stream.first == word; });
    (known == streams.end() ? streams.emplace_back(word, std::vector<size_t>{}) : *known).second.push_back(i);
  }
  group.variables.clear();
  for (auto& [word, variables] : streams) {
    if (variables.size() == 1) {
      group.variables.push_back(variables.front());
      continue;
    }
    const std::string valid = word + "_valid_o";
    const bool leaves =
        std::any_of(variables.begin(), variables.end(), [&](size_t i) { return wave.variables[i].name == valid; });
    group.groups.push_back({word + "_*", !leaves, std::move(variables), {}, {}});
  }
  group.is_closed = group.variables.size() > kMostOpen;
}

/// The wide words among `variables` that have a mask in the scope; the mask itself may stay the same.
std::vector<Lanes> words_of(const Wave& wave, const std::vector<size_t>& variables, const Scope& scope) {
  std::vector<Lanes> result;
  for (const size_t i : variables) {
    const Variable& word = wave.variables[i];
    if (word.kind != VariableKind::Bits || word.bits <= kMostNumberBits) continue;
    const std::string mask = word.name.substr(0, word.name.find('_')) + "_mask_o";
    const auto found = std::find_if(scope.variables.begin(), scope.variables.end(),
                                    [&](size_t k) { return wave.variables[k].name == mask; });
    if (found == scope.variables.end()) continue;
    const int num_lanes = wave.variables[*found].bits;
    if (word.bits % num_lanes == 0) result.push_back({i, num_lanes, word.bits / num_lanes});
  }
  return result;
}

class Collector {
 public:
  Collector(const Wave& wave, const Window& window, const RtlView& rtl)
      : wave_(wave),
        life_(wave, window),
        most_depth_(rtl.most_depth),
        lane_end_(rtl.lane < 0 ? "" : fmt::format("[{}]", rtl.lane)) {}
  void add(const Scope& scope, const std::string& path, int depth, bool is_in_unit) {
    const std::string inner = path.empty() ? scope.name : path + "." + scope.name;
    Group group{inner, false, listed(wave_, scope, life_), {}, {}};
    is_in_unit |= std::any_of(group.variables.begin(), group.variables.end(),
                              [&](size_t i) { return wave_.variables[i].kind == VariableKind::Text; });
    if (group.variables.size() > kMostOpen) divide(wave_, group);
    for (Group& stream : group.groups) {
      if (!stream.is_closed) stream.words = words_of(wave_, stream.variables, scope);
    }
    if (!group.variables.empty() || !group.groups.empty()) (is_in_unit ? units_ : others_).push_back(std::move(group));
    for (const Scope& child : scope.scopes) {
      if (depth < most_depth_) {
        add(child, inner, depth + 1, is_in_unit);
      } else {
        add_lanes(child, inner, false);
      }
    }
  }
  std::vector<Group> finish() {
    units_.insert(units_.end(), std::make_move_iterator(others_.begin()), std::make_move_iterator(others_.end()));
    return std::move(units_);
  }

 private:
  [[nodiscard]] bool is_lane(const Scope& scope) const {
    return !lane_end_.empty() && scope.name.ends_with(lane_end_) && scope.name.find("lane") != std::string::npos;
  }
  /// Of the scopes that lie deeper, those of the lane.
  void add_lanes(const Scope& scope, const std::string& path, bool is_in_lane) {
    if (lane_end_.empty()) return;
    const std::string inner = path + "." + scope.name;
    is_in_lane |= is_lane(scope);
    if (is_in_lane) {
      Group group{inner, false, listed(wave_, scope, life_), {}, {}};
      if (!group.variables.empty()) units_.push_back(std::move(group));
    }
    for (const Scope& child : scope.scopes) add_lanes(child, inner, is_in_lane);
  }

  const Wave& wave_;
  Life life_;
  int most_depth_;
  std::string lane_end_;  // of the names of its scopes; empty: of no lane
  std::vector<Group> units_, others_;
};

}  // namespace

std::vector<Group> view_groups(const Wave& wave, const Window& window, const RtlView& rtl) {
  Collector collector(wave, window, rtl);
  for (const Scope& scope : scopes_of(wave.variables).scopes) collector.add(scope, "", 1, false);
  return collector.finish();
}

}  // namespace vernier::waves
