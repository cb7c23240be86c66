// SPDX-License-Identifier: Apache-2.0
// An exact rational number above zero, such as 1/125 bytes per cycle. Whole numbers convert by themselves.
#pragma once

#include "hw/base/division.hpp"
#include "hw/base/error.hpp"

#include <compare>
#include <cstdint>
#include <numeric>
#include <string>

namespace vernier::base {

__extension__ using Wide = __int128;  // not in ISO C++, in every compiler that we build with

/// Kept in lowest terms, so that equal numbers have equal members.
class Ratio {
 public:
  constexpr Ratio() = default;
  constexpr Ratio(int64_t whole) : numerator_(whole) {}  // NOLINT(google-explicit-constructor): a whole number is a ratio
  /// `denominator` > 0 and `numerator` >= 0.
  constexpr Ratio(int64_t numerator, int64_t denominator) : numerator_(numerator), denominator_(denominator) {
    VERNIER_CHECK(numerator >= 0 && denominator > 0, "{}/{} is no ratio above zero", numerator, denominator);
    const int64_t common = std::gcd(numerator, denominator);
    numerator_ /= common;
    denominator_ /= common;
  }

  [[nodiscard]] constexpr int64_t numerator() const { return numerator_; }
  [[nodiscard]] constexpr int64_t denominator() const { return denominator_; }
  [[nodiscard]] constexpr bool is_whole() const { return denominator_ == 1; }
  [[nodiscard]] constexpr double value() const {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }

  constexpr bool operator==(const Ratio&) const = default;
  constexpr std::strong_ordering operator<=>(const Ratio& other) const {
    return static_cast<Wide>(numerator_) * other.denominator_ <=> static_cast<Wide>(other.numerator_) * denominator_;
  }

 private:
  int64_t numerator_ = 0, denominator_ = 1;
};

/// ceil(amount / rate) for amount >= 0: the cycles that `amount` takes at `rate` per cycle. At most kMostQuotient: more is
/// not told apart.
inline constexpr int64_t kMostQuotient = int64_t{1} << 62;
constexpr int64_t ceil_div(int64_t amount, Ratio rate) {
  const Wide quotient = (static_cast<Wide>(amount) * rate.denominator() + rate.numerator() - 1) / rate.numerator();
  return quotient > kMostQuotient ? kMostQuotient : static_cast<int64_t>(quotient);
}

/// "16", or "1/125".
inline std::string to_string(Ratio ratio) {
  return ratio.is_whole() ? fmt::format("{}", ratio.numerator())
                          : fmt::format("{}/{}", ratio.numerator(), ratio.denominator());
}

}  // namespace vernier::base
