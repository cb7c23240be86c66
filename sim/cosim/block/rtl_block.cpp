// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/rtl_block.hpp"

namespace vernier::cosim {

std::unique_ptr<RtlBlock> make_rtl_block(std::string_view name, int lanes, RtlVariant variant, const RtlOptions& options) {
  for (const RtlEntry& entry : rtl_blocks()) {
    if (entry.name == name && entry.lanes == lanes && entry.variant == variant) return entry.make(options);
  }
  return nullptr;
}

}  // namespace vernier::cosim
