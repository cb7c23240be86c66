// SPDX-License-Identifier: Apache-2.0
// What is wrong with a text that is not JSON, in words for people.
#pragma once

#include "compiler/import/aimet/findings.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace vernier::import::aimet {

/// Adds the finding for a text that a parser could not read on at the byte `at` (the text's size: it ended early).
/// `library_text` is what the parser says; `path` is where in the tree it was, "param_encodings.x", or empty.
void add_syntax_error(std::string_view text, size_t at, std::string_view library_text, std::string_view path,
                      Findings& findings);

}  // namespace vernier::import::aimet
