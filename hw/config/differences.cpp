// SPDX-License-Identifier: Apache-2.0
#include "hw/config/differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace vernier::config {

std::string differences_of(const MachineConfig& compiled, const MachineConfig& machine,
                           std::span<const std::string_view> may_differ) {
  const std::vector<ConfigValue> theirs = values_of(compiled), ours = values_of(machine);
  std::string differences;
  for (size_t i = 0; i < ours.size(); ++i) {
    const ConfigValue& own = ours[i];
    if (theirs[i].value == own.value || std::find(may_differ.begin(), may_differ.end(), own.key) != may_differ.end())
      continue;
    differences +=
        fmt::format("{}{} is {}, the machine has {}", differences.empty() ? "" : "; ", own.key, theirs[i].value, own.value);
  }
  return differences;
}

}  // namespace vernier::config
