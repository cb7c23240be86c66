// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/outside.hpp"

#include "compiler/schedule/runs.hpp"
#include "hw/base/error.hpp"
#include "hw/package/range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace vernier::schedule {
namespace {

using base::MemorySpace;
using passes::AddressField;

/// The name that hw/package/range.hpp gives the ranges of an operand.
std::string range_name(const passes::Operand& operand) {
  switch (operand.field) {
    case AddressField::Input: return "input";
    case AddressField::Weights: return "weights";
    case AddressField::Parameters: return "parameters";
    case AddressField::Addend: return "addend";
    case AddressField::Output: return "output";
    case AddressField::Source: return "source";
    case AddressField::Destination: return "destination";
    case AddressField::Indices: return "indices";
    case AddressField::Stream0: return fmt::format("stream {}", operand.stream_idx);
  }
  return "";
}

/// What a command reads or writes through one operand, as offsets in its buffer.
struct Access {
  bool is_write = false;
  std::vector<RunBox> boxes;
  Span interval;
};

Access access_of(const std::vector<package::Range>& ranges, const passes::Operand& operand) {
  Access access;
  std::vector<Run> runs;
  const std::string name = range_name(operand);
  for (const package::Range& range : ranges) {
    if (range.what != name || (range.storage != package::Storage::Sram && range.storage != package::Storage::External))
      continue;
    access.is_write = range.is_write;
    package::for_each_run(range, [&](int64_t offset, int64_t bytes) { runs.push_back({offset, bytes}); });
  }
  access.boxes = boxes_of(std::move(runs));
  access.interval = {std::numeric_limits<int64_t>::max(), 0};
  for (const RunBox& box : access.boxes) {
    access.interval.begin = std::min(access.interval.begin, box.begin);
    access.interval.end = std::max(access.interval.end, box.end());
  }
  return access;
}

passes::Step make_copy(const RunBox& box, passes::BufferId buffer, bool is_load, const std::vector<ir::OpId>& ops) {
  spec::DmaCommand dma;
  dma.run_bytes = box.run_bytes;
  constexpr size_t kFirst = spec::kNumDmaLoops - RunBox::kDims;
  for (size_t d = 0; d < RunBox::kDims; ++d) {
    dma.counts[kFirst + d] = box.counts[d];
    dma.src.strides_bytes[kFirst + d] = dma.dst.strides_bytes[kFirst + d] = box.strides[d];
  }
  dma.src.base = {is_load ? MemorySpace::External : MemorySpace::Sram, static_cast<uint64_t>(box.begin)};
  dma.dst.base = {is_load ? MemorySpace::Sram : MemorySpace::External, static_cast<uint64_t>(box.begin)};
  passes::Step step;
  step.command = {{is_load ? spec::Queue::Dma0 : spec::Queue::Dma1, 0, 0}, dma};
  step.operands = {{AddressField::Source, 0, buffer}, {AddressField::Destination, 0, buffer}};
  step.ops = ops;
  step.can_split_rows = false;
  return step;
}

/// A copy between a buffer's home and SRAM: stage -1 is the buffer's own block there.
LinearCommand link_copy(passes::Step step, bool is_load, int32_t stage) {
  LinearCommand command{std::move(step), {}, -1};
  const AddressField outside = is_load ? AddressField::Source : AddressField::Destination;
  const AddressField inside = is_load ? AddressField::Destination : AddressField::Source;
  command.uses.push_back({outside, 0, StageUse::kHome});
  if (stage >= 0) command.uses.push_back({inside, 0, stage});
  return command;
}

/// A command with the copies that belong to it.
struct Item {
  std::vector<LinearCommand> loads;
  LinearCommand command;
  std::vector<LinearCommand> stores;
  std::vector<passes::BufferId> reads, writes;  // buffers outside
};

class Copier {
 public:
  Copier(LinearProgram linear, const passes::Program& program, const std::vector<bool>& is_outside,
         const spec::Datapath& datapath)
      : program_(program), is_outside_(is_outside), datapath_(datapath) {
    out_.stages = std::move(linear.stages);
    find_edges(linear.commands);
    for (size_t i = 0; i < linear.commands.size(); ++i) make_item(std::move(linear.commands[i]), i);
  }

  LinearProgram order(int64_t ahead) {
    size_t next_load = 0;
    for (size_t i = 0; i < items_.size(); ++i) {
      for (; next_load < items_.size() && next_load <= i + static_cast<size_t>(ahead); ++next_load) {
        if (next_load > i && is_written_between(i, next_load)) break;
        append(items_[next_load].loads);
      }
      out_.commands.push_back(std::move(items_[i].command));
      append(items_[i].stores);
    }
    return std::move(out_);
  }

