// SPDX-License-Identifier: Apache-2.0
// What an importer tells of a file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace vernier::import {

enum class Severity : uint8_t {
  Note,         // what was taken for something that the file does not say
  Warning,      // the file is taken, and how is said
  Unsupported,  // legal in the format, and not taken here
  Error,        // against the format
};

inline std::string_view name_of(Severity severity) {
  constexpr std::array<std::string_view, 4> kNames{"note", "warning", "unsupported", "error"};
  return kNames.at(static_cast<size_t>(severity));
}

/// Whether it keeps the file from being taken.
inline bool is_refusal(Severity severity) { return severity >= Severity::Unsupported; }

struct Finding {
  using Severity = import::Severity;
  Severity severity = Severity::Error;
  std::string text;       // one line; it begins with the file's name where `file` is empty
  std::string file = {};  // of encodings, whose findings are told with place and severity
  int64_t line = 0;       // of that file, from 1; 0: the file as a whole
  bool operator==(const Finding&) const = default;
};

/// "FILE:12: warning: tensor x: ...", or the text alone where it names its file.
std::string line_of(const Finding& finding);
/// The same for a list of notes, in which a note needs no severity: "FILE:12: tensor x: ...".
std::string note_of(const Finding& finding);

}  // namespace vernier::import
