// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/part_costs.hpp"

#include "compiler/schedule/access.hpp"

#include <algorithm>
#include <utility>

namespace vernier::schedule {
namespace {

/// What a command costs beside its cycles on the unit: issue of the next one, and for a slice the wait for the one before.
constexpr int64_t kCommandOverheadCycles = 8;

/// Whether the weights of each slice begin where those of the first do: a copy for the last one has room for all.
bool grows_with_slices(const passes::Step& step) {
  const auto* mac = std::get_if<spec::MacCommand>(&step.command.body);
  return mac != nullptr && mac->weight_order != spec::WeightOrder::Tiles && mac->kernel_rows * mac->kernel_columns != 1;
}

/// Positions of its map that a part of the array's outputs reads along one axis.
int64_t positions_read(const spec::MacCommand& mac, Axis axis, int64_t first, int64_t count) {
  const bool is_rows = axis == kRows;
  const int64_t stride = is_rows ? mac.stride_rows : mac.stride_columns;
  const int64_t reach =
      is_rows ? (mac.kernel_rows - 1) * mac.dilation_rows : (mac.kernel_columns - 1) * mac.dilation_columns;
  const int64_t begin = (is_rows ? mac.origin_row : mac.origin_column) + first * stride;
  const int64_t end = begin + (count - 1) * stride + reach + 1;
  return std::max<int64_t>(0, std::min(end, is_rows ? mac.in_rows : mac.in_columns) - std::max<int64_t>(begin, 0));
}

/// Where the part begins that stands for all of a cut. Not the first one, which may lie in padding: what those in the middle
/// read is whole, and they are as large. Unless padding is so wide on one side of the map that they lie in it: then the part
/// that reads the middle of the map.
int64_t begin_of_middle(const passes::Step& step, Axis axis, int64_t size, int64_t whole) {
  const int64_t middle = (base::ceil_div(whole, size) - 1) / 2 * size;
  const auto* mac = std::get_if<spec::MacCommand>(&step.command.body);
  if (mac == nullptr || (axis != kRows && axis != kColumns)) return middle;
  const bool is_rows = axis == kRows;
  const int64_t centre =
      ((is_rows ? mac->in_rows : mac->in_columns) - 1) / 2 - (is_rows ? mac->origin_row : mac->origin_column);
  const int64_t reads_centre =
      std::clamp<int64_t>(centre / (is_rows ? mac->stride_rows : mac->stride_columns), 0, whole - 1) / size * size;
  const auto read = [&](int64_t at) { return positions_read(*mac, axis, at, std::min(size, whole - at)); };
  return read(reads_centre) > 2 * read(middle) ? reads_centre : middle;
}

passes::Step bare(const passes::Step& step) {
  passes::Step result;
  result.command = step.command;
  result.operands = step.operands;
  return result;
}

}  // namespace

passes::Step largest_part(const passes::Step& step, std::span<const Cut> cuts, const spec::Datapath& datapath, Slice slice) {
  passes::Step part = step;
  for (const Cut& cut : cuts) {
    const int64_t whole = extent_of(part, cut.axis, datapath), size = std::min(cut.size, whole);
    int64_t at = begin_of_middle(part, cut.axis, size, whole);
    if (slice == Slice::Last && cut.axis == kReduction) at = (whole - 1) / size * size;
    part = part_of(part, cut.axis, at, std::min(size, whole - at), datapath);
  }
  return part;
}

int64_t stage_align_bytes(const spec::Datapath& datapath) { return datapath.word_bytes() * spec::kNumSramBanks; }

PartCosts::PartCosts(const passes::Step& step, const config::MachineConfig& config, KnownTimes& times,
                     OperandSet may_be_copied)
    : step_(step),
      config_(config),
      times_(times),
      may_be_copied_(may_be_copied),
      bare_(bare(step)),
      divisor_(step_divisor(step)),
      largest_slice_(grows_with_slices(step) ? Slice::Last : Slice::Middle) {
  measure(whole_);
}

const std::vector<PartCosts::Part*>& PartCosts::nest(std::span<const Cut> cuts) {
  nest_.assign(1, &whole_);
  for (const Cut& cut : cuts) {
    Part& outer = *nest_.back();
    if (cut.size >= outer.extent(cut.axis)) continue;
    std::unique_ptr<Part>& part = outer.inner[cut];
    if (part == nullptr) {
      part = std::make_unique<Part>();
      part->cuts = outer.cuts;
      part->cuts.push_back(cut);
      measure(*part);
    }
    nest_.push_back(part.get());
  }
  return nest_;
}

passes::Step PartCosts::step_of(const Part& part, Slice slice) const {
  return largest_part(bare_, part.cuts, config_.datapath, slice);
}

/// Calls visit(operand index, access, compaction) for the operands that a part uses.
template <typename Visit>
void PartCosts::for_each_copy(const passes::Step& part, const Visit& visit) const {
  const std::vector<package::Range> ranges = package::ranges_of(part.command, config_.datapath);
  for (size_t i = 0; i < part.operands.size(); ++i) {
    if (!may_be_copied_.has(i)) continue;
    const Access access = access_of(ranges, part, part.operands[i]);
    if (access.ranges.empty()) continue;
    const KeptApart apart = blocks_kept_apart(part.command, part.operands[i], config_.datapath);
    visit(i, access, Compaction(access, config_.datapath, divisor_, apart));
  }
}

void PartCosts::measure(Part& part) const {
  const passes::Step step = step_of(part, largest_slice_);
  for (Axis axis = 0; axis < kNumAxes; ++axis) {
    part.extents[static_cast<size_t>(axis)] = extent_of(step, axis, config_.datapath);
  }
  part.bytes.assign(step.operands.size(), 0);
  for_each_copy(step, [&](size_t i, const Access&, const Compaction& compaction) {
    part.bytes[i] = base::round_up(compaction.size_bytes(), stage_align_bytes(config_.datapath));
  });
}

PartCosts::CopyCycles PartCosts::copy_cycles(Part& part, size_t operand) {
  if (part.copy_cycles.empty()) {
    part.copy_cycles.resize(step_.operands.size());
    for_each_copy(step_of(part, Slice::Middle), [&](size_t i, const Access& access, const Compaction& compaction) {
      CopyCycles& cycles = part.copy_cycles[i];
      for (const spec::DmaCommand& copy : copies_of(access, compaction, !access.is_write)) {
        (access.is_write ? cycles.store : cycles.load) += times_.profile(copy, config_).main.cycles;
      }
    });
  }
  return part.copy_cycles[operand];
}

int64_t PartCosts::compute_cycles(Part& part) {
  if (part.compute_cycles < 0) {
    const timing::Profile profile = times_.profile(step_of(part, Slice::Middle).command, config_);
    part.compute_cycles = std::max(profile.main.cycles, profile.drain.cycles) + kCommandOverheadCycles;
  }
  return part.compute_cycles;
}

}  // namespace vernier::schedule
