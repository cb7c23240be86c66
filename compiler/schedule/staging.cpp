// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/staging.hpp"

#include "compiler/schedule/access.hpp"
#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::schedule {
namespace {

using base::MemorySpace;
using passes::AddressField;

LinearCommand make_copy(spec::DmaCommand dma, bool is_load, passes::BufferId buffer, int32_t stage,
                        const std::vector<ir::OpId>& ops) {
  LinearCommand copy;
  copy.step.command = {{is_load ? spec::Queue::Dma0 : spec::Queue::Dma1, 0, 0}, dma};
  copy.step.operands = {{AddressField::Source, 0, buffer}, {AddressField::Destination, 0, buffer}};
  copy.step.ops = ops;
  const AddressField outside = is_load ? AddressField::Source : AddressField::Destination;
  const AddressField inside = is_load ? AddressField::Destination : AddressField::Source;
  copy.uses.push_back({outside, 0, StageUse::kHome});
  if (stage >= 0) copy.uses.push_back({inside, 0, stage});
  return copy;
}

/// A step on its way down the nest: as it is in the buffers, and as it works on the copies made so far.
struct Part {
  passes::Step plain, staged;
};

class Expansion {
 public:
  Expansion(Items& made, const passes::Step& step, const Tiling& tiling, const StagingContext& context)
      : items_(made.items),
        stages_(made.stages),
        step_(step),
        tiling_(tiling),
        context_(context),
        datapath_(context.config.datapath) {
    copies_.resize(step.operands.size());
  }

  void run(OperandSet at_home) {
    Part part{step_, step_};
    for (size_t i = 0; i < step_.operands.size(); ++i) {
      if (!at_home.has(i)) continue;
      copies_[i].stage = StageUse::kHome;
      copies_[i].is_used = true;
      auto& dma = std::get<spec::DmaCommand>(part.staged.command.body);
      (step_.operands[i].field == AddressField::Source ? dma.src : dma.dst).base.space = MemorySpace::External;
    }
    visit(std::move(part), 0);
  }

 private:
  /// What stands for an operand at present.
  struct Copy {
    bool is_used = false;
    int32_t stage = -1;
    std::optional<Compaction> compaction;
  };

  void visit(Part part, size_t level) {
    std::vector<LinearCommand> stores;
    stage_operands(part, static_cast<int32_t>(level), stores);
    if (level == tiling_.cuts.size()) {
      add_leaf(part);
    } else {
      const Cut& cut = tiling_.cuts[level];
      const int64_t extent = extent_of(part.plain, cut.axis, datapath_);
      for (int64_t at = 0; at < extent; at += cut.size) {
        const int64_t count = std::min(cut.size, extent - at);
        visit({part_of(part.plain, cut.axis, at, count, datapath_), part_of(part.staged, cut.axis, at, count, datapath_)},
              level + 1);
      }
    }
    for (LinearCommand& store : stores) items_.back().stores.push_back(std::move(store));
  }

  void stage_operands(Part& part, int32_t level, std::vector<LinearCommand>& stores) {
    if (std::find(tiling_.level.begin(), tiling_.level.end(), level) == tiling_.level.end()) return;
    const std::vector<package::Range> ranges = package::ranges_of(part.plain.command, datapath_);
    std::vector<ConstantSpan> spans;
    for (size_t i = 0; i < step_.operands.size(); ++i) {
      if (tiling_.level[i] != level) continue;
      const passes::Operand& operand = step_.operands[i];
      const Access access = access_of(ranges, part.plain, operand);
      copies_[i] = {};
      if (access.ranges.empty()) continue;
      const Compaction compaction(access, datapath_, step_divisor(step_),
                                  blocks_kept_apart(part.plain.command, operand, datapath_));
      move_operand(part.staged, operand, compaction);
      copies_[i].is_used = true;
      copies_[i].compaction = compaction;
      const int64_t in_image = context_.image.offset_bytes[operand.buffer];
      if (in_image >= 0 && access.end - access.begin == compaction.size_bytes() && access.ranges.size() == 1) {
        spans.push_back({{in_image + access.begin, in_image + access.end}, i});
        continue;
      }
      copies_[i].stage = add_stage(operand.buffer, access.begin, access.end, compaction.size_bytes());
      for (const spec::DmaCommand& dma : copies_of(access, compaction, !access.is_write)) {
        (access.is_write ? stores : loads_)
            .push_back(make_copy(dma, !access.is_write, operand.buffer, copies_[i].stage, step_.ops));
      }
    }
    load_constants(part, std::move(spans));
  }

  struct ConstantSpan {
    Span span;
    size_t operand;
  };

  /// Constants that lie side by side in the image come in one load.
  void load_constants(Part& part, std::vector<ConstantSpan> spans) {
    std::sort(spans.begin(), spans.end(), [](const ConstantSpan& a, const ConstantSpan& b) { return a.span < b.span; });
    for (size_t first = 0; first < spans.size();) {
      Span joined = spans[first].span;
      size_t last = first + 1;
      while (last < spans.size() && spans[last].span.begin - joined.end < kConstantAlignBytes) {
        joined.end = std::max(joined.end, spans[last].span.end);
        ++last;
      }
      const passes::BufferId buffer = step_.operands[spans[first].operand].buffer;
      const int64_t in_image = context_.image.offset_bytes[buffer];
      const int32_t stage = add_stage(buffer, joined.begin - in_image, joined.end - in_image, joined.end - joined.begin);
      spec::DmaCommand dma;
      dma.run_bytes = joined.end - joined.begin;
      dma.src.base = {MemorySpace::External, static_cast<uint64_t>(joined.begin - in_image)};
      loads_.push_back(make_copy(dma, true, buffer, stage, step_.ops));
      for (; first < last; ++first) {
        copies_[spans[first].operand].stage = stage;
        relocate(part.staged.command, step_.operands[spans[first].operand], spans[first].span.begin - joined.begin);
      }
    }
  }

