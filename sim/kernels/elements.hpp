// SPDX-License-Identifier: Apache-2.0
// Elements of simulated memory: little-endian bytes to numbers and back. The host is little-endian (checked here), so that
// an element is a memcpy.
#pragma once

#include "hw/base/element_type.hpp"
#include "hw/base/error.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vernier::kernels {

static_assert(std::endian::native == std::endian::little, "kernels copy elements as the host stores them");

template <typename Stored>
Stored load(const std::byte* from) {
  Stored value;
  std::memcpy(&value, from, sizeof(Stored));
  return value;
}

template <typename Stored>
void store(std::byte* to, Stored value) {
  std::memcpy(to, &value, sizeof(Stored));
}

/// Calls visit(Stored{}) with the C++ type that memory holds for an element: the choice of an instantiation, made once a
/// step.
template <typename Visitor>
decltype(auto) visit_stored(base::ElementType type, bool is_unsigned, Visitor&& visit) {
  switch (type) {
    case base::ElementType::Int8: return is_unsigned ? visit(uint8_t{}) : visit(int8_t{});
    case base::ElementType::Int16: return is_unsigned ? visit(uint16_t{}) : visit(int16_t{});
    case base::ElementType::Int32: return is_unsigned ? visit(uint32_t{}) : visit(int32_t{});
    case base::ElementType::Int48: return visit(int64_t{});
    default: break;
  }
  VERNIER_CHECK(false, "no kernel for elements of type {}", base::to_string(type));
}

}  // namespace vernier::kernels
