// SPDX-License-Identifier: Apache-2.0
// Table slots as the arithmetic of hw/model wants them.
#pragma once

#include "hw/base/error.hpp"
#include "hw/model/table.hpp"
#include "sim/kernels/elements.hpp"
#include "sim/kernels/kernels.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace vernier::kernels {

/// Calls visit(function) with the int32_t -> int32_t function of a filled slot in format `type`.
template <typename Visitor>
void visit_table(const TableSlot& slot, base::ElementType type, Visitor&& visit) {
  if (type == base::ElementType::Int8) {
    std::array<int8_t, model::kTable8Entries> entries;
    std::memcpy(entries.data(), slot.bytes.data(), sizeof entries);
    visit([&](int32_t x) { return model::table_8(x, entries); });
  } else if (type == base::ElementType::Int16) {
    std::array<int16_t, model::kTable16Entries> entries;
    std::memcpy(entries.data(), slot.bytes.data(), sizeof entries);
    visit([&](int32_t x) { return model::table_16(x, entries); });
  } else {
    VERNIER_CHECK(type == base::ElementType::Int32, "no table format {}", base::to_string(type));
    std::array<int32_t, model::kTable8Entries> entries;
    std::memcpy(entries.data(), slot.bytes.data(), sizeof entries);
    visit([&](int32_t x) { return model::table_8_to_32(x, entries); });
  }
}

}  // namespace vernier::kernels
