// SPDX-License-Identifier: Apache-2.0
// One reader for each layout of encodings files; read_encodings.cpp chooses.
#pragma once

#include "compiler/import/aimet/json_value.hpp"
#include "compiler/import/aimet/read_encodings.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace vernier::import::aimet {

/// The names that have been read, of all sections.
class Names {
 public:
  /// False, with an error finding, where the name has been before. Twice in one object is silent: the parser has said so.
  bool take(const std::string& name, int64_t line, Role role, bool is_list, Findings& findings);

 private:
  struct Place {
    int64_t line;
    Role role;
  };
  std::map<std::string, Place> seen_;
};

/// A section by its key, of one of two kinds; nothing, after a finding, where it is missing or of another kind.
const JsonValue* section_of(const JsonValue& root, std::string_view key, bool is_list, ReadEncodings& result);
/// "tensor x", clipped.
Place place_of_tensor(std::string_view name, Findings& findings);
/// The name of an entry in a list; nothing after a finding. `section` and `index` are for the message.
std::optional<std::string> name_of_entry(const JsonValue& entry, std::string_view section, size_t index, Findings& findings);

/// Versions up to 0.6.1: two objects, each with a list of encodings for a name. `result.encodings.version` is set.
void read_objects(const JsonValue& root, ReadEncodings& result);
/// 1.0.0: two lists.
void read_lists(const JsonValue& root, ReadEncodings& result);
/// 2.0.0: one list, in the terms of ONNX.
void read_onnx_terms(const JsonValue& root, ReadEncodings& result);

}  // namespace vernier::import::aimet
