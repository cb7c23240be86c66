// SPDX-License-Identifier: Apache-2.0
#include "sim/units/table_unit.hpp"

#include "hw/base/error.hpp"

#include <algorithm>

namespace vernier::units {

void TableUnit::reset() {
  tracker_.reset();
  show_at_start(users_, 0);
  tables_ = kernels::TableMemory{};
}

void TableUnit::fill(int64_t slot, base::ElementType type, std::span<const std::byte> bytes) {
  kernels::TableSlot& table = tables_[static_cast<size_t>(slot)];
  VERNIER_CHECK(bytes.size() <= table.bytes.size(), "a table of {} bytes", bytes.size());
  table.type = type;
  std::copy(bytes.begin(), bytes.end(), table.bytes.begin());
}

}  // namespace vernier::units
