// SPDX-License-Identifier: Apache-2.0
// What is wrong or unusual about a file of encodings, all of it at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::import::aimet {

enum class Severity {
  Note,         // what was taken for something that the file does not say
  Warning,      // the file is taken, and how is said
  Unsupported,  // legal in the format, and not taken here
  Error,        // against the format
};

std::string_view name_of(Severity severity);  // "warning"

struct Finding {
  Severity severity = Severity::Error;
  int64_t line = 0;  // of the file, from 1; 0: the file as a whole
  std::string text;  // "tensor x: scale is 0, allowed are numbers above 0"
};

/// Keeps the first kMost findings and counts the others, so that no file can make a list longer than itself.
class Findings {
 public:
  static constexpr size_t kMost = 10'000;

  void add(Severity severity, int64_t line, std::string text);
  /// In the order of the file's lines.
  std::vector<Finding> sorted() const;
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
