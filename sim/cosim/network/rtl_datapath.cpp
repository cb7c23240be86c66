// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/network/rtl_datapath.hpp"

#include "hw/base/text.hpp"
#include "hw/package/stream_commands.hpp"
#include "hw/timing/unit_timing.hpp"
#include "sim/cosim/replay/sampled_command.hpp"

#include <algorithm>

namespace vernier::cosim {
namespace {

using spec::MacCommand;

constexpr size_t kMostMessages = 10;

int64_t macs_of(const MacCommand& m) {
  return m.out_rows * m.out_columns * m.out_channels * (m.reduction_end - m.reduction_begin);
}

/// How the command lies on the array, and what is done to its results.
std::string group_name(const MacCommand& m) {
  std::string name = fmt::format("{}, {} x {}, {}", m.mode == spec::MacMode::Conv ? "conv" : "depthwise",
                                 base::to_string(m.input.type), base::to_string(m.weight_type), order_name(m.weight_order));
  if (m.lane_split_log2 != 0) name += fmt::format(", {} pixels a row", 1 << m.lane_split_log2);
  if (!m.first || !m.last) name += ", sliced";
  name += m.rescale ? ", rescaled" : ", raw";
  if (m.table) name += ", table";
  if (m.residual) name += ", residual";
  return name;
}

}  // namespace

RtlDatapath::RtlDatapath(ClockedBlock& block, const package::Package& package, uint64_t seed, NetworkResult& result,
                         RtlProgressSink progress)
    : package_(package),
      datapath_(package.config.datapath),
      block_(block),
      lock_step_(block, datapath_, seed),
      result_(result),
      progress_(std::move(progress)) {
  count_anew();
}

void RtlDatapath::count_anew() {
  result_ = {};
  result_.bins_legal = lock_step_.coverage().num_legal();
  result_.vector_bins_legal = VectorCoverage().num_legal();
  waits_.clear();
  done_cycles_ = all_cycles_ = 0;
  for (const package::StreamCommand& placed : package::stream_commands(package_)) {
    const spec::Command& command = placed.command;
    waits_.push_back(command.header.wait);
    if (std::holds_alternative<spec::EndCommand>(command.body)) return;
    ++result_.commands;
    if (std::holds_alternative<spec::DmaCommand>(command.body)) {
      ++result_.group("DMA", "no RTL yet for the DMA").commands;
    } else if (progress_) {
      if (const auto* mac = std::get_if<MacCommand>(&command.body))
        all_cycles_ += timing::profile(*mac, package_.config).main.cycles;
      if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body); vector != nullptr)
        all_cycles_ += timing::profile(*vector, package_.config).main.cycles;
    }
  }
}

void RtlDatapath::draw(RtlWave& wave) {
  wave_ = &wave;
  block_.draw(false);
}

void RtlDatapath::use_memory(ArrayMemory& memory) {
  memory_ = &memory;
  has_pairs_ = false;
  lock_step_.use_memory(memory);
}

void RtlDatapath::reset() {
  accumulators_ = {};
  before_.clear();
  running_.clear();
}

std::string RtlDatapath::name_of(int32_t command_idx) const {
  const int32_t layer = package::layer_of(package_, command_idx);
  if (layer < 0) return fmt::format("command {}", command_idx);
  return fmt::format("command {}, layer '{}'", command_idx,
                     base::first_name(package_.layers[static_cast<size_t>(layer)].name));
}

std::string RtlDatapath::without_rtl_of(const MacCommand& command) const {
  // A slice that its command stream does not begin with: what it adds to is not there.
  return !command.first && running_.commands.empty() ? "an earlier slice of the reduction was not compared" : "";
}

void RtlDatapath::run_mac(const MacCommand& command, const units::CommandOperands& operands, kernels::WriteSet& writes) {
  if (!is_wanted(operands.command_idx)) {
    kernels::run_mac(command, datapath_, operands.sram, operands.tables, accumulators_, writes, {.copy = operands.sums});
    return;
  }
  right_.clear();
  kernels::run_mac(command, datapath_, operands.sram, operands.tables, accumulators_, right_, {.copy = operands.sums});
  if (command.first) running_.clear();
  const std::string reason = without_rtl_of(command);
  NetworkGroup& group = result_.group(group_name(command), reason);
  ++group.commands;
  group.macs += macs_of(command);
  ++result_.mac_commands;
  result_.macs += macs_of(command);
  begin_image(operands.sram);
  if (reason.empty()) {
    ++result_.mac_commands_compared;
    result_.macs_compared += macs_of(command);
    run_on_rtl(command, operands, group);
  } else {
    running_.clear();
    before_.clear();
    for (const kernels::WriteSet::Run& run : right_.runs()) {
      std::ranges::copy(right_.bytes_of(run), image_.begin() + static_cast<int64_t>(run.address.offset) - image_base_);
    }
  }
  commit_image(writes);
  show_progress(timing::profile(command, package_.config).main.cycles);
}

