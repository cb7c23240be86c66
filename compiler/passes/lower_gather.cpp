// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_gather.hpp"

#include "compiler/passes/placements.hpp"
#include "compiler/passes/strided_copy.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

/// Rows that one command moves: those who wait for some of them need not wait for all, and what it moves fits a small SRAM.
constexpr int64_t kLargestCommandBytes = 16384;

/// A row of `table` [N, K, C] for each row of `rows` [N, W, C]: one of the two sides is indexed.
class IndexedRows {
 public:
  IndexedRows(Lowering& lowering, ir::OpId id, ir::TensorId table, ir::TensorId rows)
      : lowering_(lowering),
        op_(lowering.op(id)),
        table_(side_of(table)),
        rows_(side_of(rows)),
        indices_(lowering.view(op_.inputs[1])),
        shape_(lowering.shape(rows)),
        list_pitch_bytes_(indices_.placement.strides_bytes[0]) {
    command_.kind = op_.kind == ir::OpKind::Gather ? spec::DmaKind::Gather : spec::DmaKind::Scatter;
    command_.run_bytes = shape_[2] * base::stored_bytes(lowering.type(rows));
    command_.index_limit = lowering.shape(table)[1];
    step_.ops = {id};
    step_.can_split_rows = false;
    const bool is_gather = op_.kind == ir::OpKind::Gather;
    step_.operands = {{AddressField::Source, 0, (is_gather ? table_ : rows_).buffer},
                      {AddressField::Destination, 0, (is_gather ? rows_ : table_).buffer},
                      {AddressField::Indices, 0, indices_.buffer}};
  }

  void run() {
    const int64_t batches = shape_[0], items = shape_[1];
    const int64_t most_items = std::clamp<int64_t>(kLargestCommandBytes / command_.run_bytes, 1, items);
    // Lists of several batches follow each other in the command: so must they in memory.
    const bool joins = most_items == items && list_pitch_bytes_ == items * spec::kIndexBytes;
    const int64_t most_batches = joins ? std::max<int64_t>(1, kLargestCommandBytes / (items * command_.run_bytes)) : 1;
    for (int64_t n = 0; n < batches; n += most_batches) {
      const int64_t count = std::min(most_batches, batches - n);
      for (int64_t w = 0; w < items; w += most_items) add_command(n, count, w, std::min(most_items, items - w));
    }
  }

 private:
  CopySource side_of(ir::TensorId id) { return source_of(lowering_.view(id), lowering_.shape(id), lowering_.type(id)); }

  /// Batches [n, n + batches) and rows [w, w + items) of each.
  void add_command(int64_t n, int64_t batches, int64_t w, int64_t items) {
    const auto place = [&](spec::DmaSide& side, const CopySource& from, int64_t first_row) {
      side.base.offset =
          static_cast<uint64_t>(from.offset_bytes + n * from.strides_bytes[0] + first_row * from.strides_bytes[1]);
      side.strides_bytes[3] = from.strides_bytes[0];
      side.strides_bytes[4] = from.strides_bytes[1];
    };
    const bool is_gather = command_.kind == spec::DmaKind::Gather;
    place(command_.src, is_gather ? table_ : rows_, is_gather ? 0 : w);
    place(command_.dst, is_gather ? rows_ : table_, is_gather ? w : 0);
    command_.counts = {1, 1, 1, batches, items};
    command_.index_base =
        static_cast<int64_t>(indices_.placement.base.offset) + n * list_pitch_bytes_ + w * spec::kIndexBytes;
    step_.command = {{spec::Queue::Dma1, 0, 0}, command_};
    step_.productions.clear();
    const ir::TensorId result = op_.outputs[0];
    const int64_t rows = lowering_.shape(result)[1];
    if (is_gather) {
      step_.productions = {{result, {n, w, 0}, {batches, items, shape_[2]}, -1, -1}};
    } else if (w + items == shape_[1]) {  // until then, indices to come may change what stands there
      step_.productions = {{result, {n, 0, 0}, {batches, rows, shape_[2]}, -1, -1}};
    }
    lowering_.add_step(step_);
  }

  Lowering& lowering_;
  const ir::Operator& op_;
  const CopySource table_, rows_;
  const TensorPlace indices_;
  const base::Shape& shape_;  // of the rows
  const int64_t list_pitch_bytes_;
  spec::DmaCommand command_;
  Step step_;
};

}  // namespace

void lower_gather(Lowering& lowering, ir::OpId id) {
  const ir::Operator& op = lowering.op(id);
  const ir::TensorId result = op.outputs[0];
  lowering.materialise(result, dense_placement(lowering.shape(result), lowering.type(result)));
  IndexedRows(lowering, id, op.inputs[0], result).run();
}

void lower_scatter(Lowering& lowering, ir::OpId id) {
  const ir::Operator& op = lowering.op(id);
  const ir::TensorId values = op.inputs[0], result = op.outputs[0];
  const base::Shape& shape = lowering.shape(result);
  const base::ElementType type = lowering.type(result);
  const TensorPlace& to = lowering.materialise(result, dense_placement(shape, type));
  add_strided_copy(lowering, source_of(lowering.view(values), shape, type), source_of(to, shape, type), shape, type, {id});
  IndexedRows(lowering, id, result, op.inputs[2]).run();
}

}  // namespace vernier::passes