  int32_t add_stage(passes::BufferId buffer, int64_t begin, int64_t end, int64_t size_bytes) {
    const passes::Buffer& source = context_.program.buffers[buffer];
    stages_.push_back({fmt::format("{} {}..{}", source.name, begin, end), size_bytes, source.is_constant()});
    return static_cast<int32_t>(stages_.size()) - 1;
  }

  void add_leaf(const Part& part) {
    const std::vector<passes::Step> stripes = context_.stripes(part.staged);
    int64_t row = 0;
    for (const passes::Step& stripe : stripes) {
      const int64_t rows = stripes.size() == 1 ? 0 : extent_of(stripe, kRows, datapath_);
      if (rows == 0) {
        add_command(stripe, part.plain);
      } else {
        add_command(stripe, part_of(part.plain, kRows, row, rows, datapath_));
      }
      row += rows;
    }
  }

  void add_command(const passes::Step& staged, const passes::Step& plain) {
    Item& item = items_.emplace_back();
    item.command.step = staged;
    passes::Step& step = item.command.step;
    const std::vector<package::Range> ranges = package::ranges_of(plain.command, datapath_);
    step.operands.clear();
    for (size_t i = 0; i < step_.operands.size(); ++i) {
      if (access_of(ranges, plain, step_.operands[i]).ranges.empty()) {
        clear_field(step, step_.operands[i]);
        continue;
      }
      step.operands.push_back(step_.operands[i]);
      if (copies_[i].is_used) {
        item.command.uses.push_back({step_.operands[i].field, step_.operands[i].stream_idx, copies_[i].stage});
      }
    }
    const bool is_whole = tiling_.cuts.empty();
    step.productions =
        is_whole ? staged.productions : productions_of(plain, step_, context_.program, context_.graph, datapath_);
    for (const passes::Production& production : step.productions) {
      item.command.placements.push_back(placement_of(plain, ranges, production));
    }
    item.loads = std::move(loads_);
    loads_.clear();
  }

  /// A field that a slice of a reduction does not use.
  static void clear_field(passes::Step& step, const passes::Operand& operand) {
    relocate(step.command, operand, -field_of(step, operand));
  }

  [[nodiscard]] std::optional<StagedPlacement> placement_of(const passes::Step& plain,
                                                            const std::vector<package::Range>& ranges,
                                                            const passes::Production& production) const {
    const passes::TensorPlace& place = *context_.program.places[production.tensor];
    const base::ElementType type = context_.graph.tensor(production.tensor).type;
    const int64_t first = package::offset_of(place.placement, production.begin, type);
    for (size_t i = 0; i < step_.operands.size(); ++i) {
      if (step_.operands[i].buffer != place.buffer || !copies_[i].compaction) continue;
      const Access access = access_of(ranges, plain, step_.operands[i]);
      if (!access.is_write || first < access.begin || first >= access.end) continue;
      StagedPlacement staged{copies_[i].stage, place.placement};
      staged.placement.base = {MemorySpace::Sram, 0};
      for (size_t d = 0; d < staged.placement.strides_bytes.size(); ++d) {
        int64_t& stride = staged.placement.strides_bytes[d];
        const int64_t step = production.extent[d] > 1 ? production.step_of(d) : 1;
        const int64_t of_step = copies_[i].compaction->stride(stride * step);
        VERNIER_CHECK(of_step % step == 0, "a step of {} elements takes {} bytes in a copy", step, of_step);
        stride = of_step / step;
      }
      staged.placement.block_pitch_bytes = copies_[i].compaction->stride(place.placement.block_pitch_bytes);
      const int64_t offset = copies_[i].compaction->offset(first);
      staged.placement.base.offset =
          static_cast<uint64_t>(offset - package::offset_of(staged.placement, production.begin, type));
      return staged;
    }
    return std::nullopt;
  }

  std::vector<Item>& items_;
  std::vector<Stage>& stages_;
  const passes::Step& step_;
  const Tiling& tiling_;
  const StagingContext& context_;
  const spec::Datapath& datapath_;
  std::vector<Copy> copies_;          // by operand
  std::vector<LinearCommand> loads_;  // for the next command
};

}  // namespace

void append_items(Items& made, const passes::Step& step, const Tiling& tiling, OperandSet at_home,
                  const StagingContext& context) {
  Expansion(made, step, tiling, context).run(at_home);
}

LinearCommand whole_copy(const passes::Program& program, passes::BufferId buffer, bool is_load,
                         const std::vector<ir::OpId>& ops) {
  spec::DmaCommand dma;
  dma.run_bytes = program.buffers[buffer].size_bytes;
  (is_load ? dma.src : dma.dst).base.space = MemorySpace::External;
  return make_copy(dma, is_load, buffer, -1, ops);
}

}  // namespace vernier::schedule