void RtlDatapath::run_vector(const spec::VectorCommand& command, const units::CommandOperands& operands,
                             kernels::WriteSet& writes) {
  if (!is_wanted(operands.command_idx) || vector_unit_ == nullptr) {
    if (is_wanted(operands.command_idx)) ++result_.group("vector unit", "no RTL of the vector unit").commands;
    kernels::run_vector(command, datapath_, operands.sram, operands.tables, writes);
    show_progress(timing::profile(command, package_.config).main.cycles);
    return;
  }
  NetworkGroup& group = result_.group("vector unit", "");
  ++group.commands;
  ++result_.vector_commands_compared;
  if (first_cycle_) vector_unit_->count_from(*std::exchange(first_cycle_, std::nullopt));
  const int64_t begin_cycle = vector_unit_->cycle();
  RtlVectorUnit::Outcome outcome;
  try {
    outcome = vector_unit_->run(command, operands, name_of(operands.command_idx), writes);
  } catch (const Hang&) {
    outcome = vector_unit_->unfinished();
    count(outcome.found, group);
    keep(std::move(outcome.fault));
    throw;
  }
  if (const auto& memory = vector_unit_->memory()) {
    ++result_.memory_commands;
    if (!memory->is_ideal()) {
      outcome.found.model_cycles = timing::profile(command, package_.config).main.cycles;
      outcome.found.rtl_cycles = outcome.memory_cycles;
    }
  }
  count(outcome.found, group);
  keep(std::move(outcome.fault));
  result_.vector_bins_hit = vector_unit_->coverage().num_hit();
  result_.command_cycles.push_back({operands.command_idx, "vector_unit", outcome.found.rtl_cycles});
  if (outcome.found.mismatches > 0) count_different(operands.command_idx, begin_cycle, group);
  show_progress(timing::profile(command, package_.config).main.cycles);
}

/// What was found about a command.
void RtlDatapath::count(LockStepResult& found, NetworkGroup& group) {
  group.vectors += found.vectors;
  group.mismatches += found.mismatches;
  group.cycle_mismatches += found.cycle_mismatches;
  result_.model_cycles += found.model_cycles;
  result_.rtl_cycles += found.rtl_cycles;
  if (!result_.first_place) result_.first_place = found.first_place;
  for (Mismatch& mismatch : found.first_mismatches) note(group, std::move(mismatch));
}

void RtlDatapath::keep(std::optional<FirstFault> fault) {
  if (fault && fault_ != nullptr && !*fault_) *fault_ = std::move(fault);
}

void RtlDatapath::keep_array_fault() {
  auto fault = lock_step_.take_fault();
  if (!fault) return;
  FirstFault first{.unit = std::string(block_.description().unit), .mismatch = fault->mismatch};
  first.array = std::move(fault);
  keep(std::move(first));
}

/// One of the first mismatches, or one too many to be kept.
void RtlDatapath::note(NetworkGroup& group, Mismatch mismatch) {
  if (!group.first_mismatch) group.first_mismatch = mismatch;
  if (result_.first_mismatches.size() < kMostMessages) result_.first_mismatches.push_back(std::move(mismatch));
}

void RtlDatapath::count_different(int32_t command_idx, int64_t begin_cycle, NetworkGroup& group) {
  ++group.commands_different;
  if (result_.first_command_different >= 0) return;
  result_.first_command_different = command_idx;
  result_.first_different_cycle = begin_cycle;
}

/// What stands where the command writes: what RTL owes stays so.
void RtlDatapath::begin_image(std::span<const std::byte> sram) {
  image_.clear();
  if (right_.runs().empty()) return;
  int64_t begin = INT64_MAX, end = 0;
  for (const kernels::WriteSet::Run& run : right_.runs()) {
    begin = std::min(begin, static_cast<int64_t>(run.address.offset));
    end = std::max(end, static_cast<int64_t>(run.address.offset + run.bytes));
  }
  image_base_ = begin;
  const auto bytes = sram.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  image_.assign(bytes.begin(), bytes.end());
}

void RtlDatapath::commit_image(kernels::WriteSet& writes) const {
  for (const kernels::WriteSet::Run& run : right_.runs()) {
    writes.add(run.address, std::span(image_).subspan(run.address.offset - static_cast<uint64_t>(image_base_), run.bytes));
  }
}

