// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/finding.hpp"

#include <fmt/format.h>

namespace vernier::import {

namespace {

/// "FILE:12"
std::string place_of(const Finding& finding) {
  return finding.line > 0 ? fmt::format("{}:{}", finding.file, finding.line) : finding.file;
}

}  // namespace

std::string line_of(const Finding& finding) {
  if (finding.file.empty()) return finding.text;
  return fmt::format("{}: {}: {}", place_of(finding), name_of(finding.severity), finding.text);
}

std::string note_of(const Finding& finding) {
  const bool is_plain = finding.severity == Severity::Note && !finding.file.empty();
  return is_plain ? fmt::format("{}: {}", place_of(finding), finding.text) : line_of(finding);
}

}  // namespace vernier::import
