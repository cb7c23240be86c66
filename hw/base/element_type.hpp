// SPDX-License-Identifier: Apache-2.0
// The element types of tensors in memory, files and commands.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vernier::base {

/// TOSA 1.0 integer types, plus Shape (int64, constants only). The numbers are ours: they stand in packages and commands.
enum class ElementType : uint8_t { Bool = 0, Int4 = 1, Int8 = 2, Int16 = 3, Int32 = 4, Int48 = 5, Shape = 6 };

struct ElementTypeInfo {
  std::string_view name;      // as printed: "int8"
  std::string_view npy_name;  // numpy's name of what a .npy file holds
  int bits;                   // of a value
  int stored_bytes;  // in a base::Tensor and in memory of the machine; int4 is one a byte here, two a byte when packed as
                     // weights
};

inline constexpr std::array<ElementTypeInfo, 7> kElementTypes{{{"bool", "bool", 1, 1},
                                                               {"int4", "int8", 4, 1},
                                                               {"int8", "int8", 8, 1},
                                                               {"int16", "int16", 16, 2},
                                                               {"int32", "int32", 32, 4},
                                                               {"int48", "int64", 48, 8},
                                                               {"shape", "int64", 64, 8}}};

constexpr const ElementTypeInfo& info(ElementType type) { return kElementTypes[static_cast<size_t>(type)]; }
constexpr std::string_view to_string(ElementType type) { return info(type).name; }
constexpr int stored_bytes(ElementType type) { return info(type).stored_bytes; }
/// The least and greatest value as a signed number (bool: 0 and 1).
constexpr int64_t max_value(ElementType type) {
  if (type == ElementType::Bool) return 1;
  return static_cast<int64_t>((uint64_t{1} << (info(type).bits - 1)) - 1);
}
constexpr int64_t min_value(ElementType type) { return type == ElementType::Bool ? 0 : -max_value(type) - 1; }
/// The type with that printed name, if any.
constexpr std::optional<ElementType> element_type_from_name(std::string_view name) {
  for (size_t i = 0; i < kElementTypes.size(); ++i) {
    if (kElementTypes[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

}  // namespace vernier::base
