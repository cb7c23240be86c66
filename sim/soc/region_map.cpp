// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/region_map.hpp"

#include "hw/base/division.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <algorithm>

namespace vernier::soc {

int64_t RegionMap::place(int32_t id, int64_t num_bytes, Sharing sharing, const std::string& owner, std::string_view memory) {
  const auto conflict = [&](int64_t begin) -> const Region* {
    const auto found = std::find_if(regions_.begin(), regions_.end(), [&](const auto& entry) {
      const Region& other = entry.second;
      const bool may_overlap = sharing == Sharing::Scratch && other.sharing == Sharing::Scratch;
      return !may_overlap && begin < other.end && other.begin < begin + num_bytes;
    });
    return found == regions_.end() ? nullptr : &found->second;
  };
  int64_t base = 0;
  // Each conflict moves the base past a region, so that none is met twice.
  for (const Region* other = conflict(base); other != nullptr; other = conflict(base))
    base = base::ceil_div(other->end, alignment_bytes_) * alignment_bytes_;
  if (base + num_bytes > size_bytes_) {
    int64_t taken_bytes = 0;
    for (const auto& [number, region] : regions_) taken_bytes = std::max(taken_bytes, region.end);
    throw base::UserError(owner,
                          "needs {} B of {} in one piece, of {} B other networks have the first {}; compile for less "
                          "(--sram-bytes), or take a machine with more",
                          base::with_thousands(num_bytes), memory, base::with_thousands(size_bytes_),
                          base::with_thousands(taken_bytes));
  }
  regions_[id] = {base, base + num_bytes, sharing};
  return base;
}

}  // namespace vernier::soc
