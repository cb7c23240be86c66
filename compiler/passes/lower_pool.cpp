// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_pool.hpp"

#include "compiler/cost/row_streams.hpp"
#include "compiler/passes/placements.hpp"
#include "hw/base/division.hpp"

#include <algorithm>
#include <utility>

namespace vernier::passes {
namespace {

/// One or two passes that make a pool.
struct PoolPlan {
  std::string what;
  std::vector<PoolPass> passes;
  std::vector<std::vector<PoolCommand>> commands{};  // by pass
};

/// Outputs of an axis that another pass is done with: each is where it was read.
std::vector<PoolRegion> done(const std::vector<PoolRegion>& regions, bool counts_valid) {
  std::vector<PoolRegion> result;
  for (const PoolRegion& region : regions) {
    const int64_t valid = counts_valid ? region.valid : 1;
    if (!result.empty() && result.back().valid == valid) {
      result.back().out_count += region.out_count;
    } else {
      result.push_back({region.out_begin, region.out_count, region.out_begin, 1, 1, valid});
    }
  }
  return result;
}

/// Every index of an axis that is not pooled yet.
std::vector<PoolRegion> untouched(int64_t extent) { return {{0, extent, 0, 1, 1, 1}}; }

class PoolLowering {
 public:
  PoolLowering(Lowering& lowering, ir::OpId id, const package::Placement& result)
      : lowering_(lowering), id_(id), result_(lowering.op(id).outputs[0]) {
    const ir::Operator& op = lowering.op(id);
    const auto& pool = op.attributes_as<ir::PoolAttributes>();
    whole_.is_average = op.kind == ir::OpKind::AvgPool2d;
    if (whole_.is_average) {
      whole_.input_zero_point = lowering.scalar_operand(op, 1, "input zero point");
      whole_.output_zero_point = lowering.scalar_operand(op, 2, "output zero point");
    }
    const base::Shape &in = lowering.shape(op.inputs[0]), &out = lowering.shape(result_);
    const TensorPlace input = lowering.view(op.inputs[0]);
    const TensorPlace& output = lowering.materialise(result_, result);
    whole_.from = {input.buffer, input.placement, in, lowering.type(op.inputs[0])};
    whole_.to = {output.buffer, output.placement, out, lowering.type(result_)};
    whole_.rows = pool_regions(out[1], in[1], pool.kernel[0], pool.stride[0], pool.pad[0]);
    whole_.columns = pool_regions(out[2], in[2], pool.kernel[1], pool.stride[1], pool.pad[2]);
  }

  void run() {
    std::vector<PoolPlan> plans{{"whole windows", {whole_}}};
    if (can_separate()) {
      std::vector<PoolPlan> separate{{"columns, then rows", columns_then_rows(false)},
                                     {"rows, then columns", rows_then_columns()}};
      PoolPlan apart{"columns, then rows of a map with its rows apart", columns_then_rows(true)};
      const auto map_of = [](const PoolPlan& plan) { return plan.passes[0].to.placement; };
      if (!(map_of(apart) == map_of(separate[0]))) separate.push_back(std::move(apart));
      for (PoolPlan& plan : separate) {
        if (may_take_more_room(plan)) plans.push_back(std::move(plan));
      }
    }
    cost::Alternatives told("pool");
    for (PoolPlan& plan : plans) told.add(plan.what, make_commands(plan));
    told.choose_cheapest();
    add_steps(plans[told.chosen], told);
  }

 private:
  /// The type of a sum along one axis, which is as wide as any maximum.
  [[nodiscard]] base::ElementType between() const {
    if (!whole_.is_average) return whole_.to.type;
    return whole_.to.type == base::ElementType::Int8 ? base::ElementType::Int16 : base::ElementType::Int32;
  }

  [[nodiscard]] static int64_t most_taps(const std::vector<PoolRegion>& regions) {
    return std::max_element(regions.begin(), regions.end(), [](const auto& a, const auto& b) { return a.taps < b.taps; })
        ->taps;
  }

  /// A map between passes is a buffer more, streams are longer commands; and streams are copied one by one where a map does
  /// not stay in SRAM, beside weights and what other layers need.
  [[nodiscard]] bool may_take_more_room(const PoolPlan& plan) const {
    if (!lowering_.is_optimizing() || !lowering_.options.may_take_more_room) return false;
    if (lowering_.config.memory_mode == spec::MemoryMode::External) return false;
    constexpr int64_t kSramShare = 4;
    int64_t bytes = placed_bytes(whole_.from.placement, whole_.from.shape, whole_.from.type);
    for (const PoolPass& pass : plan.passes) bytes += placed_bytes(pass.to.placement, pass.to.shape, pass.to.type);
    return kSramShare * bytes <= lowering_.config.sram_bytes;
  }

  [[nodiscard]] bool can_separate() const {
    constexpr int64_t kMostSummed = 128;  // 128 * 255 fits an int16
    const int64_t rows = most_taps(whole_.rows), columns = most_taps(whole_.columns);
    if (rows == 1 || columns == 1) return false;
    return !whole_.is_average || between() == base::ElementType::Int32 || std::max(rows, columns) <= kMostSummed;
  }