 private:
  /// First and last command of each buffer that stays in SRAM but has a home outside.
  void find_edges(const std::vector<LinearCommand>& commands) {
    first_use_.assign(program_.buffers.size(), -1);
    last_use_.assign(program_.buffers.size(), -1);
    for (size_t i = 0; i < commands.size(); ++i) {
      for (const passes::Operand& operand : commands[i].step.operands) {
        const auto id = static_cast<size_t>(operand.buffer);
        if (program_.buffers[id].is_constant() || is_outside_[id]) continue;
        if (first_use_[id] < 0) first_use_[id] = static_cast<int64_t>(i);
        last_use_[id] = static_cast<int64_t>(i);
      }
    }
  }

  void make_item(LinearCommand command, size_t index) {
    Item item;
    const std::vector<package::Range> ranges = package::ranges_of(command.step.command, datapath_);
    for (const passes::Operand& operand : command.step.operands) {
      const auto id = static_cast<size_t>(operand.buffer);
      if (program_.buffers[id].is_constant()) continue;
      if (is_outside_[id] && reaches_outside(command.step, operand)) {
        use_outside(item, command, operand);
      } else if (is_outside_[id]) {
        stage_operand(item, command, operand, access_of(ranges, operand));
      } else {
        copy_at_edges(item, command, operand.buffer, index);
      }
    }
    item.command = std::move(command);
    items_.push_back(std::move(item));
  }

  static void use_outside(Item& item, LinearCommand& command, const passes::Operand& operand) {
    reach_outside(command.step, operand);
    command.uses.push_back({operand.field, operand.stream_idx, StageUse::kHome});
    (operand.field == AddressField::Destination ? item.writes : item.reads).push_back(operand.buffer);
  }

  void stage_operand(Item& item, LinearCommand& command, const passes::Operand& operand, const Access& access) {
    const auto stage = static_cast<int32_t>(out_.stages.size());
    Span interval = access.interval;
    if (const auto* mac = std::get_if<spec::MacCommand>(&command.step.command.body);
        mac != nullptr && operand.field == AddressField::Input) {
      // All taps of a stripe may lie in padding: nothing is loaded, but the map has an address.
      if (access.boxes.empty()) interval = {mac->input.base, mac->input.base + 1};
      interval.begin = std::min(interval.begin, mac->input.base);  // dilated taps may pass over the first rows of the map
    }
    out_.stages.push_back({operand.buffer, interval});
    command.uses.push_back({operand.field, operand.stream_idx, stage});
    for (const RunBox& box : access.boxes) {
      LinearCommand copy =
          link_copy(make_copy(box, operand.buffer, !access.is_write, command.step.ops), !access.is_write, stage);
      (access.is_write ? item.stores : item.loads).push_back(std::move(copy));
    }
    (access.is_write ? item.writes : item.reads).push_back(operand.buffer);
  }

  void copy_at_edges(Item& item, const LinearCommand& command, passes::BufferId buffer, size_t index) {
    const auto id = static_cast<size_t>(buffer);
    const RunBox whole = whole_box(program_.buffers[id].size_bytes);
    if (program_.buffers[id].is_filled_at_start && first_use_[id] == static_cast<int64_t>(index)) {
      item.loads.push_back(link_copy(make_copy(whole, buffer, true, command.step.ops), true, -1));
      first_use_[id] = -1;  // once, though a command may name it twice
    }
    if (program_.buffers[id].is_read_at_end && last_use_[id] == static_cast<int64_t>(index)) {
      item.stores.push_back(link_copy(make_copy(whole, buffer, false, command.step.ops), false, -1));
      last_use_[id] = -1;
    }
  }

  /// Whether a command from `first` on, before `load_of`, writes a buffer that the loads of `load_of` read.
  [[nodiscard]] bool is_written_between(size_t first, size_t load_of) const {
    for (const passes::BufferId buffer : items_[load_of].reads) {
      for (size_t i = first; i < load_of; ++i) {
        if (std::find(items_[i].writes.begin(), items_[i].writes.end(), buffer) != items_[i].writes.end()) return true;
      }
    }
    return false;
  }

  void append(std::vector<LinearCommand>& commands) {
    for (LinearCommand& command : commands) out_.commands.push_back(std::move(command));
  }

  const passes::Program& program_;
  const std::vector<bool>& is_outside_;
  const spec::Datapath& datapath_;
  std::vector<int64_t> first_use_, last_use_;
  std::vector<Item> items_;
  LinearProgram out_;
};

}  // namespace

LinearProgram add_copies(LinearProgram linear, const passes::Program& program, const std::vector<bool>& is_outside,
                         const spec::Datapath& datapath, int64_t ahead) {
  return Copier(std::move(linear), program, is_outside, datapath).order(ahead);
}

}  // namespace vernier::schedule
