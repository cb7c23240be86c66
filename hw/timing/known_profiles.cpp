// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/known_profiles.hpp"

#include "hw/base/address.hpp"
#include "hw/base/division.hpp"
#include "hw/spec/command_fields.hpp"
#include "hw/timing/access_pattern.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>

namespace vernier::timing {

namespace {

template <typename Command>
size_t hash_of(const Command& command) {
  uint64_t hash = 0;
  const auto mix = [&](const spec::FieldInfo&, const auto& value) {
    constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
    hash = (hash ^ static_cast<uint64_t>(value)) * kOdd;
    hash ^= hash >> 32U;
  };
  spec::visit_fields(mix, command);
  return hash;
}

}  // namespace

size_t CommandHash::operator()(const spec::MacCommand& command) const { return hash_of(command); }
size_t CommandHash::operator()(const spec::DmaCommand& command) const { return hash_of(command); }
size_t CommandHash::operator()(const spec::VectorCommand& command) const { return hash_of(command); }

spec::MacCommand timed_alike(spec::MacCommand command, const config::MachineConfig& config) {
  const int64_t period = bank_period_bytes(config.datapath);
  for (int64_t* base :
       {&command.input.base, &command.addend.base, &command.output.base, &command.weight_base, &command.parameter_base}) {
    *base = base::floor_mod(*base, period);
  }
  const int64_t columns = base::round_up(command.out_columns, int64_t{1} << command.lane_split_log2);
  command.in_rows = std::min(command.in_rows, command.origin_row + (command.out_rows - 1) * command.stride_rows +
                                                  (command.kernel_rows - 1) * command.dilation_rows + 1);
  command.in_columns = std::min(command.in_columns, command.origin_column + (columns - 1) * command.stride_columns +
                                                        (command.kernel_columns - 1) * command.dilation_columns + 1);
  return command;
}

spec::DmaCommand timed_alike(spec::DmaCommand command, const config::MachineConfig& config) {
  const int64_t period = bank_period_bytes(config.datapath);
  for (spec::DmaSide* side : {&command.src, &command.dst}) {
    const bool is_outside = side->base.space == base::MemorySpace::External;
    side->base.offset %= static_cast<uint64_t>(is_outside ? config.external.burst_bytes : period);
  }
  command.index_base = base::floor_mod(command.index_base, period);
  return command;
}

spec::VectorCommand timed_alike(spec::VectorCommand command, const config::MachineConfig& config) {
  const int64_t period = bank_period_bytes(config.datapath);
  for (spec::VectorStream& stream : command.streams) stream.base = base::floor_mod(stream.base, period);
  for (spec::VectorStep& step : command.steps) step.imm0 = step.imm1 = 0;
  return command;
}

const Profile& KnownProfiles::profile(const spec::MacCommand& command) {
  const auto [known, is_new] = of_array_.try_emplace(timed_alike(command, config_));
  if (is_new) known->second = timing::profile(known->first, config_);
  return known->second;
}

const Profile& KnownProfiles::profile(const spec::VectorCommand& command) {
  const auto [known, is_new] = of_vector_unit_.try_emplace(timed_alike(command, config_));
  if (is_new) known->second = timing::profile(known->first, config_);
  return known->second;
}

const Profile& KnownProfiles::profile(const spec::DmaCommand& command, const config::MachineConfig& config) {
  const auto [known, is_new] =
      of_dma_[{config.external.bytes_per_cycle, config.external.latency_cycles}].try_emplace(timed_alike(command, config));
  if (is_new) known->second = timing::profile(known->first, config);
  return known->second;
}

}  // namespace vernier::timing