void RtlDatapath::run_on_rtl(const MacCommand& command, const units::CommandOperands& operands, NetworkGroup& group) {
  const auto idx = static_cast<size_t>(operands.command_idx);
  running_.waits.push_back(idx >= waits_.size() || waits_[idx] != 0);
  running_.names.push_back(name_of(operands.command_idx));
  running_.commands.push_back(sample_command(command, datapath_, operands.sram));
  lock_step_.set_tables(operands.tables);
  const int64_t element_bytes = base::stored_bytes(command.output.type);
  lock_step_.on_result([&](int64_t address, uint64_t value) {
    for (int64_t i = 0; i < element_bytes; ++i)
      image_[static_cast<size_t>(address - image_base_ + i)] = static_cast<std::byte>(value >> (8 * i));
  });
  const bool is_drawn = wave_ != nullptr && wave_->wants(operands.command_idx);
  if (first_cycle_) block_.count_from(*std::exchange(first_cycle_, std::nullopt));
  const int64_t begin_cycle = block_.cycle();
  if (command.first) reduction_cycle_ = begin_cycle;
  block_.draw(wave_ == nullptr || is_drawn);
  const int64_t rtl_cycles = result_.rtl_cycles;
  bool is_different = false;
  try {
    is_different = compare({running_.commands.back()}, {running_.names.back()}, group);
  } catch (const Hang& hang) {
    if (is_drawn) wave_->ran(operands.command_idx, begin_cycle, drawn_end(hang, begin_cycle, block_.cycle()));
    throw;
  }
  if (!command.last) {
    // A slice without results takes until the next one could follow.
    const timing::Profile profile = timing::profile(command, package_.config);
    result_.model_cycles += profile.main.datapath_cycles + profile.drain.datapath_cycles;
    result_.rtl_cycles += block_.cycle() - begin_cycle - kIdleCycles;
  }
  result_.command_cycles.push_back({operands.command_idx, "mac_array", result_.rtl_cycles - rtl_cycles});
  if (is_drawn) wave_->ran(operands.command_idx, begin_cycle, block_.cycle() - kIdleCycles);
  block_.draw(wave_ == nullptr);
  lock_step_.on_result({});
  if (command.last) {
    if (has_pairs_) is_different |= run_again(group);
    before_ = std::exchange(running_, {});
  }
  if (is_different) count_different(operands.command_idx, reduction_cycle_, group);
}

/// One command, whose streams come from npu_agu and an SRAM.
LockStepResult RtlDatapath::run_with_memory(std::vector<ArrayCommand> commands, const std::string& name) {
  const MacCommand command = commands.front().command;
  memory_->prepare(command);
  try {
    lock_step_.run_sequence(std::move(commands), ArrayPace::Memory);
  } catch (const Hang& hang) {
    memory_->rethrow(hang);
  }
  while (!memory_->is_written()) lock_step_.idle(1);
  memory_->end_command();
  lock_step_.idle(kIdleCycles);
  LockStepResult found = lock_step_.take_result();
  found.add(memory_->take_findings(name));
  ++result_.memory_commands;
  if (!memory_->is_ideal()) {
    found.model_cycles = timing::profile(command, package_.config).cycles_alone();
    found.rtl_cycles = memory_->cycles();
  }
  return found;
}

/// Whether there was a mismatch.
bool RtlDatapath::compare(std::vector<ArrayCommand> commands, const std::vector<std::string>& names, NetworkGroup& group) {
  LockStepResult found;
  if (commands.front().command.first || lock_step_.keeps_accumulators()) {
    const bool wants_words = !group.first_mismatch || result_.first_mismatches.size() < kMostMessages;
    lock_step_.describe_at_most(wants_words ? kMostMessages : 0);
    lock_step_.name_commands(names);
    const MacCommand& command = commands.front().command;
    try {
      if (memory_ != nullptr && command.first && command.last) {
        found = run_with_memory(std::move(commands), names.front());
      } else {
        lock_step_.run_sequence(std::move(commands), ArrayPace::Ideal);
        lock_step_.idle(kIdleCycles);
        found = lock_step_.take_result();
      }
    } catch (const Hang&) {
      found = lock_step_.take_result();
      keep_array_fault();
      count(found, group);
      throw;
    }
    keep_array_fault();
  } else {
    found.report({.kind = MismatchKind::Missing,
                  .command = names.front(),
                  .words = "its sums were lost when the block was reset after the slice before"});
  }
  count(found, group);
  result_.bins_hit = lock_step_.coverage().num_hit();
  return found.mismatches > 0;  // those of cycles are among them, unless cycles may differ
}

/// What no token keeps apart: the command after the one before, and its slices up to the first one that waits.
bool RtlDatapath::run_again(NetworkGroup& group) {
  std::vector<ArrayCommand> commands;
  std::vector<std::string> names;
  const bool follows = !running_.waits.front() && !before_.commands.empty();
  if (follows) {
    commands = before_.commands;
    names = before_.names;
  }
  size_t slices = 1;
  while (slices < running_.waits.size() && !running_.waits[slices]) ++slices;
  commands.insert(commands.end(), running_.commands.begin(), running_.commands.begin() + static_cast<int64_t>(slices));
  names.insert(names.end(), running_.names.begin(), running_.names.begin() + static_cast<int64_t>(slices));
  if (commands.size() == 1) return false;
  result_.pairs += static_cast<int64_t>(slices) - 1 + (follows ? 1 : 0);
  for (std::string& name : names) name += ", in a pair";
  return compare(std::move(commands), names, group);
}

void RtlDatapath::show_progress(int64_t cycles) {
  if (!progress_) return;
  done_cycles_ += cycles;
  progress_({done_cycles_, all_cycles_, result_.mismatches()});
}

}  // namespace vernier::cosim
