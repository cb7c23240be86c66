// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/core/core_network.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/range.hpp"
#include "sim/units/copy_walk.hpp"
#include "sim/units/indexed_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace vernier::cosim {
namespace {

constexpr std::array<std::string_view, CoreJob::kNumUnits> kUnitNames{"mac_array", "vector_unit", "dma", "dma"};

/// The runs of a command's ranges in SRAM, with their bytes there.
std::vector<DmaJob::Run> runs_of(const spec::Command& command, const spec::Datapath& datapath, bool is_write,
                                 std::span<const std::byte> sram) {
  std::vector<DmaJob::Run> runs;
  for (const package::Range& range : package::ranges_of(command, datapath)) {
    if (range.is_write != is_write || range.storage != package::Storage::Sram) continue;
    package::for_each_run(range, [&](int64_t offset, int64_t bytes) {
      const auto run = sram.subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
      runs.push_back({offset, {run.begin(), run.end()}});
    });
  }
  return runs;
}

std::span<const std::byte> part_of(std::span<const std::byte> bytes, int64_t offset, int64_t num_bytes) {
  return bytes.subspan(static_cast<size_t>(offset), static_cast<size_t>(num_bytes));
}

/// Calls visit(source offset, destination offset, bytes) for each run of a copy; IndexedRun::kNowhere for an end that an
/// index outside of its limit takes away.
template <typename Visit>
void for_each_copied_run(const spec::DmaCommand& dma, std::span<const std::byte> index_list, Visit&& visit) {
  if (units::has_indices(dma)) {
    for (const units::IndexedRun& run : units::indexed_runs(dma, index_list)) visit(run.src, run.dst, dma.run_bytes);
    return;
  }
  const units::CopyWalk walk(dma);
  walk.for_each([&](int64_t src, int64_t dst) { visit(src, dst, walk.run_bytes()); });
}

}  // namespace

double CoreCommand::percent_apart() const {
  return 100.0 * static_cast<double>(cycles() - model_cycles()) /
         static_cast<double>(std::max(model_cycles(), kShortCycles));
}

const CoreCommand* CoreResult::worst_command() const {
  const CoreCommand* worst = nullptr;
  for (const CoreCommand& command : commands) {
    if (command.unit == "dma") continue;
    if (worst == nullptr || std::abs(command.percent_apart()) > std::abs(worst->percent_apart())) worst = &command;
  }
  return worst;
}

CoreNetwork::CoreNetwork(const package::Package& package, const Commands& records)
    : package_(package), records_(records), commands_(package::stream_commands(package)) {
  VERNIER_CHECK(package.flow.steps.empty(), "a package with control flow has no one order of commands");
  std::vector<int32_t> order(commands_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int32_t idx) { return records_[idx].start_cycle; });
  for (const int32_t idx : order) {
    std::optional<CoreJob> job = job_of(idx);
    if (!job) continue;
    if (job->unit() >= 2) dma_by_end_.emplace(records_[idx].end_cycle, jobs_.size());
    jobs_.push_back(std::move(*job));
    command_of_job_.push_back(idx);
    last_end_ = std::max(last_end_, records_[idx].end_cycle);
  }
  index_lists_.resize(jobs_.size());
  add_order();
}

const spec::Command& CoreNetwork::command_of(size_t job) const {
  return commands_[static_cast<size_t>(command_of_job_[job])].command;
}

/// What the DMA moves is filled in later.
std::optional<CoreJob> CoreNetwork::job_of(int32_t command_idx) const {
  const spec::Command& command = commands_[static_cast<size_t>(command_idx)].command;
  const units::CommandRecord& record = records_[command_idx];
  CoreJob job;
  job.earliest_cycle = record.start_cycle;
  if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) {
    job.command = *mac;
  } else if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body)) {
    job.command = *vector;
  } else if (std::holds_alternative<spec::DmaCommand>(command.body)) {
    DmaJob dma;
    dma.channel = record.queue == spec::Queue::Dma1 ? 1 : 0;
    dma.cycles = record.end_cycle - record.start_cycle;
    job.command = std::move(dma);
  } else {
    return std::nullopt;
  }
  return job;
}

