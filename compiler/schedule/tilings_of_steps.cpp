// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/tilings_of_steps.hpp"

#include "compiler/schedule/access.hpp"
#include "hw/timing/access_pattern.hpp"
#include "hw/timing/known_profiles.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace vernier::schedule {

namespace {

/// The step's command with the offsets of its operands counted modulo what banks and bursts repeat after: steps of equal
/// commands cost the same.
spec::Command placed_alike(const passes::Step& step, const config::MachineConfig& config) {
  const int64_t period = std::lcm(timing::bank_period_bytes(config.datapath), config.external.burst_bytes);
  spec::Command command = step.command;
  for (const passes::Operand& operand : step.operands) {
    const int64_t offset = field_of(step, operand);
    relocate(command, operand, base::floor_mod(offset, period) - offset);
  }
  return command;
}

size_t hash_of(const spec::Command& command) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) return timing::CommandHash()(*mac);
  if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body)) return timing::CommandHash()(*vector);
  const auto* dma = std::get_if<spec::DmaCommand>(&command.body);
  return dma == nullptr ? 0 : timing::CommandHash()(*dma);
}

}  // namespace

TilingsOfSteps::TilingsOfSteps(const std::vector<passes::Step>& steps, const config::MachineConfig& config,
                               KnownTimes& times, const std::vector<OperandSet>& may_be_copied) {
  struct Known {
    spec::Command command;
    size_t step;
  };
  std::unordered_map<size_t, std::vector<Known>> known;
  const auto has_same_operands = [&](size_t a, size_t b) {
    const auto is_same = [](const passes::Operand& x, const passes::Operand& y) {
      return x.field == y.field && x.stream_idx == y.stream_idx;
    };
    return may_be_copied[a] == may_be_copied[b] && step_divisor(steps[a]) == step_divisor(steps[b]) &&
           std::equal(steps[a].operands.begin(), steps[a].operands.end(), steps[b].operands.begin(), steps[b].operands.end(),
                      is_same);
  };
  for (size_t s = 0; s < steps.size(); ++s) {
    spec::Command command = placed_alike(steps[s], config);
    std::vector<Known>& alike = known[hash_of(command)];
    const auto found = std::find_if(alike.begin(), alike.end(), [&](const Known& other) {
      return other.command == command && has_same_operands(other.step, s);
    });
    if (found != alike.end()) {
      by_step_.push_back(by_step_[found->step]);
      continue;
    }
    alike.push_back({std::move(command), s});
    by_step_.push_back(std::make_shared<StepTilings>(steps[s], config, times, may_be_copied[s]));
    ++num_different_;
  }
}

}  // namespace vernier::schedule
