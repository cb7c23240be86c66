// SPDX-License-Identifier: Apache-2.0
// The mistakes of one file, as lines that fit on a screen: what many nodes have in common is told once.
#pragma once

#include "compiler/import/import_result.hpp"
#include "compiler/import/quantized/network.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::import::quantized {

/// What an operator is told of that Vernier has not; finish() adds which there are.
inline constexpr std::string_view kNotSupported = "is not supported";

class Mistakes {
 public:
  Mistakes(std::string file, ImportResult& result) : file_(std::move(file)), result_(result) {}

  /// A line of the file.
  void add(const std::string& text);
  /// A line of a node. Of nodes of one kind whose lines differ in names and numbers only, the first three have a line.
  void add(const Node& node, const std::string& text);
  /// A line that names its file.
  void add_line(const std::string& line);
  /// The lines that end the list: which other nodes are refused like those that have a line, and which operators there are.
  void finish();

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool empty() const { return result_.findings.empty(); }
  /// Whether a mistake is one of that node.
  [[nodiscard]] bool has(const Node& node) const { return nodes_.contains(&node); }

 private:
  struct Alike {
    std::string kind, pattern;
    std::vector<std::string> names;  // of nodes that have no line
    int64_t num_lines = 0;
  };
  std::string file_;
  ImportResult& result_;
  std::vector<Alike> alike_;  // in the order of the first ones
  std::set<const Node*> nodes_;
  bool lists_supported_ = false;
};

}  // namespace vernier::import::quantized
