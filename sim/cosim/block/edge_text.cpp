// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/edge_text.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace vernier::cosim {
namespace {

/// "2 cycles later".
std::string distance(int64_t late_cycles) {
  return fmt::format("{} {}", base::counted(std::abs(late_cycles), "cycle"), late_cycles > 0 ? "later" : "earlier");
}

}  // namespace

std::string away_from_spec(std::string_view port, int64_t late_cycles) {
  return late_cycles == 0 ? "" : fmt::format("{} {} than hw/spec says", port, distance(late_cycles));
}

std::string away_from_ideal(std::string_view what, int64_t late_cycles, int64_t stall_cycles) {
  if (late_cycles >= 0 && late_cycles <= stall_cycles) return "";
  const bool is_told = late_cycles > 0 && stall_cycles > 0;
  return fmt::format("{} {} than ideal{}", what, distance(late_cycles),
                     is_told ? fmt::format(" with {} stalls", stall_cycles) : "");
}

std::string follows_inside_cycle(std::string_view input) { return fmt::format("follows {} inside a cycle", input); }

}  // namespace vernier::cosim
