// SPDX-License-Identifier: Apache-2.0
// Reads AIMET's encodings files of the versions 0.4.0 (and all before), 0.5.0, 0.6.1, 1.0.0 and 2.0.0.
#pragma once

#include "compiler/import/aimet/encodings.hpp"
#include "compiler/import/aimet/findings.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace vernier::import::aimet {

struct ReadEncodings {
  Encodings encodings;  // of the entries without an error finding
  Findings findings;

  /// Whether `encodings` is all that the file says: no entry is against the format, or of a kind that is not read.
  bool is_complete() const { return findings.count(Severity::Error) + findings.count(Severity::Unsupported) == 0; }
};

/// All of the text, and everything that is wrong with it. A float tensor is legal here: see refusal_of().
/// Not checked, because that needs the network: whether a tensor exists, has that axis and as many channels.
ReadEncodings read_encodings(std::string_view text);
/// UserError where the file cannot be read, or is larger than what is read.
std::string read_encodings_text(const std::filesystem::path& path);

}  // namespace vernier::import::aimet
