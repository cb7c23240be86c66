// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/pool_pass.hpp"

#include "compiler/cost/row_streams.hpp"
#include "compiler/passes/placements.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/vector_schedule.hpp"

#include <bit>

namespace vernier::passes {
namespace {

using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;

/// Loops: row, column, block of channels; kernel row, kernel column, in the order that set_kernel_loops chooses.
constexpr size_t kRow = 0, kColumn = 1, kBlock = 2, kKernelRow = 3, kKernelColumn = 4;
/// One stream is the result's.
constexpr int64_t kMostTapStreams = spec::kMaxVectorStreams - 1;

spec::VectorStream stream_of(const spec::FeatureMap& map, int64_t row, int64_t column) {
  spec::VectorStream stream;
  stream.type = map.type;
  stream.base = map.base + row * map.row_pitch_bytes + column * map.pixel_pitch_bytes;
  stream.lane_stride_bytes = base::stored_bytes(map.type);
  stream.strides_bytes[kBlock] = map.block_pitch_bytes;
  return stream;
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

/// The commands of one image.
class ImagePass {
 public:
  ImagePass(const PoolPass& pass, int64_t image, bool may_use_streams, const config::MachineConfig& config)
      : pass_(pass), image_(image), may_use_streams_(may_use_streams), config_(config), lanes_(config.datapath.lanes) {
    from_ = feature_map(pass.from.placement, pass.from.shape, pass.from.type, image, lanes_);
    to_ = feature_map(pass.to.placement, pass.to.shape, pass.to.type, image, lanes_);
  }

  [[nodiscard]] PoolCommand command(const PoolRegion& rows, const PoolRegion& columns) const {
    PoolCommand result{reduced(rows, columns),
                       {image_, rows.out_begin, columns.out_begin, 0},
                       {1, rows.out_count, columns.out_count, pass_.to.shape[3]}};
    if (may_use_streams_ && rows.taps * columns.taps <= kMostTapStreams) {
      spec::VectorCommand streamed = with_streams(rows, columns);
      if (cycles_of(streamed) < cycles_of(result.command)) result.command = std::move(streamed);
    }
    return result;
  }

 private:
  [[nodiscard]] int64_t cycles_of(const spec::VectorCommand& command) const {
    return cost::cycles_with_row_streams(command, config_);
  }

  /// All but streams and steps.
  [[nodiscard]] spec::VectorCommand loops(const PoolRegion& rows, const PoolRegion& columns) const {
    const int64_t channels = pass_.to.shape[3];
    const bool has_blocks = has_planes(pass_.from.placement, pass_.from.shape, pass_.from.type) ||
                            has_planes(pass_.to.placement, pass_.to.shape, pass_.to.type);
    spec::VectorCommand command;
    command.lanes = has_blocks ? lanes_ : channels;
    command.counts = {rows.out_count, columns.out_count, has_blocks ? channels / lanes_ : 1, 1, 1};
    return command;
  }

  [[nodiscard]] spec::VectorStream load(const PoolRegion& rows, const PoolRegion& columns, int64_t row,
                                        int64_t column) const {
    spec::VectorStream stream = stream_of(from_, rows.in_begin + row, columns.in_begin + column);
    stream.strides_bytes[kRow] = rows.in_stride * from_.row_pitch_bytes;
    stream.strides_bytes[kColumn] = columns.in_stride * from_.pixel_pitch_bytes;
    return stream;
  }

  [[nodiscard]] spec::VectorStream store(const PoolRegion& rows, const PoolRegion& columns) const {
    spec::VectorStream stream = stream_of(to_, rows.out_begin, columns.out_begin);
    stream.strides_bytes[kRow] = to_.row_pitch_bytes;
    stream.strides_bytes[kColumn] = to_.pixel_pitch_bytes;
    return stream;
  }

  /// Scales register 0 where the pass does, and stores it.
  void finish(std::vector<VectorStep>& steps, VectorPhase phase, int64_t valid, int64_t stream) const {
    if (pass_.output_zero_point) {
      const Reciprocal scale = reciprocal_scale(valid);
      steps.push_back({.op = VectorOp::Rescale,
                       .phase = phase,
                       .dst = 0,
                       .a = 0,
                       .b_is_immediate = true,
                       .type = pass_.to.type,
                       .shift = scale.shift,
                       .imm0 = scale.multiplier,
                       .imm1 = *pass_.output_zero_point});
    }
    steps.push_back({.op = VectorOp::Store, .phase = phase, .a = 0, .stream = stream});
  }

  [[nodiscard]] spec::VectorCommand reduced(const PoolRegion& rows, const PoolRegion& columns) const {
    spec::VectorCommand command = loops(rows, columns);
    command.kept_loops = kKernelRow;
    command.streams = {load(rows, columns, 0, 0), store(rows, columns)};
    set_kernel_loops(command, rows.taps, columns.taps, from_);
    const int64_t identity = pass_.is_average ? 0 : base::min_value(pass_.from.type);
    command.steps = {
        {.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 0, .b_is_immediate = true, .imm0 = identity},
        {.op = pass_.is_average ? VectorOp::LoadAdd : VectorOp::LoadMaximum, .dst = 0, .imm0 = pass_.input_zero_point}};
    finish(command.steps, VectorPhase::Final, rows.valid * columns.valid, 1);
    return scheduled(std::move(command));
  }

  [[nodiscard]] spec::VectorCommand with_streams(const PoolRegion& rows, const PoolRegion& columns) const {
    spec::VectorCommand command = loops(rows, columns);
    for (int64_t row = 0; row < rows.taps; ++row) {
      for (int64_t column = 0; column < columns.taps; ++column) {
        const auto tap = static_cast<int64_t>(command.streams.size());
        command.steps.push_back({.op = VectorOp::Load, .dst = tap, .stream = tap, .imm0 = pass_.input_zero_point});
        command.streams.push_back(load(rows, columns, row, column));
      }
    }
    const auto taps = static_cast<int64_t>(command.streams.size());
    const VectorOp combine = pass_.is_average ? VectorOp::Add : VectorOp::Maximum;
    for (int64_t apart = 1; apart < taps; apart *= 2) {  // in pairs, and pairs of those: the shortest chain
      for (int64_t tap = 0; tap + apart < taps; tap += 2 * apart) {
        command.steps.push_back({.op = combine, .dst = tap, .a = tap, .b = tap + apart});
      }
    }
    command.streams.push_back(store(rows, columns));
    finish(command.steps, VectorPhase::Body, rows.valid * columns.valid, taps);
    return scheduled(std::move(command));
  }

  [[nodiscard]] spec::VectorCommand scheduled(spec::VectorCommand command) const {
    VERNIER_CHECK(spec::schedule(command, config_.datapath), "no schedule for a pool");
    return command;
  }

  const PoolPass& pass_;
  int64_t image_;
  bool may_use_streams_;
  const config::MachineConfig& config_;
  int64_t lanes_;
  spec::FeatureMap from_, to_;
};

}  // namespace

std::vector<PoolCommand> pool_commands(const PoolPass& pass, bool may_use_streams, const config::MachineConfig& config) {
  std::vector<PoolCommand> commands;
  for (int64_t image = 0; image < pass.to.shape[0]; ++image) {
    const ImagePass one(pass, image, may_use_streams, config);
    for (const PoolRegion& rows : pass.rows) {
      for (const PoolRegion& columns : pass.columns) commands.push_back(one.command(rows, columns));
    }
  }
  return commands;
}

Reciprocal reciprocal_scale(int64_t n) {
  VERNIER_CHECK(n > 0, "reciprocal of {}", n);
  const int k = 32 - std::countl_zero(static_cast<uint32_t>(n - 1));
  const uint64_t numerator = ((uint64_t{1} << 30) + 1) << k;
  return {static_cast<int64_t>(numerator / static_cast<uint64_t>(n)), 30 + k};
}

}  // namespace vernier::passes