/// What ended in the model so long before another command started that a token could order the two does so here too.
/// Commands of one unit that follow each other sooner are kept in order by the unit. Commands of a unit end in their order,
/// so that the last one of each is enough.
void CoreNetwork::add_order() {
  std::array<std::vector<size_t>, CoreJob::kNumUnits> of_unit;
  for (size_t i = 0; i < jobs_.size(); ++i) of_unit[jobs_[i].unit()].push_back(i);
  const auto end_of = [&](size_t job) { return records_[command_of_job_[job]].end_cycle; };
  for (CoreJob& later : jobs_) {
    const int64_t latest_end = later.earliest_cycle - spec::kTokenCycles;
    for (const std::vector<size_t>& earlier : of_unit) {
      const auto behind = std::ranges::upper_bound(earlier, latest_end, {}, end_of);
      if (behind != earlier.begin()) later.after.push_back({*std::prev(behind), spec::kTokenCycles});
    }
  }
}

void CoreNetwork::fill(size_t job, std::span<const std::byte> sram) {
  auto& move = std::get<DmaJob>(jobs_[job].command);
  const spec::Command& command = command_of(job);
  const auto& dma = std::get<spec::DmaCommand>(command.body);
  move.reads.clear();
  move.writes.clear();
  if (units::has_indices(dma)) {
    const int64_t list_bytes = units::index_list_bytes(dma);
    const auto list = part_of(sram, dma.index_base, list_bytes);
    index_lists_[job].assign(list.begin(), list.end());
    move.reads.push_back({dma.index_base, index_lists_[job]});
    // The range of a scatter is all that it may write: only the runs whose indices it has are.
    const auto add = [&](const spec::DmaSide& side, int64_t offset, int64_t bytes, std::vector<DmaJob::Run>& runs) {
      if (side.base.space != base::MemorySpace::Sram || offset == units::IndexedRun::kNowhere) return;
      const auto run = part_of(sram, offset, bytes);
      runs.push_back({offset, {run.begin(), run.end()}});
    };
    for_each_copied_run(dma, list, [&](int64_t src, int64_t dst, int64_t bytes) {
      add(dma.src, src, bytes, move.reads);
      add(dma.dst, dst, bytes, move.writes);
    });
  } else {
    move.reads = runs_of(command, package_.config.datapath, false, sram);
    move.writes = runs_of(command, package_.config.datapath, true, sram);
  }
  if (dma.kind != spec::DmaKind::TableFill) return;
  move.table_slot = static_cast<size_t>(dma.table_slot);
  move.table.type = dma.table_type;
  std::ranges::copy(part_of(sram, static_cast<int64_t>(dma.src.base.offset), dma.run_bytes), move.table.bytes.begin());
}

void CoreNetwork::keep_last(const mem::StorageView& sram) {
  last_sram_.assign(sram.bytes().begin(), sram.bytes().begin() + std::ssize(is_last_written_));
  for (int64_t at = 0; at < std::ssize(last_sram_); ++at)
    is_last_written_[static_cast<size_t>(at)] = !sram.first_unwritten(at, 1);
}

void CoreNetwork::see_sram(int64_t cycle, const mem::StorageView& sram) {
  if (cycle == 0 && first_sram_.empty()) {
    int64_t peak = package_.sram_peak_bytes;
    for (const package::StreamCommand& command : commands_) {
      for (const package::Range& range : package::ranges_of(command.command, package_.config.datapath))
        if (range.storage == package::Storage::Sram) peak = std::max(peak, range.end());
    }
    peak = std::min(peak, sram.size_bytes());
    first_sram_.assign(sram.bytes().begin(), sram.bytes().begin() + peak);
    is_last_written_.resize(static_cast<size_t>(peak));
  }
  const auto [begin, end] = dma_by_end_.equal_range(cycle);
  for (auto at = begin; at != end; ++at) fill(at->second, sram.bytes());
  if (cycle >= last_end_) keep_last(sram);
}

