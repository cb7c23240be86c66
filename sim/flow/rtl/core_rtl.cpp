// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/core_rtl.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/spec/core_sram_ports.hpp"
#include "sim/cosim/block/rtl_library.hpp"
#include "sim/flow/rtl/mismatch_detail.hpp"
#include "sim/mem/plain_memory.hpp"
#include "sim/soc/tensor_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace vernier::flow {
namespace {

void require_core_machine(const config::MachineConfig& machine) {
  const spec::Datapath& datapath = machine.datapath;
  if (datapath.sram_read_words != spec::kCoreReadWords || datapath.sram_write_words != spec::kCoreWriteWords)
    throw base::UserError(
        "--rtl-scope",
        "'core' has an SRAM of {} read and {} write ports, found a machine with {} and {}; allowed is scope "
        "'command'",
        spec::kCoreReadWords, spec::kCoreWriteWords, datapath.sram_read_words, datapath.sram_write_words);
  if (machine.sram_bytes > spec::kCoreSramBytes)
    throw base::UserError("--rtl-scope", "'core' has an SRAM of {}, found a machine with {}; allowed is scope 'command'",
                          base::bytes_text(spec::kCoreSramBytes), base::bytes_text(machine.sram_bytes));
}

/// What is in the external memory before the job.
void load_external(const package::Package& package, const std::vector<base::Tensor>& inputs, mem::Storage& external) {
  mem::PlainMemory memory(external);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const package::Placement& placement = package.tensors[package.inputs[i]].placement;
    if (placement.base.space == base::MemorySpace::External) soc::write_tensor(memory, placement, inputs[i]);
  }
  for (const package::Variable& variable : package.variables) {
    if (variable.before_idx < 0) continue;
    const package::Placement& placement = package.tensors[variable.before_idx].placement;
    if (placement.base.space == base::MemorySpace::External) soc::write_tensor(memory, placement, variable.value);
  }
  for (const package::Segment& segment : package.image) {
    if (segment.address.space == base::MemorySpace::External)
      external.write(static_cast<int64_t>(segment.address.offset), segment.bytes);
  }
}

/// Outputs or variables: those of `tensors`.
std::vector<base::Tensor> tensors_of(const package::Package& package, const std::vector<int32_t>& tensors,
                                     const std::vector<std::byte>& sram_bytes, const mem::Storage& external) {
  mem::Storage sram(std::max<int64_t>(1, std::ssize(sram_bytes)));
  sram.write(0, sram_bytes);
  std::vector<base::Tensor> values;
  for (const int32_t tensor : tensors) {
    const package::TensorEntry& entry = package.tensors[tensor];
    const mem::Storage& from = entry.placement.base.space == base::MemorySpace::Sram ? sram : external;
    values.push_back(
        soc::read_box(mem::StorageView(from), entry.placement, entry.type, base::Shape(entry.shape.size(), 0), entry.shape));
  }
  return values;
}

}  // namespace

CoreRtl::CoreRtl(const config::MachineConfig& machine, const RtlChoice& choice, const Tell& phase) {
  require_core_machine(machine);
  const auto lanes = static_cast<int>(machine.datapath.lanes);
  auto block = choice.make_own ? choice.make_own(spec::kCoreSramBlock.unit, lanes)
                               : cosim::own_rtl(phase).make(spec::kCoreSramBlock, lanes, {});
  bench_ = std::make_unique<cosim::CoreSramBench>(std::move(block), lanes);
}
CoreRtl::CoreRtl(CoreRtl&&) noexcept = default;
CoreRtl::~CoreRtl() = default;

CoreJobRun CoreRtl::run_job(const package::Package& package, const std::vector<base::Tensor>& inputs,
                            const soc::JobResult& job, soc::Npu& npu, const Tell& detail) {
  cosim::CoreNetwork network(package, job.commands);
  soc::JobOptions options;
  options.on_sram = [&](int64_t cycle, const mem::StorageView& sram) { network.see_sram(cycle, sram); };
  VERNIER_CHECK(npu.run(package, inputs, options).is_done(), "a job that was done once is not done the second time");
  cosim::CoreSramBench::Progress progress;
  if (detail) {
    progress = [&](int64_t cycle, size_t num_ended) {
      detail(fmt::format("cycle {} of about {}, {} of {} commands", base::with_thousands(cycle),
                         base::with_thousands(job.cycles), base::with_thousands(static_cast<int64_t>(num_ended)),
                         base::with_thousands(static_cast<int64_t>(network.num_jobs()))));
    };
  }
  mem::Storage external(std::max<int64_t>(1, package.external_bytes));
  load_external(package, inputs, external);
  package_ = &package;
  earlier_mismatches_ += result_.wrong_commands;
  result_ = {};
  try {
    result_ = network.run(*bench_, external, progress);
  } catch (const cosim::Hang& hang) {
    return {.hang = hang};
  }
  for (const cosim::Mismatch& mismatch : result_.first_mismatches) {
    if (first_mismatches_.size() < cosim::CoreResult::kMostMismatches) first_mismatches_.push_back(mismatch);
  }
  CoreJobRun done;
  done.outputs = tensors_of(package, package.outputs, result_.sram, external);
  for (const package::Variable& variable : package.variables) {
    const bool is_written = variable.after_idx >= 0;
    done.variables.push_back(is_written ? tensors_of(package, {variable.after_idx}, result_.sram, external).front()
                                        : variable.value);
  }
  return done;
}

report::RtlUse CoreRtl::use() const {
  report::RtlUse use;
  use.core = report::RtlUse::Core{};
  report::RtlUse::Core& core = *use.core;
  for (const cosim::CoreCommand& command : result_.commands) {
    const bool is_dma = command.unit == "dma";
    (is_dma ? use.commands_without_rtl : use.commands) += 1;
    core.commands.push_back({command.command_idx, command.unit, command.start_cycle, command.end_cycle,
                             command.model_start_cycle, command.model_end_cycle});
  }
  core.total_cycles = result_.total_cycles;
  core.model_total_cycles = result_.model_total_cycles;
  core.compared_bytes = result_.compared_bytes;
  core.wrong_bytes = result_.wrong_bytes;
  if (const cosim::CoreCommand* worst = result_.worst_command()) {
    const int32_t layer = package::layer_of(*package_, worst->command_idx);
    core.worst_command = {.command_idx = worst->command_idx,
                          .unit = worst->unit,
                          .layer = layer < 0 ? "" : package_->layers[layer].name,
                          .cycles = worst->cycles(),
                          .model_cycles = worst->model_cycles(),
                          .percent = worst->percent_apart()};
  }
  use.mismatches = earlier_mismatches_ + result_.wrong_commands;
  for (const cosim::Mismatch& mismatch : first_mismatches_) {
    use.first_mismatches.push_back(mismatch.print());
    use.mismatch_details.push_back(detail_of(mismatch));
  }
  return use;
}

}  // namespace vernier::flow
