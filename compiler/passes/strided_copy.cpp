// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/strided_copy.hpp"

#include "compiler/passes/loop_nest.hpp"
#include "compiler/passes/placements.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

constexpr size_t kSource = 0, kResult = 1;
constexpr size_t kMatrixLoops = 2;  // of a Transpose, the innermost ones
/// A matrix that is turned in one command holds up what waits for it: larger ones go in parts.
constexpr int64_t kLargestTurnBytes = 16384;

/// The loops of one or several commands that fill a box.
class BoxCopy {
 public:
  /// `result` -1: a box of no tensor.
  BoxCopy(Lowering& lowering, Step step, ir::TensorId result, const Box& box, base::ElementType type)
      : lowering_(lowering), step_(std::move(step)), result_(result), box_(box), element_bytes_(base::stored_bytes(type)) {}

  void add(const LoopNest& nest) {
    std::vector<LoopDim> loops = nest.loops;
    auto& dma = std::get<spec::DmaCommand>(step_.command.body);
    if (nest.lane.extent == 1 || (is_next(nest.lane, kSource) && is_next(nest.lane, kResult))) {
      dma.run_bytes = nest.lane.extent * element_bytes_;
    } else {
      dma.run_bytes = element_bytes_;
      const auto columns = std::find_if(loops.begin(), loops.end(), [&](const LoopDim& d) { return is_next(d, kSource); });
      if (columns != loops.end() && is_next(nest.lane, kResult)) {
        const LoopDim turned = *columns;
        loops.erase(columns);
        return add_turn(loops, nest.lane, turned);
      }
      loops.push_back(nest.lane);
    }
    add_loops(loops, {});
  }

 private:
  [[nodiscard]] bool is_next(const LoopDim& dim, size_t side) const { return dim.strides[side] == element_bytes_; }

  /// A matrix of `rows` by `columns`, columns of the source side by side.
  void add_turn(const std::vector<LoopDim>& outer, const LoopDim& rows, const LoopDim& columns) {
    auto& dma = std::get<spec::DmaCommand>(step_.command.body);
    dma.kind = spec::DmaKind::Transpose;
    const int64_t tile = std::max<int64_t>(1, lowering_.lanes() / element_bytes_);
    int64_t part = columns.extent;
    if (outer.empty() && columns.tensor_dim >= 0) {
      part = std::max(tile, base::round_up(kLargestTurnBytes / (rows.extent * element_bytes_), tile));
    }
    for (int64_t at = 0; at < columns.extent; at += part) {
      LoopDim some = columns;
      some.extent = std::min(part, columns.extent - at);
      BoxCopy copy = *this;
      if (some.extent < columns.extent) copy.shift(columns, at, some.extent);
      copy.add_loops(outer, {rows, some});
    }
  }

  /// Loops that the command has no room for become commands.
  void add_loops(const std::vector<LoopDim>& outer, const std::vector<LoopDim>& matrix) {
    if (outer.size() + matrix.size() > spec::kNumDmaLoops) {
      VERNIER_CHECK(outer[0].tensor_dim >= 0, "a copy with {} loops", outer.size() + matrix.size());
      for (int64_t i = 0; i < outer[0].extent; ++i) {
        BoxCopy copy = *this;
        copy.shift(outer[0], i, 1);
        copy.add_loops({outer.begin() + 1, outer.end()}, matrix);
      }
      return;
    }
    auto& dma = std::get<spec::DmaCommand>(step_.command.body);
    const auto set = [&](size_t at, const LoopDim& loop) {
      dma.counts[at] = loop.extent;
      dma.src.strides_bytes[at] = loop.strides[kSource];
      dma.dst.strides_bytes[at] = loop.strides[kResult];
    };
    for (size_t i = 0; i < outer.size(); ++i) set(i, outer[i]);
    for (size_t i = 0; i < matrix.size(); ++i) set(spec::kNumDmaLoops - kMatrixLoops + i, matrix[i]);
    const int32_t row_dim = outer.empty() ? -1 : outer[0].tensor_dim;
    step_.can_split_rows = row_dim >= 0;
    if (result_ >= 0) step_.productions = {{result_, box_.begin, box_.extent, row_dim, -1, box_.step}};
    lowering_.add_step(step_);
  }

  void shift(const LoopDim& loop, int64_t first, int64_t count) {
    auto& dma = std::get<spec::DmaCommand>(step_.command.body);
    dma.src.base.offset += static_cast<uint64_t>(first * loop.strides[kSource]);
    dma.dst.base.offset += static_cast<uint64_t>(first * loop.strides[kResult]);
    const auto d = static_cast<size_t>(loop.tensor_dim);
    box_.begin[d] += first * (box_.step.empty() ? 1 : box_.step[d]);
    box_.extent[d] = count;
  }

