// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/network/rtl_vector_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::cosim {

RtlVectorUnit::RtlVectorUnit(std::unique_ptr<RtlBlock> unit, const spec::Datapath& datapath,
                             const RtlVectorUnitOptions& options)
    : block_(std::move(unit), *spec::rtl_block_of_unit("vector"), static_cast<int>(datapath.lanes)),
      datapath_(datapath),
      memory_(options.streams == StreamSource::Ideal
                  ? nullptr
                  : std::make_unique<VectorMemory>(block_, datapath, options.streams == StreamSource::Banked)),
      lock_step_(block_, datapath, options.run.with(memory_.get())),
      lanes_(options.lanes),
      wave_(options.wave) {
  block_.draw(wave_ == nullptr);
}

RtlVectorUnit::Outcome RtlVectorUnit::run(const spec::VectorCommand& command, const units::CommandOperands& operands,
                                          std::string_view name, kernels::WriteSet& writes) {
  outcome_ = {};
  stored_.clear();
  run_lane_steps(command, name, operands.sram, operands.tables);
  const bool has_lanes_different = outcome_.found.mismatches > 0;

  Work work = sample_vector(command, datapath_, operands.sram);
  const std::vector<MemoryPart> parts = memory_parts(command, datapath_);
  std::vector<std::byte> image = work.bytes;
  const auto store = [&](int64_t address, std::span<const std::byte> bytes) {
    std::ranges::copy(bytes, image.begin() + address);
  };
  run_work({.works = {std::move(work)},
            .pace = memory_ ? ArrayPace::Memory : ArrayPace::Ideal,
            .names = {std::string(name)},
            .tables = operands.tables,
            .on_result = store},
           operands.command_idx);
  take_found();
  if (memory_) {
    outcome_.memory_cycles = memory_->cycles();
    outcome_.found.add(memory_->take_findings(std::string(name)));
  }
  for (const kernels::WriteSet::Run& run : stored_.runs()) {
    const int64_t begin = place_of(static_cast<int64_t>(run.address.offset), parts);
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
  auto fault = first_fault(block_.description().unit, lock_step_.take_fault());
  if (!outcome_.fault && !has_lanes_different) outcome_.fault = std::move(fault);
}

void RtlVectorUnit::run_work(Sequence sequence, int32_t command_idx) {
  if (memory_) memory_->prepare(sequence.works.front().vector());
  const bool is_drawn = wave_ != nullptr && wave_->wants(command_idx);
  const int64_t begin_cycle = block_.cycle();
  block_.draw(wave_ == nullptr || is_drawn);
  try {
    lock_step_.run_sequence(std::move(sequence));
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
    LockStepResult found = lanes_->run(step, tables);
    for (Mismatch& mismatch : found.first_mismatches) mismatch.command = name;
    outcome_.found.add(found);
  };
  kernels::run_vector(command, datapath_, sram, tables, stored_,
                      lanes_ == nullptr ? kernels::LaneStepProbe{} : kernels::LaneStepProbe{run_step});
  if (lanes_ == nullptr) return;
  outcome_.fault = lanes_->take_fault();
  if (outcome_.fault) outcome_.fault->mismatch.command = name;
}

}  // namespace vernier::cosim
