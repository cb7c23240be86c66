// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/console.hpp"

#include "sim/soc/register_block.hpp"

namespace vernier::soc {

Console::Console(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {
  registers_target.register_b_transport(this, &Console::b_transport);
}

void Console::b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  serve_registers(
      spec::kConsoleRegisters, transaction, [](size_t) { return 0U; },
      [&](size_t, uint32_t value) { take(static_cast<char>(value & 0xFF)); });
}

void Console::take(char character) {
  if (line_.empty()) first_cycle_ = now();
  const bool is_end = character == '\n';
  if (!is_end) line_ += character >= ' ' && character <= '~' ? character : '?';
  if (!is_end && line_.size() < kMostBytes) return;
  if (sink_) sink_(first_cycle_, line_);
  line_.clear();
}

}  // namespace vernier::soc