  Lowering& lowering_;
  Step step_;
  ir::TensorId result_;
  Box box_;
  int64_t element_bytes_ = 1;
};

PlacedOperand strided(const Box& box, base::ElementType type, std::vector<int64_t> strides) {
  return {{}, box.extent, type, std::move(strides)};
}

/// `to`: the elements of the box.
void add_box(Lowering& lowering, const CopySource& source, const CopySource& to, spec::DmaCommand dma, ir::TensorId result,
             const Box& box, base::ElementType type, const std::vector<ir::OpId>& ops) {
  dma.src.base.offset = static_cast<uint64_t>(source.offset_bytes);
  dma.dst.base.offset = static_cast<uint64_t>(to.offset_bytes);
  const std::vector<PlacedOperand> sides{strided(box, type, source.strides_bytes), strided(box, type, to.strides_bytes)};
  // A run has no lanes that could idle: rows of a copy stay apart unless they are short.
  const bool keep_rows = keeps_rows(lowering, base::num_elements(box.extent));
  Step step;
  step.command = {{spec::Queue::Dma1, 0, 0}, dma};
  step.operands = {{AddressField::Destination, 0, to.buffer}};
  if (dma.kind != spec::DmaKind::Fill) step.operands.push_back({AddressField::Source, 0, source.buffer});
  step.ops = ops;
  BoxCopy(lowering, std::move(step), result, box, type)
      .add(make_loop_nest(box.extent, -1, sides, 2 * lowering.lanes(), keep_rows));
}

/// The elements of a box of a placed tensor.
CopySource part_of(Lowering& lowering, ir::TensorId id, const Box& box) {
  CopySource part = source_of(lowering.view(id), lowering.shape(id), lowering.type(id));
  for (size_t d = 0; d < box.begin.size(); ++d) {
    part.offset_bytes += box.begin[d] * part.strides_bytes[d];
    if (!box.step.empty()) part.strides_bytes[d] *= box.step[d];
  }
  return part;
}

spec::DmaCommand fill_of(int64_t value, base::ElementType type) {
  spec::DmaCommand dma;
  dma.kind = spec::DmaKind::Fill;
  dma.fill_value = value;
  dma.fill_bytes = base::stored_bytes(type);
  return dma;
}

}  // namespace

Box whole_box(const base::Shape& shape) { return {base::Shape(shape.size(), 0), shape, {}}; }

CopySource source_of(const TensorPlace& place, const base::Shape& shape, base::ElementType type) {
  VERNIER_CHECK(!has_planes(place.placement, shape, type), "a copy of planes");
  CopySource source{place.buffer, static_cast<int64_t>(place.placement.base.offset), place.placement.strides_bytes};
  if (!shape.empty()) source.strides_bytes.push_back(base::stored_bytes(type));
  return source;
}

void add_box_copy(Lowering& lowering, const CopySource& source, ir::TensorId result, const Box& box,
                  const std::vector<ir::OpId>& ops) {
  add_box(lowering, source, part_of(lowering, result, box), {}, result, box, lowering.type(result), ops);
}

void add_box_fill(Lowering& lowering, int64_t value, ir::TensorId result, const Box& box, const std::vector<ir::OpId>& ops) {
  const CopySource to = part_of(lowering, result, box);
  const base::ElementType type = lowering.type(result);
  add_box(lowering, to, to, fill_of(value, type), result, box, type,
          ops);  // a fill has no source: its loops are those of the result
}

void add_strided_copy(Lowering& lowering, const CopySource& source, const CopySource& target, const base::Shape& extent,
                      base::ElementType type, const std::vector<ir::OpId>& ops) {
  add_box(lowering, source, target, {}, -1, whole_box(extent), type, ops);
}

void add_strided_fill(Lowering& lowering, int64_t value, const CopySource& target, const base::Shape& extent,
                      base::ElementType type, const std::vector<ir::OpId>& ops) {
  add_box(lowering, target, target, fill_of(value, type), -1, whole_box(extent), type, ops);
}

CopySource add_scratch(Lowering& lowering, ir::TensorId name, const base::Shape& extent, base::ElementType type) {
  const int64_t bytes = base::num_elements(extent) * base::stored_bytes(type);
  const BufferId buffer =
      lowering.add_buffer({.name = lowering.graph.tensor(name).name, .size_bytes = bytes, .contents = {}});
  return source_of({buffer, dense_placement(extent, type)}, extent, type);
}

}  // namespace vernier::passes
