// SPDX-License-Identifier: Apache-2.0
#include "hw/base/parse_bytes.hpp"

#include "hw/base/error.hpp"
#include "hw/base/ratio.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace vernier::base {
namespace {

struct SizeUnit {
  std::string_view name;  // lower case
  int64_t bytes;
};
constexpr std::array<SizeUnit, 8> kSizeUnits{{{"", 1},
                                              {"b", 1},
                                              {"kb", 1000},
                                              {"mb", 1'000'000},
                                              {"gb", 1'000'000'000},
                                              {"kib", int64_t{1} << 10},
                                              {"mib", int64_t{1} << 20},
                                              {"gib", int64_t{1} << 30}}};
constexpr Wide kMostBytes = std::numeric_limits<int64_t>::max();

std::string small_letters(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

/// A decimal number, digits / 10^decimals, with what follows it.
struct Decimal {
  Wide digits = 0;
  int64_t decimals = 0;  // negative: zeros to append
  std::string_view rest;
};

/// Takes "12", "1.5", "1e6" off the front; nothing where there is no number, or one with more digits than a size has.
std::optional<Decimal> take_decimal(std::string_view text) {
  Decimal number;
  size_t at = 0;
  bool has_digits = false, has_point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !has_point) {
      has_point = true;
    } else if (std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      number.digits = number.digits * 10 + (text[at] - '0');
      number.decimals += has_point ? 1 : 0;
      has_digits = true;
      if (number.digits > kMostBytes) return std::nullopt;
    } else {
      break;
    }
  }
  if (!has_digits) return std::nullopt;
  if (at < text.size() && text[at] == 'e') {
    const size_t first = at + 1 < text.size() && text[at + 1] == '+' ? at + 2 : at + 1;
    int64_t exponent = 0;
    const auto [end, error] = std::from_chars(text.data() + first, text.data() + text.size(), exponent);
    if (error != std::errc() || exponent < -40 || exponent > 40) return std::nullopt;
    number.decimals -= exponent;
    at = static_cast<size_t>(end - text.data());
  }
  number.rest = text.substr(at);
  return number;
}

/// Hexadecimal digits after "0x"; nothing where there are others.
std::optional<int64_t> hexadecimal(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  const bool is_all = error == std::errc() && end == digits.data() + digits.size() && digits.front() != '-';
  return is_all ? std::optional(value) : std::nullopt;
}

}  // namespace

int64_t parse_bytes(const std::string& subject, const std::string& text) {
  const auto refuse = [&]() -> UserError {
    return {subject, "'{}' is not a number of bytes; allowed are such as 65536, 0x10000, 64e3, 64KB, 64KiB, 1.5MiB", text};
  };
  const std::string lower = small_letters(text);
  if (lower.starts_with("0x") && lower.size() > 2) {
    if (const auto value = hexadecimal(std::string_view(lower).substr(2))) return *value;
    throw refuse();
  }
  const std::optional<Decimal> number = take_decimal(lower);
  if (!number) throw refuse();
  const std::string_view unit_name = number->rest.starts_with(' ') ? number->rest.substr(1) : number->rest;
  const auto unit =
      std::find_if(kSizeUnits.begin(), kSizeUnits.end(), [&](const SizeUnit& u) { return u.name == unit_name; });
  if (unit == kSizeUnits.end()) throw refuse();
  Wide bytes = number->digits * unit->bytes;
  for (int64_t i = number->decimals; i < 0 && bytes <= kMostBytes; ++i) bytes *= 10;
  for (int64_t i = number->decimals; i > 0; --i) {
    if (bytes % 10 != 0) throw UserError(subject, "'{}' is not a whole number of bytes", text);
    bytes /= 10;
  }
  if (bytes > kMostBytes) throw UserError(subject, "'{}' is more bytes than there are addresses", text);
  return static_cast<int64_t>(bytes);
}

}  // namespace vernier::base
