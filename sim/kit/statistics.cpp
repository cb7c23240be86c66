// SPDX-License-Identifier: Apache-2.0
#include "sim/kit/statistics.hpp"

#include <algorithm>

namespace vernier::kit {

void Statistics::add(std::string_view counter, int64_t value) {
  const auto found = std::find_if(counters_.begin(), counters_.end(), [&](const Counter& c) { return c.name == counter; });
  if (found != counters_.end()) {
    found->value += value;
  } else {
    counters_.push_back({std::string(counter), value});
  }
}

void Statistics::add(const Statistics& other) {
  for (const Counter& counter : other.counters_) add(counter.name, counter.value);
  for (const Statistics& node : other.children_) child(node.name_).add(node);
}

Statistics& Statistics::child(std::string_view name) {
  const auto found = std::find_if(children_.begin(), children_.end(), [&](const Statistics& c) { return c.name_ == name; });
  if (found != children_.end()) return *found;
  return children_.emplace_back(std::string(name));
}

const Statistics* Statistics::find(std::string_view name) const {
  const auto found = std::find_if(children_.begin(), children_.end(), [&](const Statistics& c) { return c.name_ == name; });
  return found == children_.end() ? nullptr : &*found;
}

int64_t Statistics::value(std::string_view path) const {
  const size_t slash = path.find('/');
  if (slash != std::string_view::npos) {
    const Statistics* node = find(path.substr(0, slash));
    return node == nullptr ? 0 : node->value(path.substr(slash + 1));
  }
  const auto found = std::find_if(counters_.begin(), counters_.end(), [&](const Counter& c) { return c.name == path; });
  return found == counters_.end() ? 0 : found->value;
}

int64_t Statistics::sum() const {
  int64_t total = 0;
  for (const Counter& counter : counters_) total += counter.value;
  for (const Statistics& node : children_) total += node.sum();
  return total;
}

}  // namespace vernier::kit
