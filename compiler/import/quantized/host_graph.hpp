// SPDX-License-Identifier: Apache-2.0
// What the host computes in float32 at the ends of the network: one graph for all ends, of which each end takes the program
// that it needs.
#pragma once

#include "compiler/import/quantized/value.hpp"
#include "hw/package/host_program.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::import::quantized {

/// The steps that lead to a value of the graph; the sources that they read, in the order in which their values are numbered.
struct HostProgram {
  std::vector<size_t> sources;  // values of the graph
  std::vector<package::HostStep> steps;
  base::Shape shape;  // of the result
};

class HostGraph {
 public:
  /// A value that is given: an input of the network, or integers of the graph as the numbers that they stand for.
  size_t add_input(size_t input, const base::Shape& shape);
  size_t add_codes(const std::string& name, const Value& codes);
  /// The result of a step on earlier values; `step.operands` says nothing. `package::problem_of` it is "".
  size_t add(package::HostStep step, const std::vector<size_t>& operands);

  [[nodiscard]] const base::Shape& shape(size_t value) const { return entries_[value].shape; }
  [[nodiscard]] std::vector<base::Shape> shapes(const std::vector<size_t>& values) const;
  /// The codes of a source; nullptr for an input.
  [[nodiscard]] const Value* codes(size_t source) const { return entries_[source].codes.get(); }
  [[nodiscard]] HostProgram program_of(size_t value) const;
  /// The input that all of a value is computed of; none where that is several or other values.
  [[nodiscard]] std::optional<size_t> only_input(size_t value) const;

  /// Values that were computed already, by name.
  [[nodiscard]] std::optional<size_t> find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }
  void remember(const std::string& name, size_t value) { by_name_.insert_or_assign(name, value); }

  /// Constants and indices of all steps together.
  [[nodiscard]] int64_t num_numbers() const { return num_numbers_; }
  /// How many nodes are being emitted, each because the one before reads it.
  size_t depth = 0;

 private:
  struct Entry {
    base::Shape shape;
    std::optional<size_t> input = std::nullopt;  // of a source
    std::string name = {};                       // the same, of integers
    std::shared_ptr<const Value> codes = nullptr;
    package::HostStep step = {};
    std::vector<size_t> operands = {};  // values of the graph
    [[nodiscard]] bool is_source() const { return input || codes; }
  };
  [[nodiscard]] std::vector<bool> reached_from(size_t value) const;
  std::deque<Entry> entries_;  // shapes stay where they are
  std::map<std::string, size_t> by_name_;
  int64_t num_numbers_ = 0;
};

}  // namespace vernier::import::quantized
