// SPDX-License-Identifier: Apache-2.0
// Helpers of package::check(): the first violated rule wins, the rest is skipped.
#pragma once

#include "hw/base/element_type.hpp"
#include "hw/package/command_codec.hpp"

#include <cstdint>
#include <string_view>

namespace vernier::package::detail {

/// Collects rules. Each returns the object, so that they read as a list.
class Rules {
 public:
  /// `what` is the detail when the rule is broken.
  template <typename... Args>
  Rules& require(bool holds, spec::FaultCode fault, fmt::format_string<Args...> what, Args&&... args) {
    if (!holds && validity_.fault == spec::FaultCode::None) {
      validity_ = {fault, fmt::format(what, std::forward<Args>(args)...)};
    }
    return *this;
  }
  Rules& positive(std::string_view name, int64_t value) {
    return require(value >= 1, spec::FaultCode::ZeroCount, "{} is {}", name, value);
  }
  Rules& within(std::string_view name, int64_t value, int64_t low, int64_t high) {
    return require(value >= low && value <= high, spec::FaultCode::LimitExceeded, "{} is {}, allowed are {} to {}", name,
                   value, low, high);
  }
  Rules& supported(bool holds, std::string_view what) {
    return require(holds, spec::FaultCode::UnsupportedMode, "{}", what);
  }
  /// The zero point that a value of `type` may have: int8 and uint8 any, uint16 0 or 32768, others none (TOSA RESCALE).
  Rules& zero_point(std::string_view name, int64_t value, base::ElementType type, bool is_unsigned);
  /// low <= high, both values of `type`.
  Rules& clamp(std::string_view name, int64_t low, int64_t high, base::ElementType type, bool is_unsigned);
  [[nodiscard]] bool broken() const { return validity_.fault != spec::FaultCode::None; }
  [[nodiscard]] Validity result() && { return std::move(validity_); }

 private:
  Validity validity_;
};

/// a * b for both >= 0, or INT64_MAX.
constexpr int64_t saturating_product(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

void check_mac(Rules& rules, const spec::MacCommand& command, const spec::Datapath& datapath);
void check_vector(Rules& rules, const spec::VectorCommand& command, const spec::Datapath& datapath);
/// Offsets, interval and registers of a program that is well-formed otherwise; shares no code with spec::schedule().
void check_schedule(Rules& rules, const spec::VectorCommand& command, const spec::Datapath& datapath);

}  // namespace vernier::package::detail
