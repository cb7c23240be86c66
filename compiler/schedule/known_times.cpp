// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/known_times.hpp"

#include "compiler/cost/mac_choice.hpp"
#include "hw/timing/unit_timing.hpp"

namespace vernier::schedule {

timing::Profile KnownTimes::profile(const spec::Command& command, const config::MachineConfig& config) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) return profile(*mac);
  return placed_profile(command, config);
}

timing::Profile KnownTimes::placed_profile(const spec::Command& command, const config::MachineConfig& config) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) return profiles_.profile(*mac);
  if (const auto* dma = std::get_if<spec::DmaCommand>(&command.body)) return profile(*dma, config);
  if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body)) return profiles_.profile(*vector);
  return timing::profile(command, config);
}

int64_t KnownTimes::cycles_alone(const spec::Command& command, const config::MachineConfig& config) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) return profile(with_best_slide(*mac)).cycles_alone();
  return profile(command, config).cycles_alone();
}

spec::MacCommand KnownTimes::tuned(spec::MacCommand command, Known& known, Choice choice) {
  const auto [found, is_new] = known.try_emplace(timing::timed_alike(command, config_));
  if (is_new) {
    const spec::MacCommand chosen = choice(found->first, config_);
    found->second = {chosen.row_tile_rows, chosen.slide_rows};
  }
  command.row_tile_rows = found->second.row_tile_rows;
  command.slide_rows = found->second.slide_rows;
  return command;
}

spec::MacCommand KnownTimes::with_best_slide(const spec::MacCommand& command) {
  return tuned(command, slides_, [](const spec::MacCommand& c, const config::MachineConfig& config) {
    return cost::with_best_slide(c, config);
  });
}

spec::MacCommand KnownTimes::with_best_row_tile(const spec::MacCommand& command) {
  return tuned(command, row_tiles_, [](const spec::MacCommand& c, const config::MachineConfig& config) {
    return cost::with_best_row_tile(c, config);
  });
}

}  // namespace vernier::schedule
