// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/mistakes.hpp"

#include "compiler/import/quantized/operators/operators.hpp"
#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace vernier::import::quantized {

namespace {

constexpr int64_t kMostLinesAlike = 3;
constexpr size_t kMostNames = 8;

/// The text without what differs from node to node: names in quotes, and numbers.
std::string pattern_of(const std::string& text) {
  std::string pattern;
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '\'') is_quoted = !is_quoted;
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (is_quoted || (is_digit && !pattern.empty() && pattern.back() == '0')) continue;
    pattern += is_digit ? '0' : c;
  }
  return pattern;
}

}  // namespace

void Mistakes::add(const std::string& text) {
  const base::UserError error(file_, std::string_view(text));
  add_line(error.what());
}

void Mistakes::add(const Node& node, const std::string& text) {
  nodes_.insert(&node);
  const std::string& kind = node.source_kind.empty() ? node.kind : node.source_kind;
  lists_supported_ = lists_supported_ || text == kNotSupported;
  const std::string pattern = pattern_of(text);
  auto alike = std::find_if(alike_.begin(), alike_.end(),
                            [&](const Alike& one) { return one.kind == kind && one.pattern == pattern; });
  if (alike == alike_.end()) alike = alike_.insert(alike_.end(), {kind, pattern, {}, 0});
  if (++alike->num_lines > kMostLinesAlike) {
    alike->names.push_back(node.name);
  } else {
    add(fmt::format("node '{}' ({}): {}", node.name, kind, text));
  }
}

void Mistakes::add_line(const std::string& line) {
  if (result_.findings.size() < ir::kMostMistakes) result_.findings.push_back({Finding::Severity::Error, line});
}

void Mistakes::finish() {
  for (const Alike& one : alike_) {
    if (one.names.empty()) continue;
    std::string names;
    for (size_t i = 0; i < std::min(one.names.size(), kMostNames); ++i)
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", one.names[i]);
    const size_t num_unnamed = one.names.size() - std::min(one.names.size(), kMostNames);
    if (num_unnamed > 0) names += fmt::format(" and {} more", num_unnamed);
    add(fmt::format("{} more {} refused for the same reason: {}", one.names.size(),
                    one.names.size() == 1 ? fmt::format("node ({}) is", one.kind) : fmt::format("nodes ({}) are", one.kind),
                    names));
  }
  if (lists_supported_) add(fmt::format("supported are {}", supported_operators()));
  alike_.clear();
  lists_supported_ = false;
}

}  // namespace vernier::import::quantized
