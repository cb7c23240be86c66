// SPDX-License-Identifier: Apache-2.0
// Named integer counters in a tree, in the order in which they were entered. What the units count, the report prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::kit {

class Statistics {
 public:
  struct Counter {
    std::string name;  // with its unit: "busy_cycles"
    int64_t value = 0;
    bool operator==(const Counter&) const = default;
  };

  explicit Statistics(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Counter>& counters() const { return counters_; }
  [[nodiscard]] const std::vector<Statistics>& children() const { return children_; }

  /// Adds to the counter of that name, which is made when it is new.
  void add(std::string_view counter, int64_t value);
  /// Adds each counter of the other tree to the one at the same path here.
  void add(const Statistics& other);
  /// The child of that name, made when it is new. The reference holds until the next child is made.
  Statistics& child(std::string_view name);
  /// The counter at a path such as "mac_array/stall_cycles/weight_load"; 0 when there is none.
  [[nodiscard]] int64_t value(std::string_view path) const;
  /// The child of that name or nullptr.
  [[nodiscard]] const Statistics* find(std::string_view name) const;
  /// All counters of this node and below.
  [[nodiscard]] int64_t sum() const;
  bool operator==(const Statistics&) const = default;

 private:
  std::string name_;
  std::vector<Counter> counters_;
  std::vector<Statistics> children_;
};

}  // namespace vernier::kit
