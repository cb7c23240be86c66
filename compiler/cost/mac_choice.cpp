// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/mac_choice.hpp"

#include "hw/timing/unit_timing.hpp"

namespace vernier::cost {

int64_t cycles_alone(const spec::MacCommand& command, const config::MachineConfig& config) {
  const timing::Profile profile = timing::profile(command, config);
  return profile.main.cycles + profile.drain.cycles;
}

spec::MacCommand with_best_slide(spec::MacCommand command, const config::MachineConfig& config) {
  if (command.mode != spec::MacMode::Depthwise) return command;
  command.slide_rows = false;
  spec::MacCommand down = command;
  down.slide_rows = true;
  return cycles_alone(down, config) < cycles_alone(command, config) ? down : command;
}

}  // namespace vernier::cost