std::string CoreNetwork::name_of_command(int32_t command_idx) const {
  if (command_idx < 0) return "the image";
  const int32_t layer = package::layer_of(package_, command_idx);
  const std::string name = layer < 0 ? "" : fmt::format(", layer '{}'", base::printable(package_.layers[layer].name));
  return fmt::format("command {}{}", command_idx, name);
}

void CoreNetwork::add_wrong(CoreResult& result, int32_t command_idx, int64_t num_bytes, const Mismatch& first) const {
  result.wrong_bytes += num_bytes;
  ++result.wrong_commands;
  if (result.first_mismatches.size() == CoreResult::kMostMismatches) return;
  Mismatch& kept = result.first_mismatches.emplace_back(first);
  kept.command = name_of_command(command_idx);
  kept.unit = spec::kCoreSramBlock.name;
  kept.operands = num_bytes == 1 ? "" : fmt::format("{} bytes are wrong", num_bytes);
}

/// What copies of the DMA read, against what they read in the model.
void CoreNetwork::compare_reads(const std::vector<CoreEdges>& edges, CoreResult& result) const {
  for (size_t i = 0; i < jobs_.size(); ++i) {
    const auto* dma = std::get_if<DmaJob>(&jobs_[i].command);
    if (dma == nullptr) continue;
    size_t at = 0;
    int64_t num_wrong = 0;
    Mismatch first;
    for (const DmaJob::Run& run : dma->reads) {
      for (size_t b = 0; b < run.bytes.size(); ++b, ++at) {
        const std::byte actual = edges[i].read_bytes[at];
        if (actual == run.bytes[b] || num_wrong++ > 0) continue;
        first.port = fmt::format("byte {} of SRAM, which it reads,", run.address + static_cast<int64_t>(b));
        first.expected = std::to_integer<int>(run.bytes[b]);
        first.actual = std::to_integer<int>(actual);
        first.cycle = edges[i].start;
      }
    }
    result.compared_bytes += static_cast<int64_t>(at);
    if (num_wrong > 0) add_wrong(result, command_of_job_[i], num_wrong, first);
  }
}

/// What stands in the SRAM at the end. A wrong byte is that of the last command that writes it.
void CoreNetwork::compare_sram(CoreResult& result) const {
  std::vector<bool> is_wrong(last_sram_.size());
  int64_t num_left = 0;
  for (size_t i = 0; i < last_sram_.size(); ++i) {
    if (!is_last_written_[i]) continue;
    ++result.compared_bytes;
    is_wrong[i] = result.sram[i] != last_sram_[i];
    num_left += is_wrong[i] ? 1 : 0;
  }
  if (num_left == 0) return;
  struct Wrong {
    int32_t command_idx;
    int64_t num_bytes, first;
  };
  std::vector<Wrong> found;
  const auto take = [&](int64_t begin, int64_t end, Wrong& wrong) {
    for (int64_t at = begin; at < end; ++at) {
      if (!is_wrong[static_cast<size_t>(at)]) continue;
      is_wrong[static_cast<size_t>(at)] = false;
      wrong.first = wrong.num_bytes++ == 0 ? at : std::min(wrong.first, at);
    }
  };
  std::vector<size_t> by_end(jobs_.size());
  std::iota(by_end.begin(), by_end.end(), size_t{0});
  std::ranges::stable_sort(by_end, std::greater<>(), [&](size_t job) { return records_[command_of_job_[job]].end_cycle; });
  for (const size_t job : by_end) {
    Wrong wrong{command_of_job_[job], 0, 0};
    for (const package::Range& range : package::ranges_of(command_of(job), package_.config.datapath)) {
      if (!range.is_write || range.storage != package::Storage::Sram) continue;
      package::for_each_run(range, [&](int64_t offset, int64_t bytes) { take(offset, offset + bytes, wrong); });
    }
    num_left -= wrong.num_bytes;
    if (wrong.num_bytes > 0) found.push_back(wrong);
    if (num_left == 0) break;
  }
  if (num_left > 0) take(0, std::ssize(is_wrong), found.emplace_back(Wrong{-1, 0, 0}));
  // The first command that goes wrong comes first.
  for (auto wrong = found.rbegin(); wrong != found.rend(); ++wrong) {
    Mismatch first;
    first.port = fmt::format("byte {} of SRAM", wrong->first);
    first.expected = std::to_integer<int>(last_sram_[static_cast<size_t>(wrong->first)]);
    first.actual = std::to_integer<int>(result.sram[static_cast<size_t>(wrong->first)]);
    add_wrong(result, wrong->command_idx, wrong->num_bytes, first);
  }
}

