// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/block_reset.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace vernier::cosim {

ResetWatch::ResetWatch(const ClockedBlock& block) : block_(block) {
  for (const spec::RtlPort& port : block.description().ports) {
    // No result is there, stall_o is idle, and every slot of tables is empty.
    const bool is_zero = port.name.ends_with("_valid_o") || port.name == "stall_o" || port.name == "slot_format_o";
    if (port.is_output && (is_zero || port.name.ends_with("_ready_o")))
      outputs_.push_back({port.name, block.port(port.name), is_zero});
  }
}

std::vector<Mismatch> ResetWatch::see() {
  std::vector<Mismatch> found;
  const bool is_first = !std::exchange(has_seen_, true);
  for (Output& output : outputs_) {
    const uint64_t value = output.port.get();
    bool is_wrong = output.is_zero && value != 0;
    if (is_first) {
      output.at_once = value;
      output.is_told = false;
    } else {
      is_wrong = value != output.at_once && !output.is_told;
    }
    if (!is_wrong) continue;
    output.is_told = true;
    found.push_back(block_.seen_now({.kind = MismatchKind::Reset,
                                     .port = std::string(output.name),
                                     .words = fmt::format("is {} while rst_ni is low, before an edge{}", value,
                                                          is_first ? "" : fmt::format(" it was {}", output.at_once))}));
  }
  return found;
}

}  // namespace vernier::cosim
