// SPDX-License-Identifier: Apache-2.0
// What is wrong or unusual about a file of encodings, all of it at once.
#pragma once

#include "compiler/import/finding.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::import::aimet {

using import::Finding;
using import::name_of;
using import::Severity;

/// Keeps the first kMost findings and counts the others, so that no file can make a list longer than itself.
class Findings {
 public:
  static constexpr size_t kMost = 10'000;

  void add(Severity severity, int64_t line, std::string text);
  /// In the order of the file's lines; without the file's name.
  std::vector<Finding> sorted() const;
  /// The same, of the file with that name, and how many were left out.
  std::vector<Finding> of_file(const std::string& file) const;
  int64_t num_left_out() const { return num_left_out_; }
  int64_t count(Severity severity) const { return counts_[static_cast<size_t>(severity)]; }

 private:
  std::vector<Finding> findings_;
  int64_t counts_[4] = {};
  int64_t num_left_out_ = 0;
};

/// Where a finding belongs: to a tensor, or to a part of the file. Texts begin with it.
struct Place {
  Findings* findings;
  std::string who;  // "tensor x"

  void add(Severity severity, int64_t line, std::string_view text) const;
  void error(int64_t line, std::string_view text) const { add(Severity::Error, line, text); }
  void warn(int64_t line, std::string_view text) const { add(Severity::Warning, line, text); }
};

/// A text of the file for a message: at most 200 bytes of it, and what it had more.
std::string clipped(std::string_view text);

}  // namespace vernier::import::aimet
