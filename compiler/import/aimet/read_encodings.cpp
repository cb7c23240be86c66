// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/read_encodings.hpp"

#include "compiler/import/aimet/fields.hpp"
#include "compiler/import/aimet/readers.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace vernier::import::aimet {
namespace {

constexpr std::array<std::string_view, 3> kRemarkKeys{"quantizer_args", "producer", "excluded_layers"};

struct VersionNumber {
  int64_t major = 0, minor = 0, patch = 0;
};

/// "0.6.1"; nothing where the text has another form.
std::optional<VersionNumber> version_number(std::string_view text) {
  VersionNumber number;
  const char* at = text.data();
  const char* end = text.data() + text.size();
  for (int64_t* part : {&number.major, &number.minor, &number.patch}) {
    if (part != &number.major && (at == end || *at++ != '.')) return std::nullopt;
    const bool is_digit = at != end && *at >= '0' && *at <= '9';
    const auto [next, error] = std::from_chars(at, end, *part);
    if (!is_digit || error != std::errc()) return std::nullopt;
    at = next;
  }
  return at == end ? std::optional(number) : std::nullopt;
}

/// The version by whose rules a file of this number is read.
std::optional<Version> rules_for(const VersionNumber& number) {
  if (number.major == 0 && number.minor <= 4) return Version::V040;
  if (number.major == 0 && number.minor == 5) return Version::V050;
  if (number.major == 0 && number.minor == 6) return Version::V061;
  if (number.major == 1 && number.minor == 0) return Version::V100;
  if (number.major == 2 && number.minor == 0) return Version::V200;
  return std::nullopt;
}

/// Whether an encoding of any tensor in this section of objects has dtype.
bool has_dtype(const JsonValue* section) {
  const auto* members = section == nullptr ? nullptr : section->object();
  if (members == nullptr) return false;
  return std::any_of(members->begin(), members->end(), [](const JsonMember& member) {
    const auto* list = member.value.list();
    return list != nullptr && !list->empty() && find(list->front(), "dtype") != nullptr;
  });
}

/// Of a file without a version: what its layout is that of.
Version version_of_layout(const JsonValue& root) {
  const JsonValue* activations = find(root, "activation_encodings");
  const JsonValue* parameters = find(root, "param_encodings");
  for (const JsonValue* section : {activations, parameters}) {
    if (section != nullptr && section->list() != nullptr) return Version::V100;
  }
  if (find(root, "encodings") != nullptr && activations == nullptr) return Version::V200;
  return has_dtype(activations) || has_dtype(parameters) ? Version::V061 : Version::V040;
}

/// Nothing after an error finding.
std::optional<Version> version_of(const JsonValue& root, Findings& findings) {
  const Place place{&findings, ""};
  const JsonValue* value = find(root, "version");
  const std::string known = fmt::format("{}", fmt::join(kVersionNames, ", "));
  if (value == nullptr) {
    const Version version = version_of_layout(root);
    place.warn(root.line,
               fmt::format("version is missing; the layout is that of {}, and the file is read as such", name_of(version)));
    return version;
  }
  const std::string* text = value->text();
  if (text == nullptr) {
    place.error(value->line, fmt::format("version is {}, allowed is a text, one of {}", shown(*value), known));
    return std::nullopt;
  }
  const auto number = version_number(*text);
  const auto version = number ? rules_for(*number) : std::nullopt;
  if (!version) {
    place.error(value->line, fmt::format("version {} is not known, known are {}", shown(*value), known));
    return std::nullopt;
  }
  if (*text != name_of(*version))
    place.warn(value->line,
               fmt::format("version {} is not known, the file is read as {}", shown(*value), name_of(*version)));
  return version;
}

void read_remarks(const JsonValue& root, Version version, ReadEncodings& result) {
  std::vector<std::string_view> known{kRemarkKeys.begin(), kRemarkKeys.end()};
  known.emplace_back("version");
  if (version == Version::V200) {
    known.emplace_back("encodings");
  } else {
    known.emplace_back("activation_encodings");
    known.emplace_back("param_encodings");
  }
  warn_about_unknown_keys(Place{&result.findings, ""}, root, known);
  for (const std::string_view key : kRemarkKeys) {
    if (const JsonValue* value = find(root, key)) result.encodings.remarks.emplace_back(key, to_text(*value));
  }
}

/// What AIMET itself would write as 2.0.0: parameters that are symmetric around 0 as intN, all else as uintN.
void choose_signs(Encodings& encodings) {
  for (Encoding& encoding : encodings.tensors) {
    const bool is_around_0 =
        std::any_of(encoding.channels.begin(), encoding.channels.end(), [](const Grid& grid) { return grid.offset != 0; });
    encoding.is_signed = encoding.role == Role::Parameter && encoding.is_symmetric && is_around_0;
  }
}

}  // namespace

