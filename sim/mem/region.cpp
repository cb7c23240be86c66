// SPDX-License-Identifier: Apache-2.0
#include "sim/mem/region.hpp"

#include <algorithm>

namespace vernier::mem {

Region::Region(const sc_core::sc_module_name& name, kit::JobClock& clock, Memory& memory)
    : kit::Module(name, clock), Window(memory) {
  access_target.register_b_transport(this, &Region::b_transport);
}

void Region::reset() {
  extent_ = {0, memory_.whole().size_bytes(), 0};
  peak_bytes_ = 0;
}

void Region::place(const RegionExtent& extent, int64_t alignment_bytes) {
  extent_ = {};
  if (extent.base % alignment_bytes == 0 && memory_.whole().contains(extent.base, extent.size_bytes)) extent_ = extent;
}

void Window::write(int64_t offset, std::span<const std::byte> bytes) {
  if (!bytes.empty()) peak_bytes_ = std::max(peak_bytes_, offset + static_cast<int64_t>(bytes.size()));
  memory_.write(extent_.base + offset, bytes);
}

void Window::mark_written(int64_t offset, int64_t num_bytes) {
  if (num_bytes > 0) peak_bytes_ = std::max(peak_bytes_, offset + num_bytes);
  memory_.mark_written(extent_.base + offset, num_bytes);
}

std::optional<int64_t> Window::find_parity_error(int64_t offset, int64_t num_bytes) {
  const std::optional<int64_t> found = memory_.find_parity_error(extent_.base + offset, num_bytes);
  return found ? std::optional(*found - extent_.base) : std::nullopt;
}

void Region::b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time&) { serve(*this, transaction); }

}  // namespace vernier::mem
