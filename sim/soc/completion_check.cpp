// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/completion_check.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/config/differences.hpp"
#include "sim/soc/register_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace vernier::soc {

std::string wrong_completion(MachineJob& job, const ControlPath::Completion& told) {
  using Outcome = spec::JobOutcome;
  const JobResult* const result = !job.result ? nullptr : job.flow ? &job.flow->result() : &*job.result;
  const bool is_withdrawn =
      told.outcome == Outcome::Cancelled || told.outcome == Outcome::TimedOut || told.outcome == Outcome::Refused;
  if (result == nullptr) return is_withdrawn ? "" : "the firmware tells the end of a job that never started";
  const auto* fault = std::get_if<Fault>(&result->status);
  Outcome outcome = result->is_done() ? Outcome::Done : Outcome::Watchdog;
  if (fault != nullptr) outcome = Outcome::Fault;
  const bool is_stopped = std::holds_alternative<Stopped>(result->status);
  if (is_stopped && is_withdrawn) return "";
  const bool may_end_between = told.outcome == Outcome::LimitReached || is_withdrawn;
  if (job.flow && may_end_between && result->is_done()) outcome = told.outcome;  // wrong_end() judges it
  if (told.outcome != outcome || told.cycles != result->cycles)
    return fmt::format("the firmware tells outcome {} after {} cycles, the machine's is {} after {}",
                       static_cast<int>(told.outcome), told.cycles, static_cast<int>(outcome), result->cycles);
  if (fault != nullptr &&
      (told.fault_code != static_cast<uint32_t>(fault->code) || told.fault_address != fault->stream_offset_bytes ||
       told.fault_access != access_word(fault->access)))
    return fmt::format(
        "the firmware tells fault {} at byte {} with access 0x{:x}, the machine's is {} at byte {} with access 0x{:x}",
        told.fault_code, told.fault_address, told.fault_access, static_cast<int>(fault->code), fault->stream_offset_bytes,
        access_word(fault->access));
  return job.flow ? job.flow->wrong_end(job.memory, told) : "";
}

namespace {

/// One past the last byte of the table, which has to be read-only, since the firmware reads it while the job runs.
int64_t table_end(const package::Package& package) {
  return static_cast<int64_t>(package.flow.table.offset) + package::flow_table_bytes(package.flow);
}

}  // namespace

void check_control_flow(const package::Package& package, bool has_control_cpu, bool has_values) {
  if (package.flow.steps.empty()) return;
  if (!has_values)
    throw base::UserError(package.model_name,
                          "has control flow, and its values decide what runs: it needs run, with values");
  if (!has_control_cpu)
    throw base::UserError(package.model_name,
                          "has control flow, which firmware carries out: it needs control 'cpu', found "
                          "'direct'");
  const PackageExtents extents = extents_of(package);
  const base::Address table = package.flow.table;
  const int64_t read_only =
      table.space == base::MemorySpace::Sram ? extents.sram_read_only_bytes : extents.external_read_only_bytes;
  if (table_end(package) > read_only)
    throw base::UserError(package.model_name, "its steps lie at {} with {} bytes, and a command writes byte {} or lower",
                          table, package::flow_table_bytes(package.flow), read_only);
}

void protect_steps(const package::Package& package, HandedJob& job) {
  mem::RegionExtent& region = package.flow.table.space == base::MemorySpace::Sram ? job.sram : job.external;
  region.read_only_bytes = std::max(region.read_only_bytes, table_end(package));
}

void check_machine(const std::string& file, const package::Package& package, const config::MachineConfig& machine) {
  constexpr std::array<std::string_view, 6> kMayDiffer{
      "name", "base", "sram_bytes", "memory_mode", "sram_protection", "sram_parity_bits"};
  const std::string differences = config::differences_of(package.config, machine, kMayDiffer);
  if (!differences.empty()) throw base::UserError(file, "is compiled for another machine: {}", differences);
  if (package.config.sram_bytes > machine.sram_bytes)
    throw base::UserError(file, "is compiled for {} B of SRAM, the machine has {}",
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
