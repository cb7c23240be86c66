// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_move.hpp"

#include "compiler/passes/placements.hpp"
#include "compiler/passes/resize_axis.hpp"
#include "compiler/passes/strided_copy.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

using ir::OpKind;

/// A RESIZE or TILE in more commands than this is refused: no real network has one.
constexpr int64_t kMostCommands = 4096;

class MoveLowering {
 public:
  MoveLowering(Lowering& lowering, ir::OpId id)
      : lowering_(lowering), ops_{id}, op_(lowering.op(id)), result_(op_.outputs[0]), shape_(lowering.shape(result_)) {
    if (!lowering.has_place(result_)) lowering.materialise(result_, dense_placement(shape_, lowering.type(result_)));
  }

  void run() {
    switch (op_.kind) {
      case OpKind::Transpose: return transpose();
      case OpKind::Concat: return concat();
      case OpKind::Pad: return pad();
      case OpKind::Reverse: return reverse();
      case OpKind::Tile: return tile();
      default: return resize();
    }
  }

 private:
  CopySource source(size_t operand_idx) {
    const ir::TensorId id = op_.inputs[operand_idx];
    return source_of(lowering_.view(id), lowering_.shape(id), lowering_.type(id));
  }
  void copy(const CopySource& from, const Box& box) { add_box_copy(lowering_, from, result_, box, ops_); }

  void transpose() {
    CopySource from = source(0);
    const std::vector<int64_t> strides = from.strides_bytes;
    const auto& perms = op_.attributes_as<ir::TransposeAttributes>().perms;
    for (size_t d = 0; d < perms.size(); ++d) from.strides_bytes[d] = strides[static_cast<size_t>(perms[d])];
    copy(from, whole_box(shape_));
  }

  void concat() {
    const auto axis = static_cast<size_t>(op_.attributes_as<ir::AxisAttributes>().axis);
    Box box = whole_box(shape_);
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      box.extent = lowering_.shape(op_.inputs[i]);
      if (!lowering_.is_part(op_.inputs[i])) copy(source(i), box);
      box.begin[axis] += box.extent[axis];
    }
  }

  /// The operand in its place, around it a box before and behind for each dimension.
  void pad() {
    const base::Tensor& padding = lowering_.constant_operand(op_, 1, "padding");
    const base::Shape& inner = lowering_.shape(op_.inputs[0]);
    Box rest = whole_box(shape_);
    for (size_t d = 0; d < shape_.size(); ++d) {
      const int64_t before = padding.at(static_cast<int64_t>(2 * d)), after = shape_[d] - inner[d] - before;
      Box edge = rest;
      edge.extent[d] = before;
      if (before > 0) set_to_constant(edge);
      edge.begin[d] = before + inner[d];
      edge.extent[d] = after;
      if (after > 0) set_to_constant(edge);
      rest.begin[d] = before;
      rest.extent[d] = inner[d];
    }
    copy(source(0), rest);
  }

  /// A constant that is computed is copied from where it lies, once for each element.
  void set_to_constant(const Box& box) {
    const ir::TensorId constant = op_.inputs[2];
    if (const auto value = lowering_.uniform_value(constant)) {
      add_box_fill(lowering_, *value, result_, box, ops_);
    } else {
      CopySource from = source(2);
      from.strides_bytes.assign(shape_.size(), 0);
      copy(from, box);
    }
  }

  void reverse() {
    const auto axis = static_cast<size_t>(op_.attributes_as<ir::AxisAttributes>().axis);
    CopySource from = source(0);
    from.offset_bytes += (shape_[axis] - 1) * from.strides_bytes[axis];
    from.strides_bytes[axis] *= -1;
    copy(from, whole_box(shape_));
  }

  /// Dimensions of one element repeat by a stride of 0, others by a command for each time.
  void tile() {
    const base::Shape& inner = lowering_.shape(op_.inputs[0]);
    CopySource from = source(0);
    Box box = whole_box(shape_);
    base::Shape times(shape_.size(), 1);
    for (size_t d = 0; d < shape_.size(); ++d) {
      if (inner[d] == 1) {
        from.strides_bytes[d] = 0;
      } else {
        times[d] = shape_[d] / inner[d];
        box.extent[d] = inner[d];
      }
    }
    check_commands(base::num_elements(times));
    for (int64_t i = 0; i < base::num_elements(times); ++i) {
      const base::Shape at = base::coordinates_of(times, i);
      for (size_t d = 0; d < at.size(); ++d) box.begin[d] = at[d] * box.extent[d];
      copy(from, box);
    }
  }

  void resize() {
    const std::vector<AxisPhase> rows = resize_phases(lowering_, op_, 0, true),
                                 columns = resize_phases(lowering_, op_, 1, true);
    check_commands(static_cast<int64_t>(rows.size() * columns.size()));
    const CopySource map = source(0);
    for (const AxisPhase& row : rows) {
      for (const AxisPhase& column : columns) {
        CopySource from = map;
        from.offset_bytes += row.in_begin * map.strides_bytes[1] + column.in_begin * map.strides_bytes[2];
        from.strides_bytes[1] *= row.in_step;
        from.strides_bytes[2] *= column.in_step;
        copy(from, {{0, row.out_begin, column.out_begin, 0},
                    {shape_[0], row.out_count, column.out_count, shape_[3]},
                    {1, row.out_step, column.out_step, 1}});
      }
    }
  }

  void check_commands(int64_t commands) const {
    if (commands <= kMostCommands) return;
    throw base::UserError(lowering_.file, "{} would take {} commands, allowed are {}", lowering_.describe(op_), commands,
                          kMostCommands);
  }

  Lowering& lowering_;
  const std::vector<ir::OpId> ops_;
  const ir::Operator& op_;
  const ir::TensorId result_;
  const base::Shape& shape_;
};

}  // namespace

bool is_move(const ir::Operator& op) {
  switch (op.kind) {
    case OpKind::Transpose:
    case OpKind::Concat:
    case OpKind::Pad:
    case OpKind::Reverse:
    case OpKind::Tile: return true;
    case OpKind::Resize: return !op.attributes_as<ir::ResizeAttributes>().bilinear;
    default: return false;
  }
}

void lower_move(Lowering& lowering, ir::OpId id) { MoveLowering(lowering, id).run(); }

}  // namespace vernier::passes