bool Names::take(const std::string& name, int64_t line, Role role, bool is_list, Findings& findings) {
  const auto [entry, is_new] = seen_.try_emplace(name, Place{line, role});
  if (is_new) return true;
  const bool is_other_section = entry->second.role != role;
  if (is_list || is_other_section)
    place_of_tensor(name, findings)
        .error(line, fmt::format("is listed twice{}, first on line {}",
                                 is_other_section ? ", as an activation and as a parameter" : "", entry->second.line));
  return false;
}

const JsonValue* section_of(const JsonValue& root, std::string_view key, bool is_list, ReadEncodings& result) {
  const Place place{&result.findings, ""};
  const JsonValue* section = find(root, key);
  if (section == nullptr) {
    place.error(root.line, fmt::format("the section {} is missing", key));
    return nullptr;
  }
  const bool is_right = is_list ? section->list() != nullptr : section->object() != nullptr;
  if (is_right) return section;
  place.error(section->line, fmt::format("{} is {}, version {} wants {}", key, shown(*section),
                                         name_of(result.encodings.version), is_list ? "a list" : "an object"));
  return nullptr;
}

Place place_of_tensor(std::string_view name, Findings& findings) { return {&findings, "tensor " + clipped(name)}; }

std::optional<std::string> name_of_entry(const JsonValue& entry, std::string_view section, size_t index,
                                         Findings& findings) {
  const Place place{&findings, fmt::format("entry {} of {}", index, section)};
  if (entry.object() == nullptr) {
    place.error(entry.line, fmt::format("an encoding is {}, allowed is an object", shown(entry)));
    return std::nullopt;
  }
  const JsonValue* value = required(place, entry, "name");
  if (value == nullptr) return std::nullopt;
  const std::string* name = value->text();
  if (name != nullptr && !name->empty()) return *name;
  place.error(value->line, fmt::format("name is {}, allowed is the name of a tensor", shown(*value)));
  return std::nullopt;
}

ReadEncodings read_encodings(std::string_view text) {
  ReadEncodings result;
  const std::optional<JsonValue> root = parse_json(text, result.findings);
  if (!root) return result;
  if (root->object() == nullptr) {
    result.findings.add(Severity::Error, root->line, fmt::format("the document is {}, allowed is an object", shown(*root)));
    return result;
  }
  const std::optional<Version> version = version_of(*root, result.findings);
  if (!version) return result;
  result.encodings.version = *version;
  read_remarks(*root, *version, result);
  if (*version == Version::V200) {
    read_onnx_terms(*root, result);
  } else {
    *version == Version::V100 ? read_lists(*root, result) : read_objects(*root, result);
    choose_signs(result.encodings);
  }
  return result;
}

std::string read_encodings_text(const std::filesystem::path& path) {
  const auto check = [&](uint64_t bytes) {
    if (bytes > static_cast<uint64_t>(kMostJsonBytes))
      throw base::UserError(path.string(), "has {} bytes, read are encodings files of up to {}", bytes, kMostJsonBytes);
  };
  std::error_code error;
  const bool is_regular = std::filesystem::is_regular_file(path, error);
  const uint64_t bytes = is_regular ? std::filesystem::file_size(path, error) : 0;
  if (!error) check(bytes);
  std::string text = base::read_text_file(path);
  check(text.size());
  return text;
}

}  // namespace vernier::import::aimet
