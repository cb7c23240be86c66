// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/completion_check.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace vernier::soc {

std::string wrong_completion(const std::optional<JobResult>& result, const ControlPath::Completion& told) {
  using Outcome = spec::JobOutcome;
  const bool is_withdrawn =
      told.outcome == Outcome::Cancelled || told.outcome == Outcome::TimedOut || told.outcome == Outcome::Refused;
  if (!result) return is_withdrawn ? "" : "the firmware tells the end of a job that never started";
  const auto* fault = std::get_if<Fault>(&result->status);
  Outcome outcome = result->is_done() ? Outcome::Done : Outcome::Watchdog;
  if (fault != nullptr) outcome = Outcome::Fault;
  const bool is_stopped = std::holds_alternative<Stopped>(result->status);
  if (is_stopped && is_withdrawn) return "";
  if (told.outcome != outcome || told.cycles != result->cycles)
    return fmt::format("the firmware tells outcome {} after {} cycles, the machine's is {} after {}",
                       static_cast<int>(told.outcome), told.cycles, static_cast<int>(outcome), result->cycles);
  if (fault != nullptr &&
      (told.fault_code != static_cast<uint32_t>(fault->code) || told.fault_address != fault->stream_offset_bytes))
    return fmt::format("the firmware tells fault {} at byte {}, the machine's is {} at byte {}", told.fault_code,
                       told.fault_address, static_cast<int>(fault->code), fault->stream_offset_bytes);
  return "";
}

void check_machine(const package::Package& package, const config::MachineConfig& machine) {
  constexpr std::array<std::string_view, 4> kMayDiffer{"name", "base", "sram_bytes", "memory_mode"};
  const std::vector<config::ConfigValue> theirs = config::values_of(package.config), ours = config::values_of(machine);
  std::string differences;
  for (size_t i = 0; i < ours.size(); ++i) {
    const config::ConfigValue& own = ours[i];
    if (std::find(kMayDiffer.begin(), kMayDiffer.end(), own.key) != kMayDiffer.end() || theirs[i].value == own.value)
      continue;
    differences +=
        fmt::format("{}{} is {}, the machine has {}", differences.empty() ? "" : "; ", own.key, theirs[i].value, own.value);
  }
  if (!differences.empty()) throw base::UserError(package.model_name, "is compiled for another machine: {}", differences);
  if (package.config.sram_bytes > machine.sram_bytes)
    throw base::UserError(package.model_name, "is compiled for {} B of SRAM, the machine has {}",
                          base::with_thousands(package.config.sram_bytes), base::with_thousands(machine.sram_bytes));
}

void check_inputs(const package::Package& package, const std::vector<base::Tensor>& inputs) {
  if (inputs.size() != package.inputs.size())
    throw base::UserError(package.model_name, "{} given, it has {}",
                          base::counted(static_cast<int64_t>(inputs.size()), "input"), package.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const package::TensorEntry& entry = package.tensors[package.inputs[i]];
    if (inputs[i].type() == entry.type && inputs[i].shape() == entry.shape) continue;
    throw base::UserError(package.model_name, "input {} is {} {}, expected {} {}", entry.name,
                          base::to_string(inputs[i].type()), base::to_string(inputs[i].shape()), base::to_string(entry.type),
                          base::to_string(entry.shape));
  }
}

}  // namespace vernier::soc