  /// The map between two passes, which has no buffer yet. In planes its rows are as far apart as planes have them; if dense,
  /// `rows_apart` keeps pixels below each other out of one bank, where whole rows end with the fourth bank or the last.
  [[nodiscard]] PoolMap map_between(int64_t rows, int64_t columns, bool rows_apart) const {
    const base::Shape& out = whole_.to.shape;
    const base::Shape shape{out[0], rows, columns, out[3]};
    const bool is_in_planes = has_planes(whole_.from.placement, whole_.from.shape, whole_.from.type) ||
                              has_planes(whole_.to.placement, out, whole_.to.type);
    if (!is_in_planes) {
      package::Placement dense = dense_placement(shape, between());
      const int64_t word_bytes = lowering_.lanes();
      if (rows_apart && dense.strides_bytes[1] % (word_bytes * spec::kNumSramBanks / 2) == 0) {
        dense.strides_bytes[1] += base::round_up(dense.strides_bytes[2], word_bytes);
        dense.strides_bytes[0] = rows * dense.strides_bytes[1];
      }
      return {-1, std::move(dense), shape, between()};
    }
    // Pixels of four words fill all banks, however rows are spaced.
    const bool can_be_spaced = between() != base::ElementType::Int32;
    const auto spacing = can_be_spaced ? std::optional<int64_t>{0} : std::nullopt;
    return {-1, planes_placement(shape, between(), lowering_.lanes(), spacing), shape, between()};
  }

  [[nodiscard]] std::vector<PoolPass> columns_then_rows(bool rows_apart) const {
    PoolPass first = whole_, second = whole_;
    first.rows = untouched(whole_.from.shape[1]);
    second.columns = done(whole_.columns, whole_.is_average);
    return joined(first, second, map_between(whole_.from.shape[1], whole_.to.shape[2], rows_apart));
  }

  [[nodiscard]] std::vector<PoolPass> rows_then_columns() const {
    PoolPass first = whole_, second = whole_;
    first.columns = untouched(whole_.from.shape[2]);
    second.rows = done(whole_.rows, whole_.is_average);
    return joined(first, second, map_between(whole_.to.shape[1], whole_.from.shape[2], false));
  }

  [[nodiscard]] static std::vector<PoolPass> joined(PoolPass first, PoolPass second, const PoolMap& map) {
    first.to = second.from = map;
    first.output_zero_point.reset();
    second.input_zero_point = 0;
    return {std::move(first), std::move(second)};
  }

  /// Fills in the commands of a plan; their cycles.
  [[nodiscard]] int64_t make_commands(PoolPlan& plan) const {
    const bool may_use_streams = may_take_more_room(plan);
    int64_t cycles = 0;
    for (const PoolPass& pass : plan.passes) {
      plan.commands.push_back(pool_commands(pass, may_use_streams, lowering_.config));
      for (const PoolCommand& command : plan.commands.back()) {
        cycles += cost::cycles_with_row_streams(command.command, lowering_.config);
      }
    }
    return cycles;
  }

  void add_steps(const PoolPlan& plan, const cost::Alternatives& told) {
    std::vector<cost::Alternatives> choices{told};
    lowering_.program.takes_more_room = lowering_.program.takes_more_room || may_take_more_room(plan);
    BufferId between = -1;
    if (plan.passes.size() > 1) {
      const PoolMap& map = plan.passes[0].to;
      between = lowering_.add_buffer({.name = lowering_.graph.tensor(result_).name,
                                      .size_bytes = placed_bytes(map.placement, map.shape, map.type),
                                      .contents = {}});
    }
    for (size_t i = 0; i < plan.passes.size(); ++i) {
      const bool is_last = i + 1 == plan.passes.size();
      const BufferId from = i == 0 ? whole_.from.buffer : between, to = is_last ? whole_.to.buffer : between;
      for (const PoolCommand& command : plan.commands[i]) {
        Step step;
        step.ops = {id_};
        step.choices = std::exchange(choices, {});  // told once
        const auto loads = static_cast<int32_t>(command.command.streams.size()) - 1;
        for (int32_t load = 0; load < loads; ++load) step.operands.push_back({AddressField::Stream0, load, from});
        step.operands.push_back({AddressField::Stream0, loads, to});
        step.command = {{spec::Queue::VectorUnit, 0, 0}, command.command};
        if (is_last) step.productions = {{result_, command.begin, command.extent, 1, -1}};
        lowering_.add_step(std::move(step));
      }
    }
  }

  Lowering& lowering_;
  ir::OpId id_;
  ir::TensorId result_;
  PoolPass whole_;
};

}  // namespace

std::vector<PoolRegion> pool_regions(int64_t outputs, int64_t inputs, int64_t kernel, int64_t stride, int64_t pad_before) {
  std::vector<PoolRegion> regions;
  const int64_t step = std::min(stride, inputs);  // a greater one leads to no second window, and to addresses beyond 32 bits
  for (int64_t out = 0; out < outputs; ++out) {
    const int64_t begin = out * stride - pad_before;
    const int64_t first = std::max<int64_t>(begin, 0), end = std::min(begin + kernel, inputs);
    const bool is_whole = begin >= 0 && begin + kernel <= inputs;
    const bool continues = is_whole && !regions.empty() && regions.back().in_stride == step;
    if (continues) {
      ++regions.back().out_count;
    } else {
      regions.push_back({out, 1, first, is_whole ? step : 0, end - first, end - first});
    }
  }
  return regions;
}

void lower_pool(Lowering& lowering, ir::OpId id, const package::Placement& result) {
  PoolLowering(lowering, id, result).run();
}

}  // namespace vernier::passes
