// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_pool.hpp"

#include "compiler/passes/placements.hpp"

#include <algorithm>
#include <bit>

namespace vernier::passes {
namespace {

using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;

/// Loops: row, column, block of channels; kernel row, kernel column, in the order that set_kernel_loops chooses.
constexpr size_t kRow = 0, kColumn = 1, kBlock = 2, kKernelRow = 3, kKernelColumn = 4;

spec::VectorStream stream_of(const spec::FeatureMap& map, int64_t row, int64_t column) {
  spec::VectorStream stream;
  stream.type = map.type;
  stream.base = map.base + row * map.row_pitch_bytes + column * map.pixel_pitch_bytes;
  stream.lane_stride_bytes = base::stored_bytes(map.type);
  stream.strides_bytes[kBlock] = map.block_pitch_bytes;
  return stream;
}

std::vector<VectorStep> average_steps(int64_t n, int64_t input_zp, int64_t output_zp, base::ElementType type) {
  const Reciprocal scale = reciprocal_scale(n);
  // Register 0 accumulates.
  return {
      {.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 0, .b_is_immediate = true, .imm0 = 0},
      {.op = VectorOp::LoadAdd, .dst = 0, .stream = 0, .imm0 = input_zp},
      {.op = VectorOp::Rescale,
       .phase = VectorPhase::Final,
       .dst = 1,
       .a = 0,
       .b_is_immediate = true,
       .type = type,
       .shift = scale.shift,
       .imm0 = scale.multiplier,
       .imm1 = output_zp},
      {.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 1, .stream = 1},
  };
}

std::vector<VectorStep> maximum_steps(base::ElementType type) {
  return {
      {.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 0, .b_is_immediate = true, .imm0 = base::min_value(type)},
      {.op = VectorOp::LoadMaximum, .dst = 0, .stream = 0},
      {.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 0, .stream = 1},
  };
}

/// The loops over the kernel, so that the innermost one, whose positions go in pairs, leaves the fewest single ones: rows
/// and columns as one where they follow each other, else the better of the two inside.
void set_kernel_loops(spec::VectorCommand& command, int64_t rows, int64_t columns, const spec::FeatureMap& map) {
  spec::VectorStream& load = command.streams[0];
  const auto set = [&](size_t loop, int64_t count, int64_t stride) {
    command.counts[loop] = count;
    load.strides_bytes[loop] = stride;
  };
  if (map.row_pitch_bytes == columns * map.pixel_pitch_bytes) {
    set(kKernelRow, 1, 0);
    set(kKernelColumn, rows * columns, map.pixel_pitch_bytes);
    return;
  }
  const bool has_rows_inside = columns * base::ceil_div(rows, 2) < rows * base::ceil_div(columns, 2);
  set(has_rows_inside ? kKernelColumn : kKernelRow, rows, map.row_pitch_bytes);
  set(has_rows_inside ? kKernelRow : kKernelColumn, columns, map.pixel_pitch_bytes);
}

}  // namespace

std::vector<PoolRegion> pool_regions(int64_t outputs, int64_t inputs, int64_t kernel, int64_t stride, int64_t pad_before) {
  std::vector<PoolRegion> regions;
  for (int64_t out = 0; out < outputs; ++out) {
    const int64_t begin = out * stride - pad_before;
    const int64_t first = std::max<int64_t>(begin, 0), end = std::min(begin + kernel, inputs);
    const bool is_whole = begin >= 0 && begin + kernel <= inputs;
    const bool continues = is_whole && !regions.empty() && regions.back().in_stride == stride;
    if (continues) {
      ++regions.back().out_count;
    } else {
      regions.push_back({out, 1, first, is_whole ? stride : 0, end - first});
    }
  }
  return regions;
}

Reciprocal reciprocal_scale(int64_t n) {
  VERNIER_CHECK(n > 0, "reciprocal of {}", n);
  const int k = 32 - std::countl_zero(static_cast<uint32_t>(n - 1));
  const uint64_t numerator = ((uint64_t{1} << 30) + 1) << k;
  return {static_cast<int64_t>(numerator / static_cast<uint64_t>(n)), 30 + k};
}

void lower_pool(Lowering& lowering, ir::OpId id, const package::Placement& result) {
  const ir::Operator& op = lowering.op(id);
  const auto& pool = op.attributes_as<ir::PoolAttributes>();
  const bool is_average = op.kind == ir::OpKind::AvgPool2d;
  const int64_t input_zp = is_average ? lowering.scalar_operand(op, 1, "input zero point") : 0;
  const int64_t output_zp = is_average ? lowering.scalar_operand(op, 2, "output zero point") : 0;
  const base::Shape& in = lowering.shape(op.inputs[0]);
  const base::Shape& out = lowering.shape(op.outputs[0]);
  const base::ElementType type = lowering.type(op.outputs[0]);
  const TensorPlace& input = lowering.view(op.inputs[0]);
  const TensorPlace& output = lowering.materialise(op.outputs[0], result);
  const int64_t n = lowering.lanes();
  const bool has_blocks = has_planes(input.placement, in, type) || has_planes(output.placement, out, type);

  Step step;
  step.operands = {{AddressField::Stream0, 0, input.buffer}, {AddressField::Stream0, 1, output.buffer}};
  step.ops = {id};
  for (int64_t image = 0; image < out[0]; ++image) {
    const spec::FeatureMap from = feature_map(input.placement, in, type, image, n);
    const spec::FeatureMap to = feature_map(output.placement, out, type, image, n);
    for (const PoolRegion& rows : pool_regions(out[1], in[1], pool.kernel[0], pool.stride[0], pool.pad[0])) {
      for (const PoolRegion& columns : pool_regions(out[2], in[2], pool.kernel[1], pool.stride[1], pool.pad[2])) {
        spec::VectorCommand command;
        command.lanes = has_blocks ? n : out[3];
        command.counts = {rows.out_count, columns.out_count, has_blocks ? out[3] / n : 1, 1, 1};
        command.kept_loops = kKernelRow;
        spec::VectorStream load = stream_of(from, rows.in_begin, columns.in_begin);
        load.strides_bytes[kRow] = rows.in_stride * from.row_pitch_bytes;
        load.strides_bytes[kColumn] = columns.in_stride * from.pixel_pitch_bytes;
        spec::VectorStream store = stream_of(to, rows.out_begin, columns.out_begin);
        store.strides_bytes[kRow] = to.row_pitch_bytes;
        store.strides_bytes[kColumn] = to.pixel_pitch_bytes;
        command.streams = {load, store};
        set_kernel_loops(command, rows.valid, columns.valid, from);
        command.steps =
            is_average ? average_steps(rows.valid * columns.valid, input_zp, output_zp, type) : maximum_steps(type);
        step.command = {{spec::Queue::VectorUnit, 0, 0}, std::move(command)};
        step.productions = {{op.outputs[0],
                             {image, rows.out_begin, columns.out_begin, 0},
                             {1, rows.out_count, columns.out_count, out[3]},
                             1,
                             -1}};
        lowering.add_step(step);
      }
    }
  }
}

}  // namespace vernier::passes
