// SPDX-License-Identifier: Apache-2.0
// Addresses of the two memories.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>

namespace vernier::base {

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
