// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/too_much_outside.hpp"

#include "hw/spec/command_fields.hpp"
#include "hw/spec/registers.hpp"

namespace vernier::schedule {

void require_room_outside(const passes::Program& program, const config::MachineConfig& config) {
  std::vector<bool> is_outside;
  for (const passes::Buffer& buffer : program.buffers) is_outside.push_back(buffer.size_bytes > config.sram_bytes);
  require_room_outside(program, config, is_outside);
}

void require_room_outside(const passes::Program& program, const config::MachineConfig& config,
                          const std::vector<bool>& is_outside) {
  if (config.memory_mode != spec::MemoryMode::External) return;
  int64_t needed_bytes = spec::kCommandUnitBytes;  // the commands lie there too: END at least
  for (size_t id = 0; id < program.buffers.size(); ++id) {
    const passes::Buffer& buffer = program.buffers[id];
    if (!buffer.is_constant() && (is_outside[id] || buffer.is_filled_at_start || buffer.is_read_at_end))
      needed_bytes += buffer.size_bytes;
  }
  if (needed_bytes > spec::kMaxExternalBytes) throw TooMuchOutside(needed_bytes, true);
}

}  // namespace vernier::schedule
