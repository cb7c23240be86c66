// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/location.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace vernier::import {

namespace {

constexpr size_t kMostBytes = 4096;
constexpr int kMostDepth = 32;
constexpr int kMostSteps = 10000;  // aliases that name each other twice double with each step

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class LocationReader {
 public:
  LocationReader(std::string_view text, const LocationAlias& alias) : text_(text), alias_(alias) {}

  std::string run() { return take("loc(") ? read() : ""; }

 private:
  bool take(std::string_view token) {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  std::string read() {
    if (++num_steps_ > kMostSteps || depth_ > kMostDepth) return "";
    ++depth_;
    std::string name;
    if (take("\"")) {
      name = read_name();
    } else if (take("fused")) {
      name = read_fused();
    } else if (take("callsite(")) {
      name = read();
      if (take("at"))
        if (std::string caller = read(); name.empty()) name = std::move(caller);
      take(")");
    } else if (take("#")) {
      name = read_alias();
    } else {
      take("unknown");
    }
    --depth_;
    return name;
  }

  /// A name is followed by its place or by the end; "FILE":LINE:COLUMN is a place without a name.
  std::string read_name() {
    std::string name;
    while (!text_.empty() && text_[0] != '"') {
      size_t taken = 1;
      char character = text_[0];
      if (character == '\\' && text_.size() >= 3 && hex_digit(text_[1]) >= 0 && hex_digit(text_[2]) >= 0) {
        character = static_cast<char>(hex_digit(text_[1]) * 16 + hex_digit(text_[2]));
        taken = 3;
      } else if (character == '\\' && text_.size() >= 2) {
        character = text_[1];
        taken = 2;
      }
      name += character;
      text_.remove_prefix(taken);
    }
    if (!take("\"") || take(":")) {
      text_.remove_prefix(std::min(text_.find_first_of(" ,)]"), text_.size()));
      return "";
    }
    if (take("(")) {
      read();
      take(")");
    }
    return name.size() > kMostBytes ? "" : name;
  }

  /// After "fused": <...> and a list.
  std::string read_fused() {
    if (take("<")) text_.remove_prefix(std::min(text_.find('['), text_.size()));
    if (!take("[")) return "";
    std::vector<std::string> names;
    std::string joined;
    do {
      std::string name = read();
      if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) continue;
      joined += (names.empty() ? "" : ";") + name;
      names.push_back(std::move(name));
    } while (take(",") && num_steps_ <= kMostSteps);
    take("]");
    return joined.size() > kMostBytes ? "" : joined;
  }

  std::string read_alias() {
    const size_t end = std::min(text_.find_first_of(" ,)]("), text_.size());
    const std::string_view rest = text_.substr(end);
    const std::string_view value = alias_ ? alias_(text_.substr(0, end)) : "";
    text_ = value;
    std::string name = run();
    text_ = rest;
    return name;
  }

  std::string_view text_;
  const LocationAlias& alias_;
  int depth_ = 0;
  int num_steps_ = 0;
};

}  // namespace

std::string location_name(std::string_view text, const LocationAlias& alias) { return LocationReader(text, alias).run(); }

}  // namespace vernier::import
