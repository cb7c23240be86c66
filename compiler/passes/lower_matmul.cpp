// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_matmul.hpp"

#include "compiler/passes/mac_epilogue.hpp"
#include "compiler/passes/placements.hpp"

namespace vernier::passes {
namespace {

/// A row of the machine's map for each row of the matrix, or one row of all of them.
spec::FeatureMap matrix_map(const package::Placement& placement, base::ElementType type, int64_t batch, int64_t lanes) {
  spec::FeatureMap map;
  map.type = type;
  map.base = static_cast<int64_t>(placement.base.offset) + batch * placement.strides_bytes[0];
  map.row_pitch_bytes = map.pixel_pitch_bytes = placement.strides_bytes[1];
  map.block_pitch_bytes = lanes * base::stored_bytes(type);
  return map;
}

/// The second operand: its rows are steps of the reduction, or, transposed by a view, its columns lie side by side.
void set_weights(spec::MacCommand& command, const package::Placement& placement, int64_t batch, base::ElementType type) {
  command.weight_base = static_cast<int64_t>(placement.base.offset) + batch * placement.strides_bytes[0];
  const bool is_by_columns =
      placement.channel_block == 1 && placement.strides_bytes[1] == base::stored_bytes(type) && command.out_channels > 1;
  command.weight_order = is_by_columns ? spec::WeightOrder::LaneMajor : spec::WeightOrder::TapMajor;
  command.weight_pitch_bytes = is_by_columns ? placement.block_pitch_bytes : placement.strides_bytes[1];
}

/// Rows of the first operand are pixels. They are rows of a map of one column where nothing is gained by putting several in
/// an accumulator row, so that the command can be cut.
spec::MacCommand make_command(const Lowering& lowering, const MacChain& chain, const spec::FeatureMap& first,
                              const package::Placement& second, std::vector<cost::Alternatives>& choices) {
  const ir::Operator& op = lowering.op(chain.ops[0]);
  const base::Shape& a = lowering.shape(op.inputs[0]);
  spec::MacCommand command;
  command.input = first;
  command.weight_type = lowering.type(op.inputs[1]);
  command.in_channels = command.reduction_end = a[2];
  command.out_channels = lowering.shape(op.inputs[1])[2];
  command.in_columns = command.out_columns = a[1];
  set_numbers(lowering, chain, 2, command);
  check_limits(lowering, op, command);
  set_weights(command, second, 0, command.weight_type);
  const base::ElementType type = lowering.type(chain.result);
  command.output = matrix_map(dense_placement(lowering.shape(op.outputs[0]), type), type, 0, lowering.lanes());
  choose_lane_split(lowering, command, choices);
  if (command.lane_split_log2 == 0) {
    command.in_rows = command.out_rows = a[1];
    command.in_columns = command.out_columns = 1;
  }
  return command;
}

/// What a batch writes, in the shape that the MATMUL has and in that of the result.
struct Written {
  package::Placement placement;
  Production production;
};

Written written_by(const Lowering& lowering, const MacChain& chain, const spec::MacCommand& command,
                   const package::Placement& result, int64_t batch) {
  const base::Shape& shape = lowering.shape(chain.result);
  const base::Shape& own = lowering.shape(lowering.op(chain.ops[0]).outputs[0]);
  const base::ElementType type = lowering.type(chain.result);
  const Production production{chain.result, {batch, 0, 0}, {1, own[1], own[2]}, 1, -1};
  if (chain.transpose < 0) {
    if (!chain.is_reshaped) return {result, production};
    return {dense_placement(own, type),
            own[0] == 1 ? lowering.whole(chain.result, row_dim_of(shape, command.out_rows, command.out_columns))
                        : renamed(production, own, shape)};
  }
  // Back through the TRANSPOSE.
  const ir::Operator& op = lowering.op(chain.transpose);
  const auto& perms = op.attributes_as<ir::TransposeAttributes>().perms;
  const base::Shape& before = lowering.shape(op.inputs[0]);
  std::vector<int64_t> back(perms.size());
  for (size_t d = 0; d < perms.size(); ++d) back[static_cast<size_t>(perms[d])] = static_cast<int64_t>(d);
  Written written{renamed_placement(transposed_placement(result, back, type), before, own, type), production};
  const Production there = renamed(production, own, before);
  written.production = {chain.result, base::Shape(shape.size()), base::Shape(shape.size()), -1, -1};
  for (size_t d = 0; d < perms.size(); ++d) {
    const auto from = static_cast<size_t>(perms[d]);
    written.production.begin[d] = there.begin[from];
    written.production.extent[d] = there.extent[from];
    if (perms[d] == there.row_dim) written.production.row_dim = static_cast<int32_t>(d);
  }
  return written;
}

}  // namespace

void lower_matmul(Lowering& lowering, const MacChain& chain, const package::Placement& result) {
  const ir::Operator& op = lowering.op(chain.ops[0]);
  const TensorPlace& a = lowering.view(op.inputs[0]);
  const TensorPlace& b = lowering.view(op.inputs[1]);
  const TensorPlace& output = lowering.materialise(chain.result, result);
  const base::ElementType type = lowering.type(chain.result);
  const base::Shape& shape = lowering.shape(op.outputs[0]);
  const auto map_of_a = [&](int64_t batch) {
    return matrix_map(a.placement, lowering.type(op.inputs[0]), batch, lowering.lanes());
  };
  Step step;
  spec::MacCommand command = make_command(lowering, chain, map_of_a(0), b.placement, step.choices);
  step.operands = {{AddressField::Input, 0, a.buffer},
                   {AddressField::Weights, 0, b.buffer},
                   {AddressField::Parameters, 0, add_parameters(lowering, chain, command, -1)},
                   {AddressField::Output, 0, output.buffer}};
  if (chain.table >= 0) step.tables = {lowering.table_buffer(lowering.add_table(chain.table), chain.ops)};
  step.ops = chain.ops;
  for (int64_t batch = 0; batch < shape[0]; ++batch) {
    command.input = map_of_a(batch);
    Written written = written_by(lowering, chain, command, output.placement, batch);
    if (command.out_rows == 1) written.production.row_dim = -1;
    command.output = matrix_map(written.placement, type, batch, lowering.lanes());
    set_weights(command, b.placement, batch, command.weight_type);
    step.command = {{spec::Queue::MacArray, 0, 0}, command};
    step.productions = {written.production};
    step.can_split_rows = step.productions[0].row_dim >= 0;
    lowering.add_step(step);
  }
}

}  // namespace vernier::passes
