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

RtlDatapath::RtlDatapath(ClockedBlock& block, const package::Package& package, NetworkResult& result,
                         RtlDatapathOptions options)
    : package_(package),
      datapath_(package.config.datapath),
      block_(block),
      options_(std::move(options)),
      lock_step_(block, datapath_, options_.run.with(options_.memory)),
      result_(result) {
  block_.draw(options_.wave == nullptr);
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
    } else if (options_.progress) {
      if (const auto* mac = std::get_if<MacCommand>(&command.body))
        all_cycles_ += timing::profile(*mac, package_.config).main.cycles;
      if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body); vector != nullptr)
        all_cycles_ += timing::profile(*vector, package_.config).main.cycles;
    }
  }
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
  return !command.first && running_.works.empty() ? "an earlier slice of the reduction was not compared" : "";
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
  if (!is_wanted(operands.command_idx) || options_.vector_unit == nullptr) {
    if (is_wanted(operands.command_idx)) ++result_.group("vector unit", "no RTL of the vector unit").commands;
    kernels::run_vector(command, datapath_, operands.sram, operands.tables, writes);
    show_progress(timing::profile(command, package_.config).main.cycles);
    return;
  }
  NetworkGroup& group = result_.group("vector unit", "");
  ++group.commands;
  ++result_.vector_commands_compared;
  if (options_.first_cycle) options_.vector_unit->count_from(*std::exchange(options_.first_cycle, std::nullopt));
  const int64_t begin_cycle = options_.vector_unit->cycle();
  RtlVectorUnit::Outcome outcome;
  try {
    outcome = options_.vector_unit->run(command, operands, name_of(operands.command_idx), writes);
  } catch (const Hang&) {
    outcome = options_.vector_unit->unfinished();
    count(outcome.found, group);
    keep(std::move(outcome.fault));
    throw;
  }
  if (const VectorMemory* memory = options_.vector_unit->memory()) {
    ++result_.memory_commands;
    if (!memory->is_ideal()) {
      outcome.found.model_cycles = timing::profile(command, package_.config).main.cycles;
      outcome.found.rtl_cycles = outcome.memory_cycles;
    }
  }
  count(outcome.found, group);
  keep(std::move(outcome.fault));
  result_.vector_bins_hit = options_.vector_unit->coverage().num_hit();
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
  if (fault && options_.run.keeps_fault && !fault_) fault_ = std::move(fault);
}

void RtlDatapath::keep_array_fault() { keep(first_fault(block_.description().unit, lock_step_.take_fault())); }

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
  running_.works.push_back(sample_command(command, datapath_, operands.sram));
  lock_step_.fill_slots(operands.tables);  // before the cycles that are the command's
  const auto put = [&](int64_t address, std::span<const std::byte> bytes) {
    std::ranges::copy(bytes, image_.begin() + (address - image_base_));
  };
  const bool is_drawn = options_.wave != nullptr && options_.wave->wants(operands.command_idx);
  if (options_.first_cycle) block_.count_from(*std::exchange(options_.first_cycle, std::nullopt));
  const int64_t begin_cycle = block_.cycle();
  if (command.first) reduction_cycle_ = begin_cycle;
  block_.draw(options_.wave == nullptr || is_drawn);
  const int64_t rtl_cycles = result_.rtl_cycles;
  bool is_different = false;
  try {
    is_different = compare({.works = {running_.works.back()}, .names = {running_.names.back()}, .on_result = put}, group);
  } catch (const Hang& hang) {
    if (is_drawn) options_.wave->ran(operands.command_idx, begin_cycle, drawn_end(hang, begin_cycle, block_.cycle()));
    throw;
  }
  if (!command.last) {
    // A slice without results takes until the next one could follow.
    const timing::Profile profile = timing::profile(command, package_.config);
    result_.model_cycles += profile.main.datapath_cycles + profile.drain.datapath_cycles;
    result_.rtl_cycles += block_.cycle() - begin_cycle - kIdleCycles;
  }
  result_.command_cycles.push_back({operands.command_idx, "mac_array", result_.rtl_cycles - rtl_cycles});
  if (is_drawn) options_.wave->ran(operands.command_idx, begin_cycle, block_.cycle() - kIdleCycles);
  block_.draw(options_.wave == nullptr);
  if (command.last) {
    if (options_.has_pairs && options_.memory == nullptr) is_different |= run_again(group);
    before_ = std::exchange(running_, {});
  }
  if (is_different) count_different(operands.command_idx, reduction_cycle_, group);
}

/// One command, whose streams come from npu_agu and an SRAM.
LockStepResult RtlDatapath::run_with_memory(Sequence sequence) {
  const MacCommand command = sequence.works.front().mac();
  const std::string name = sequence.names.front();
  sequence.pace = ArrayPace::Memory;
  options_.memory->prepare(command);
  try {
    lock_step_.run_sequence(std::move(sequence));
  } catch (const Hang& hang) {
    options_.memory->rethrow(hang);
  }
  while (!options_.memory->is_written()) lock_step_.idle(1);
  options_.memory->end_command();
  lock_step_.idle(kIdleCycles);
  LockStepResult found = lock_step_.take_result();
  found.add(options_.memory->take_findings(name));
  ++result_.memory_commands;
  if (!options_.memory->is_ideal()) {
    found.model_cycles = timing::profile(command, package_.config).cycles_alone();
    found.rtl_cycles = options_.memory->cycles();
  }
  return found;
}

/// Whether there was a mismatch.
bool RtlDatapath::compare(Sequence sequence, NetworkGroup& group) {
  LockStepResult found;
  const bool is_first = sequence.works.front().mac().first, is_whole = is_first && sequence.works.front().mac().last;
  if (is_first || lock_step_.keeps_accumulators()) {
    const bool wants_words = !group.first_mismatch || result_.first_mismatches.size() < kMostMessages;
    sequence.most_described = wants_words ? kMostMessages : 0;
    try {
      if (options_.memory != nullptr && is_whole) {
        found = run_with_memory(std::move(sequence));
      } else {
        sequence.idle_cycles = kIdleCycles;
        lock_step_.run_sequence(std::move(sequence));
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
                  .command = sequence.names.front(),
                  .words = "its sums were lost when the block was reset after the slice before"});
  }
  count(found, group);
  result_.bins_hit = lock_step_.coverage().num_hit();
  return found.mismatches > 0;  // those of cycles are among them, unless cycles may differ
}

/// What no token keeps apart: the command after the one before, and its slices up to the first one that waits.
bool RtlDatapath::run_again(NetworkGroup& group) {
  Sequence again;
  const bool follows = !running_.waits.front() && !before_.works.empty();
  if (follows) {
    again.works = before_.works;
    again.names = before_.names;
  }
  int64_t slices = 1;
  while (slices < std::ssize(running_.waits) && !running_.waits[static_cast<size_t>(slices)]) ++slices;
  again.works.insert(again.works.end(), running_.works.begin(), running_.works.begin() + slices);
  again.names.insert(again.names.end(), running_.names.begin(), running_.names.begin() + slices);
  if (again.works.size() == 1) return false;
  result_.pairs += slices - 1 + (follows ? 1 : 0);
  for (std::string& name : again.names) name += ", in a pair";
  return compare(std::move(again), group);
}

void RtlDatapath::show_progress(int64_t cycles) {
  if (!options_.progress) return;
  done_cycles_ += cycles;
  options_.progress({done_cycles_, all_cycles_, result_.mismatches()});
}

}  // namespace vernier::cosim
