// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/vcd_text.hpp"

#include "hw/base/error.hpp"

#include <charconv>

namespace vernier::cosim {
namespace {

template <typename Number>
Number number_of(std::string_view digits, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  VERNIER_CHECK(error == std::errc() && end == digits.data() + digits.size(), "'{}' is no number in a wave", digits);
  return value;
}

BitsValue value_of(std::string_view digits) {
  constexpr size_t kNumberBits = 64;
  if (digits.size() <= kNumberBits) return number_of<uint64_t>(digits, 2);
  return std::string(digits);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t begin = line.find_first_not_of(' '); begin != std::string_view::npos;) {
    const size_t end = std::min(line.find(' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(' ', end);
  }
  return words;
}

}  // namespace

void VcdText::feed(std::string_view more) {
  pieces_.erase(0, pieces_.size() - rest_.size());
  pieces_ += more;
  rest_ = pieces_;
  if (!is_declared_) declare_all();
}

void VcdText::declare_all() {
  while (!is_declared_) {
    const std::optional<std::string_view> declaration = line();
    if (!declaration) return;
    is_declared_ = declaration->starts_with("$enddefinitions");
    declare(*declaration);
  }
}

/// The next line without the blanks before it; none where its end has not come.
std::optional<std::string_view> VcdText::line() {
  const size_t end = rest_.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view found = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  const size_t first = found.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view() : found.substr(first);
}

void VcdText::declare(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return;
  if (words[0] == "$scope") scopes_.emplace_back(words.at(2));
  if (words[0] == "$upscope") scopes_.pop_back();
  if (words[0] != "$var") return;
  waves::Variable variable;
  for (const std::string& scope : scopes_) variable.scope += (variable.scope.empty() ? "" : ".") + scope;
  variable.name = words.at(4);
  variable.bits = number_of<int>(words.at(2), 10);
  variables_.push_back(std::move(variable));
  codes_.push_back(by_code_.try_emplace(std::string(words.at(3)), by_code_.size()).first->second);
}

bool VcdText::next(Change& change) {
  while (is_declared_) {
    const std::optional<std::string_view> next_line = line();
    if (!next_line) return false;
    const std::string_view found = *next_line;
    if (found.empty() || found[0] == '$') continue;
    if (found[0] == '#') {
      time_ = number_of<int64_t>(found.substr(1), 10);
      continue;
    }
    const bool is_vector = found[0] == 'b';
    const size_t split = is_vector ? found.find(' ') : 1;
    const std::string_view digits = is_vector ? found.substr(1, split - 1) : found.substr(0, 1);
    const auto code = by_code_.find(found.substr(is_vector ? split + 1 : split));
    VERNIER_CHECK(code != by_code_.end(), "'{}' is of no signal of the wave", found);
    change = {time_, code->second, value_of(digits)};
    return true;
  }
  return false;
}

}  // namespace vernier::cosim
