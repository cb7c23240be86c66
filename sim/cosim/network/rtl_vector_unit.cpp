// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/network/rtl_vector_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::cosim {

RtlVectorUnit::RtlVectorUnit(std::unique_ptr<RtlBlock> unit, const spec::Datapath& datapath, uint64_t seed)
    : block_(std::move(unit), *spec::rtl_block_of_unit("vector"), static_cast<int>(datapath.lanes)),
      datapath_(datapath),
      lock_step_(block_, datapath, seed) {
  lock_step_.keep_fault();
}

RtlVectorUnit::Outcome RtlVectorUnit::run(const spec::VectorCommand& command, const units::CommandOperands& operands,
                                          std::string_view name, kernels::WriteSet& writes) {
  outcome_ = {};
  stored_.clear();
  run_lane_steps(command, name, operands.sram, operands.tables);
  const bool has_lanes_different = outcome_.found.mismatches > 0;

  SampledVector sample = sample_vector(command, datapath_, operands.sram);
  std::vector<std::byte> image = sample.job.sram;
  lock_step_.set_tables(operands.tables);
  lock_step_.name_sequence(std::string(name));
  lock_step_.on_store(
      [&](int64_t address, std::span<const std::byte> bytes) { std::ranges::copy(bytes, image.begin() + address); });
  run_job(std::move(sample.job), operands.command_idx);
  take_found();
  if (memory_) {
    outcome_.memory_cycles = memory_->cycles();
    outcome_.found.add(memory_->take_findings(std::string(name)));
  }
  for (const kernels::WriteSet::Run& run : stored_.runs()) {
    const int64_t begin = sample.place_of(static_cast<int64_t>(run.address.offset));
    writes.add(run.address, has_lanes_different
                                ? stored_.bytes_of(run)
                                : std::span<const std::byte>(image).subspan(static_cast<size_t>(begin), run.bytes));
  }
  return std::move(outcome_);
}

RtlVectorUnit::Outcome RtlVectorUnit::unfinished() {
  take_found();
  return std::move(outcome_);
}

/// Adds what the lock-step found to what the lanes gave before.
void RtlVectorUnit::take_found() {
  const bool has_lanes_different = outcome_.found.mismatches > 0;
  outcome_.found.add(lock_step_.take_result());
  auto fault = lock_step_.take_fault();
  if (!fault || outcome_.fault || has_lanes_different) return;
  outcome_.fault.emplace(FirstFault{.unit = std::string(block_.description().unit), .mismatch = fault->mismatch});
  outcome_.fault->vector = std::move(fault);
}

void RtlVectorUnit::run_job(VectorJob job, int32_t command_idx) {
  std::vector<VectorJob> jobs;
  jobs.push_back(std::move(job));
  if (memory_) memory_->prepare(jobs.front().command);
  const bool is_drawn = wave_ != nullptr && wave_->wants(command_idx);
  const int64_t begin_cycle = block_.cycle();
  block_.draw(wave_ == nullptr || is_drawn);
  try {
    lock_step_.run_sequence(std::move(jobs), memory_ ? ArrayPace::Memory : ArrayPace::Ideal);
  } catch (const Hang& hang) {
    if (is_drawn) wave_->ran(command_idx, begin_cycle, drawn_end(hang, begin_cycle, block_.cycle()));
    if (memory_) memory_->rethrow(hang);
    throw;
  }
  while (memory_ && !memory_->is_written()) lock_step_.idle(1);
  if (memory_) memory_->end_command();
  if (is_drawn) wave_->ran(command_idx, begin_cycle, block_.cycle());
  lock_step_.idle(kIdleCycles);
  block_.draw(wave_ == nullptr);
}

void RtlVectorUnit::run_lane_steps(const spec::VectorCommand& command, std::string_view name,
                                   std::span<const std::byte> sram, const kernels::TableMemory& tables) {
  const auto run_step = [&](const kernels::LaneStep& step) {
    const LaneUnits::Outcome ran = lanes_->run(step, tables);
    LockStepResult part{.vectors = ran.vectors, .mismatches = ran.mismatches, .cycle_mismatches = ran.cycle_mismatches};
    if (ran.first_mismatch) {
      part.first_mismatches.push_back(*ran.first_mismatch);
      part.first_mismatches.back().command = name;
    }
    outcome_.found.add(part);
  };
  kernels::run_vector(command, datapath_, sram, tables, stored_,
                      lanes_ == nullptr ? kernels::LaneStepProbe{} : kernels::LaneStepProbe{run_step});
  if (lanes_ == nullptr) return;
  outcome_.fault = lanes_->take_fault();
  if (outcome_.fault) outcome_.fault->mismatch.command = name;
}

}  // namespace vernier::cosim
