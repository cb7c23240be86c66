// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/sram_peak.hpp"

#include <algorithm>
#include <vector>

namespace vernier::emit {
namespace {

/// What begins to live at a moment, less what has ended just before it.
struct Change {
  int64_t map_bytes = 0, constant_bytes = 0, num_highest = 0;
};

}  // namespace

package::SramPeak sram_peak_of(const schedule::Schedule& schedule) {
  int64_t highest = 0;
  for (const schedule::Placed& block : schedule.placed) highest = std::max(highest, block.offset_bytes + block.size_bytes);
  // Moments: 0 is before the first command (-1 in Placed), then one for each command, then the end.
  std::vector<Change> changes(schedule.commands.size() + 3);
  for (const schedule::Placed& block : schedule.placed) {
    const int64_t is_highest = block.offset_bytes + block.size_bytes == highest ? 1 : 0;
    Change& born = changes[static_cast<size_t>(block.first_command + 1)];
    Change& gone = changes[static_cast<size_t>(block.last_command + 2)];
    (block.is_constant ? born.constant_bytes : born.map_bytes) += block.size_bytes;
    (block.is_constant ? gone.constant_bytes : gone.map_bytes) -= block.size_bytes;
    born.num_highest += is_highest;
    gone.num_highest -= is_highest;
  }
  package::SramPeak peak;
  Change now;
  for (const Change& change : changes) {
    now.map_bytes += change.map_bytes;
    now.constant_bytes += change.constant_bytes;
    now.num_highest += change.num_highest;
    if (now.num_highest == 0 || now.map_bytes + now.constant_bytes <= peak.map_bytes + peak.weight_bytes) continue;
    peak.map_bytes = now.map_bytes;
    peak.weight_bytes = now.constant_bytes;
  }
  if (schedule.image_address.space == base::MemorySpace::Sram) {  // one block holds the constants and the commands
    peak.command_bytes = static_cast<int64_t>(schedule.image.bytes.size()) - schedule.image.stream_offset_bytes;
    peak.weight_bytes -= peak.command_bytes;
  }
  return peak;
}

}  // namespace vernier::emit
