// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/hw_package/samples.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/vector_schedule.hpp"

#include <algorithm>

namespace vernier::package::samples {

using base::ElementType;
using base::MemorySpace;
using spec::Queue;

spec::Command end() { return {{Queue::Dma0, 0, 0}, spec::EndCommand{}}; }

spec::Command copy() {
  spec::DmaCommand c;
  c.src = {{MemorySpace::External, 0x1000}, {0, 0, 0, 4096, 64}};
  c.dst = {{MemorySpace::Sram, 0x200}, {0, 0, 0, 120, 24}};
  c.counts = {1, 1, 1, 3, 5};
  c.run_bytes = 24;
  return {{Queue::Dma1, spec::queue_bit(Queue::MacArray), spec::queue_bit(Queue::VectorUnit)}, c};
}

spec::Command convolution() {
  spec::MacCommand c;
  c.input = {0x100, 8 * 32, 32, 16, ElementType::Int8};
  c.in_rows = 8;
  c.in_columns = 8;
  c.in_channels = 32;
  c.input_zero_point = -128;
  c.kernel_rows = c.kernel_columns = 3;
  c.origin_row = c.origin_column = -1;
  c.weight_base = 0x4000;
  c.out_rows = 8;
  c.out_columns = 8;
  c.out_channels = 24;
  c.reduction_end = 9 * 32;
  c.parameter_base = 0x8000;
  c.rescale = true;
  c.rounding = spec::Rounding::Double;
  c.output_zero_point = 5;
  c.clamp_min = -128;
  c.clamp_max = 127;
  c.residual = true;
  c.addend = {0xA000, 8 * 24, 24, 16, ElementType::Int8};
  c.residual_zero_point = 5;
  c.addend_zero_point = -3;
  c.own_scale = {1 << 30, 31};
  c.addend_scale = {1 << 29, 30};
  c.sum_scale = {12345678, 40};
  c.sum_clamp_min = -128;
  c.sum_clamp_max = 127;
  c.output = {0xC000, 8 * 16, 16, 8 * 8 * 16, ElementType::Int8};
  return {{Queue::MacArray, spec::queue_bit(Queue::Dma0), spec::queue_bit(Queue::Dma1)}, c};
}

spec::Command depthwise() {
  spec::Command command = convolution();
  auto& c = std::get<spec::MacCommand>(command.body);
  c.mode = spec::MacMode::Depthwise;
  c.reduction_end = 9;
  c.residual = false;
  c.slide_rows = true;
  c.row_tile_rows = 48;
  c.addend = {};
  c.residual_zero_point = c.addend_zero_point = 0;
  c.own_scale = c.addend_scale = c.sum_scale = {};
  c.sum_clamp_min = c.sum_clamp_max = 0;
  return command;
}

spec::Command softmax_sum() {
  using spec::VectorOp;
  using spec::VectorPhase;
  spec::VectorCommand c;
  c.counts = {1, 1, 1, 4, 3};
  c.lanes = 20;
  c.kept_loops = 4;
  c.lanes_reduced = true;
  c.streams = {{0x100, ElementType::Int8, true, 1, {0, 0, 0, 64, 20}},
               {0x800, ElementType::Int32, false, 4, {0, 0, 0, 4, 0}}};
  spec::VectorStep init{.op = VectorOp::Move, .phase = VectorPhase::Init, .dst = 1, .b_is_immediate = true};
  spec::VectorStep load{.op = VectorOp::Load, .dst = 0, .stream = 0, .imm0 = 7};
  spec::VectorStep table{.op = VectorOp::Table, .dst = 2, .a = 0, .slot = 1, .type = ElementType::Int32};
  spec::VectorStep add{.op = VectorOp::Add, .dst = 1, .a = 1, .b = 2};
  spec::VectorStep sum{.op = VectorOp::ReduceAdd, .phase = VectorPhase::Final, .dst = 1, .a = 1};
  spec::VectorStep store{.op = VectorOp::Store, .phase = VectorPhase::Final, .a = 1, .stream = 1};
  c.steps = {init, load, table, add, sum, store};
  VERNIER_CHECK(spec::schedule(c, spec::kPresets[1].datapath), "no schedule");
  return {{Queue::VectorUnit, 0b1111, 0b0100}, c};
}

namespace {

spec::FeatureMap random_map(Random& random, ElementType type, int64_t columns, int64_t channels, int64_t lanes) {
  const int64_t element = base::stored_bytes(type);
  spec::FeatureMap map{random.between(1000, 1400), 0, 0, 0, type};
  if (random.flip()) {  // dense or padded pixels
    map.block_pitch_bytes = lanes * element;
    map.pixel_pitch_bytes = channels * element + random.between(0, 3);
    map.row_pitch_bytes = columns * map.pixel_pitch_bytes + random.between(0, 9);
  } else {  // planes of N channels
    map.pixel_pitch_bytes = lanes * element;
    map.row_pitch_bytes = columns * map.pixel_pitch_bytes + random.between(0, 5);
    map.block_pitch_bytes = random.between(2, 9) * map.row_pitch_bytes;  // blocks do not follow each other
  }
  return map;
}

void randomise_slice(Random& random, spec::MacCommand& c, int64_t lanes) {
  const int64_t taps = c.kernel_rows * c.kernel_columns;
  const int64_t total = c.mode == spec::MacMode::Depthwise ? taps : taps * c.in_channels;
  c.reduction_end = total;
  if (!random.flip()) return;
  c.out_channels = std::min(c.out_channels, lanes >> c.lane_split_log2);
  c.reduction_begin = random.between(0, (total - 1) / lanes) * lanes;
  c.reduction_end = std::min(total, c.reduction_begin + random.between(1, 2 * lanes));
  c.first = c.reduction_begin == 0;
  c.last = c.reduction_end == total;
}

}  // namespace

spec::Command random_mac(Random& random, int64_t lanes) {
  spec::MacCommand c;
  c.mode = random.flip() ? spec::MacMode::Conv : spec::MacMode::Depthwise;
  c.in_rows = random.between(1, 6);
  c.in_columns = random.between(1, 6);
  c.in_channels = random.between(1, 3 * lanes);
  c.kernel_rows = random.between(1, 3);
  c.kernel_columns = random.between(1, 3);
  c.stride_rows = random.between(1, 3);
  c.stride_columns = random.between(1, 3);
  c.dilation_rows = random.between(1, 2);
  c.dilation_columns = random.between(1, 2);
  c.origin_row = random.between(-3, 3);
  c.origin_column = random.between(-3, 3);
  c.out_rows = random.between(1, 4);
  c.out_columns = random.between(1, 5);
  c.lane_split_log2 = random.between(0, 2);
  c.out_channels = random.between(1, 3 * lanes);
  if (c.mode == spec::MacMode::Depthwise) c.out_channels = std::min(c.out_channels, c.in_channels);
  randomise_slice(random, c, lanes);
  const auto one_of = [&](ElementType one, ElementType other) { return random.flip() ? one : other; };
  const ElementType input_type = one_of(ElementType::Int8, ElementType::Int16);
  const bool may_be_wide = input_type == ElementType::Int16 && c.mode == spec::MacMode::Conv;
  if (may_be_wide) c.weight_type = one_of(ElementType::Int8, ElementType::Int16);
  if (random.flip()) {
    c.weight_order = random.flip() ? spec::WeightOrder::LaneMajor : spec::WeightOrder::TapMajor;
    const bool is_lane_major = c.weight_order == spec::WeightOrder::LaneMajor;
    const int64_t line = is_lane_major ? c.reduction_end - c.reduction_begin : c.out_channels;
    c.weight_pitch_bytes = line * base::stored_bytes(c.weight_type) + (random.flip() ? 0 : random.between(1, 50));
  }
  c.scale32 = random.flip();
  c.accumulator_is_48 = !c.scale32 && random.flip();
  c.rescale = random.flip();
  c.residual = c.rescale && random.flip();
  ElementType output_type = c.accumulator_is_48 ? ElementType::Int48 : ElementType::Int32;
  if (c.rescale) output_type = c.residual ? ElementType::Int8 : one_of(ElementType::Int8, ElementType::Int16);
  c.table = output_type == ElementType::Int8 && random.flip();
  c.table_slot = random.between(0, 1);
  c.clamp_min = -100;
  c.clamp_max = 100;
  c.sum_clamp_min = c.residual ? -90 : 0;
  c.sum_clamp_max = c.residual ? 90 : 0;
  c.input = random_map(random, input_type, c.in_columns, c.in_channels, lanes);
  c.output = random_map(random, output_type, c.out_columns, c.out_channels, lanes);
  if (c.residual) c.addend = random_map(random, ElementType::Int8, c.out_columns, c.out_channels, lanes);
  c.weight_base = random.between(10000, 15000);
  const bool may_be_int4 = input_type == ElementType::Int8 && c.weight_order == spec::WeightOrder::Tiles;
  if (may_be_int4 && c.weight_base % 2 == 0) c.weight_type = ElementType::Int4;  // no other draw changes
  c.parameter_base = random.between(0, 5000);
  return {{Queue::MacArray, static_cast<uint8_t>(random.between(0, 15)), static_cast<uint8_t>(random.between(0, 15))}, c};
}

namespace {

/// As random_vector(), but a register may be read before it is written.
spec::VectorCommand any_vector(Random& random) {
  using spec::VectorOp;
  using spec::VectorPhase;
  spec::VectorCommand c;
  for (int64_t& count : c.counts) count = random.between(1, 3);
  c.lanes = random.between(1, 20);
  c.kept_loops = random.between(0, 5);
  c.lanes_reduced = random.flip();
  const bool has_reduction = c.kept_loops < spec::kNumVectorLoops || c.lanes_reduced;
  constexpr std::array<ElementType, 4> kTypes{ElementType::Bool, ElementType::Int8, ElementType::Int16, ElementType::Int32};
  c.streams.resize(static_cast<size_t>(random.between(1, spec::kMaxVectorStreams)));
  for (spec::VectorStream& stream : c.streams) {
    stream.type = kTypes[static_cast<size_t>(random.between(0, 3))];
    stream.base = random.between(2000, 4000);
    stream.lane_stride_bytes = random.between(-2, 4);
    for (int64_t& stride : stream.strides_bytes) stride = random.between(-60, 60);
  }
  c.steps.resize(static_cast<size_t>(random.between(1, spec::kMaxVectorSteps)));
  for (spec::VectorStep& step : c.steps) {
    step.op = static_cast<VectorOp>(random.between(0, spec::kNumVectorOps - 1));
    step.phase = has_reduction ? static_cast<VectorPhase>(random.between(0, 2)) : VectorPhase::Body;
    step.dst = random.between(0, 15);
    step.a = random.between(0, 15);
    step.b = random.between(0, 15);
    step.stream = random.between(0, static_cast<int64_t>(c.streams.size()) - 1);
    step.slot = random.between(0, 1);
    step.type = kTypes[static_cast<size_t>(random.between(1, 3))];
    step.shift = spec::is_load(step.op) ? random.between(0, 31) : random.between(2, 62);
    step.imm1 = 0;
    step.imm0 = step.op == VectorOp::Clamp ? -5 : random.between(0, 31);
  }
  const auto is_loaded = [&](size_t stream) {
    return std::any_of(c.steps.begin(), c.steps.end(), [&](const spec::VectorStep& step) {
      return spec::is_load(step.op) && step.stream == static_cast<int64_t>(stream);
    });
  };
  for (size_t i = 0; i < c.streams.size(); ++i) {
    if (!is_loaded(i) && random.flip()) c.streams[i].type = ElementType::Int48;  // any register may be stored to it
  }
  return c;
}

/// Each step reads what earlier ones have written; the first one is a constant.
void write_before_reading(Random& random, spec::VectorCommand& c) {
  std::stable_sort(c.steps.begin(), c.steps.end(), [](const auto& a, const auto& b) { return a.phase < b.phase; });
  std::vector<int64_t> written;
  for (spec::VectorStep& step : c.steps) {
    if (written.empty()) {
      step.op = spec::VectorOp::Move;
      step.b_is_immediate = true;
    } else {
      for (int64_t* reg : {&step.a, &step.b, &step.c}) {
        *reg = written[static_cast<size_t>(random.between(0, static_cast<int64_t>(written.size()) - 1))];
      }
      if (spec::is_accumulating_load(step.op)) step.dst = step.a;
    }
    if (step.op != spec::VectorOp::Store) written.push_back(step.dst);
  }
}

}  // namespace

spec::Command random_vector(Random& random, int64_t lanes) {
  for (;;) {
    spec::VectorCommand c = any_vector(random);
    write_before_reading(random, c);
    if (!spec::schedule(c, {static_cast<int>(lanes), 4, 2})) continue;
    return {{Queue::VectorUnit, static_cast<uint8_t>(random.between(0, 15)), 0}, c};
  }
}

spec::Command random_dma(Random& random) {
  spec::DmaCommand c;
  using spec::DmaKind;
  constexpr std::array<DmaKind, 4> kKinds{DmaKind::Copy, DmaKind::Fill, DmaKind::TableFill, DmaKind::Transpose};
  c.kind = kKinds[static_cast<size_t>(random.between(0, 3))];
  if (c.kind == spec::DmaKind::TableFill) {
    c.run_bytes = 256;
    c.table_slot = random.between(0, 1);
    c.src.base = {MemorySpace::Sram, static_cast<uint64_t>(random.between(0, 4000))};
    return {{Queue::Dma0, 0, 1}, c};
  }
  for (int64_t& count : c.counts) count = random.between(1, 4);
  c.fill_bytes = int64_t{1} << random.between(0, 3);
  c.run_bytes = c.fill_bytes * random.between(1, 6);
  c.fill_value = random.between(INT32_MIN, INT32_MAX);
  for (spec::DmaSide* side : {&c.src, &c.dst}) {
    side->base = {random.flip() ? MemorySpace::Sram : MemorySpace::External,
                  static_cast<uint64_t>(random.between(3000, 5000))};
    for (int64_t& stride : side->strides_bytes) stride = random.between(-90, 90);
  }
  if (c.kind == DmaKind::Transpose) {
    c.run_bytes = c.src.strides_bytes[4] = c.dst.strides_bytes[3] = c.fill_bytes;
    c.src.base.space = c.dst.base.space = MemorySpace::Sram;
  }
  return {{random.flip() ? Queue::Dma0 : Queue::Dma1, 3, 12}, c};
}

}  // namespace vernier::package::samples
