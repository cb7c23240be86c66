// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/findings.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::import::aimet {

void Findings::add(Severity severity, int64_t line, std::string text) {
  ++counts_[static_cast<size_t>(severity)];
  if (findings_.size() < kMost) {
    findings_.push_back({severity, std::move(text), "", line});
  } else {
    ++num_left_out_;
  }
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> sorted = findings_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) { return a.line < b.line; });
  return sorted;
}

std::vector<Finding> Findings::of_file(const std::string& file) const {
  std::vector<Finding> result = sorted();
  for (Finding& finding : result) finding.file = file;
  if (num_left_out_ > 0)
    result.push_back({Severity::Error, fmt::format("{}: {} more", file, base::counted(num_left_out_, "finding"))});
  return result;
}

void Place::add(Severity severity, int64_t line, std::string_view text) const {
  findings->add(severity, line, who.empty() ? std::string(text) : fmt::format("{}: {}", who, text));
}

std::string clipped(std::string_view text) {
  constexpr size_t kMostBytes = 200;
  if (text.size() <= kMostBytes) return std::string(text);
  size_t end = kMostBytes;  // not within a character of UTF-8
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  const auto left = static_cast<int64_t>(text.size() - end);
  return fmt::format("{}... ({} more)", text.substr(0, end), base::counted(left, "byte"));
}

}  // namespace vernier::import::aimet
