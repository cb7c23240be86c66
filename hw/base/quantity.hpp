// SPDX-License-Identifier: Apache-2.0
// Strong types for the quantities that are easily mixed up: cycles, bytes and the addresses of the two memories.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>

namespace vernier::base {

/// A count of one unit; adds and compares with its own kind only. `Tag` names the unit.
template <typename Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(int64_t value) : value_(value) {}
  [[nodiscard]] constexpr int64_t value() const { return value_; }
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, int64_t factor) { return Quantity(a.value_ * factor); }

 private:
  int64_t value_ = 0;
};

using Cycles = Quantity<struct CyclesTag>;
using Bytes = Quantity<struct BytesTag>;

/// ceil(a / b) for a >= 0, b > 0.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
/// The least multiple of `step` that is at least `value`; value >= 0, step > 0.
constexpr int64_t round_up(int64_t value, int64_t step) { return ceil_div(value, step) * step; }
/// floor(a / b) for b > 0 and any a.
constexpr int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
/// a - b * floor(a / b), in [0, b).
constexpr int64_t floor_mod(int64_t a, int64_t b) { return a - b * floor_div(a, b); }

/// The memories that a command can name.
enum class MemorySpace : uint8_t { Sram = 0, External = 1 };

/// A byte address in one of the memories.
struct Address {
  MemorySpace space = MemorySpace::Sram;
  uint64_t offset = 0;  // bytes from the start of that memory
  auto operator<=>(const Address&) const = default;
};

}  // namespace vernier::base

template <>
struct fmt::formatter<vernier::base::Address> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const vernier::base::Address& address, Context& context) const {
    return fmt::format_to(context.out(), "{}:0x{:x}", address.space == vernier::base::MemorySpace::Sram ? "sram" : "ext",
                          address.offset);
  }
};