/// What the RTL's SRAM had where copies to the external memory read it.
void CoreNetwork::carry_out(const std::vector<CoreEdges>& edges, mem::Storage& external) const {
  std::vector<std::byte> source(last_sram_.size());
  for (size_t i = 0; i < jobs_.size(); ++i) {
    const auto* job = std::get_if<DmaJob>(&jobs_[i].command);
    if (job == nullptr) continue;
    const auto& dma = std::get<spec::DmaCommand>(command_of(i).body);
    if (dma.kind == spec::DmaKind::TableFill || dma.dst.base.space != base::MemorySpace::External) continue;
    const bool is_from_sram = dma.kind != spec::DmaKind::Fill && dma.src.base.space == base::MemorySpace::Sram;
    auto from = edges[i].read_bytes.begin();
    for (const DmaJob::Run& run : job->reads) {
      std::copy_n(from, run.bytes.size(), source.begin() + run.address);
      from += std::ssize(run.bytes);
    }
    for_each_copied_run(dma, index_lists_[i], [&](int64_t src, int64_t dst, int64_t bytes) {
      if (dst == units::IndexedRun::kNowhere) return;
      std::vector<std::byte> run(static_cast<size_t>(bytes));
      if (is_from_sram && src != units::IndexedRun::kNowhere) {
        std::ranges::copy(part_of(source, src, bytes), run.begin());
      } else if (dma.kind == spec::DmaKind::Fill) {
        for (int64_t b = 0; b < bytes; ++b)
          run[static_cast<size_t>(b)] =
              static_cast<std::byte>(static_cast<uint64_t>(dma.fill_value) >> (8 * (b % dma.fill_bytes)));
      } else if (src != units::IndexedRun::kNowhere) {
        std::ranges::copy(part_of(external.bytes(), src, bytes), run.begin());
      }
      external.write(dst, run);
    });
  }
}

CoreResult CoreNetwork::run(CoreSramBench& bench, mem::Storage& external, const CoreSramBench::Progress& progress) const {
  VERNIER_CHECK(jobs_.empty() || last_sram_.size() == first_sram_.size(), "the SRAM at the end has not been seen");
  bench.reset();
  bench.write(0, first_sram_);
  const std::vector<CoreEdges> edges = bench.run(jobs_, progress);
  CoreResult result;
  result.sram = bench.read(0, std::ssize(last_sram_));
  for (size_t i = 0; i < edges.size(); ++i) {
    const units::CommandRecord& record = records_[command_of_job_[i]];
    result.commands.push_back({command_of_job_[i], kUnitNames[jobs_[i].unit()], edges[i].start, edges[i].end,
                               record.start_cycle, record.end_cycle});
    result.total_cycles = std::max(result.total_cycles, edges[i].end);
    result.model_total_cycles = std::max(result.model_total_cycles, record.end_cycle);
  }
  std::ranges::sort(result.commands, {}, &CoreCommand::command_idx);
  compare_reads(edges, result);
  compare_sram(result);
  carry_out(edges, external);
  return result;
}

}  // namespace vernier::cosim
