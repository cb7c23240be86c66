// SPDX-License-Identifier: Apache-2.0
// Every rule of check(), broken once: the fault and the field that it names.
#include "hw/package/command_codec.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "tests/unit/hw_package/samples.hpp"

#include <catch2/catch.hpp>

#include <functional>

using namespace vernier;
using namespace vernier::package;
using base::ElementType;
using Catch::Matchers::Contains;
using spec::FaultCode;

namespace {

Validity check_v256(const spec::Command& command) { return check(command, spec::kPresets[1].datapath); }

template <typename Body>
struct Rule {
  FaultCode fault;
  std::string detail;
  std::function<void(Body&)> change;
};

template <typename Body>
void expect(const spec::Command& sample, const std::vector<Rule<Body>>& rules) {
  REQUIRE(check_v256(sample).detail.empty());
  REQUIRE(check_v256(sample).fault == FaultCode::None);
  for (const Rule<Body>& rule : rules) {
    spec::Command command = sample;
    rule.change(std::get<Body>(command.body));
    const Validity validity = check_v256(command);
    INFO(rule.detail);
    CHECK(spec::to_string(validity.fault) == spec::to_string(rule.fault));
    CHECK_THAT(validity.detail, Contains(rule.detail));
  }
}

using Mac = spec::MacCommand;
using Vector = spec::VectorCommand;
using Dma = spec::DmaCommand;
constexpr auto kLanes = spec::WeightOrder::LaneMajor;
constexpr auto kTaps = spec::WeightOrder::TapMajor;

}  // namespace

TEST_CASE("a MAC command that breaks a rule is refused") {
  expect<Mac>(
      samples::convolution(),
      {{FaultCode::ZeroCount, "in_rows", [](Mac& c) { c.in_rows = 0; }},
       {FaultCode::ZeroCount, "kernel_columns", [](Mac& c) { c.kernel_columns = 0; }},
       {FaultCode::ZeroCount, "stride_rows", [](Mac& c) { c.stride_rows = 0; }},
       {FaultCode::ZeroCount, "dilation_columns", [](Mac& c) { c.dilation_columns = 0; }},
       {FaultCode::ZeroCount, "out_channels", [](Mac& c) { c.out_channels = 0; }},
       {FaultCode::UnsupportedMode, "input_type", [](Mac& c) { c.input.type = ElementType::Int32; }},
       {FaultCode::LimitExceeded, "int16 has no zero point", [](Mac& c) { c.input.type = ElementType::Int16; }},
       {FaultCode::None, "", [](Mac& c) { c.weight_type = ElementType::Int4, c.weight_zero_point = 0; }},
       {FaultCode::LimitExceeded, "weight_zero_point is 1, int4 has no zero point",
        [](Mac& c) { c.weight_type = ElementType::Int4, c.weight_zero_point = 1; }},
       {FaultCode::UnsupportedMode, "weight_type is int4, which lies in the order of tiles only",
        [](Mac& c) { c.weight_type = ElementType::Int4, c.weight_order = kLanes, c.weight_pitch_bytes = 288; }},
       {FaultCode::UnsupportedMode, "weight_type is int4, which lies in the order of tiles only",
        [](Mac& c) { c.weight_type = ElementType::Int4, c.weight_order = kTaps, c.weight_pitch_bytes = 24; }},
       {FaultCode::UnsupportedMode, "weight_type", [](Mac& c) { c.weight_type = ElementType::Int16; }},
       {FaultCode::UnsupportedMode, "weight_type", [](Mac& c) { c.weight_type = ElementType::Int32; }},
       {FaultCode::None, "", [](Mac& c) { c.weight_order = kLanes, c.weight_pitch_bytes = 288; }},
       {FaultCode::None, "", [](Mac& c) { c.weight_order = kTaps, c.weight_pitch_bytes = 24; }},
       {FaultCode::None, "", [](Mac& c) { c.weight_order = kLanes, c.out_channels = 1; }},
       {FaultCode::LimitExceeded, "weight_pitch is 287, a line has 288",
        [](Mac& c) { c.weight_order = kLanes, c.weight_pitch_bytes = 287; }},
       {FaultCode::LimitExceeded, "weight_pitch is 23, a line has 24",
        [](Mac& c) { c.weight_order = kTaps, c.weight_pitch_bytes = 23; }},
       // 32 channels in blocks of 16 that follow each other; apart, a run is one block.
       {FaultCode::LimitExceeded, "taps overlap: input pixel_pitch is 31, times a dilation of 1, and channels of a pixel",
        [](Mac& c) { c.input.pixel_pitch_bytes = 31; }},
       {FaultCode::LimitExceeded, "stride_columns times input pixel_pitch is 2147483648",
        [](Mac& c) { c.stride_columns = 2, c.input.pixel_pitch_bytes = 1 << 30; }},
       {FaultCode::LimitExceeded, "runs of 32 bytes, allowed are as many and more",
        [](Mac& c) { c.input.row_pitch_bytes = 31; }},
       {FaultCode::None, "", [](Mac& c) { c.input.pixel_pitch_bytes = 16, c.dilation_columns = 2; }},
       {FaultCode::None, "", [](Mac& c) { c.input.row_pitch_bytes = 16, c.dilation_rows = 2; }},
       {FaultCode::None, "", [](Mac& c) { c.input.pixel_pitch_bytes = 16, c.input.block_pitch_bytes = 4096; }},
       {FaultCode::LimitExceeded, "input pixel_pitch is 15",
        [](Mac& c) { c.input.pixel_pitch_bytes = 15, c.input.block_pitch_bytes = 4096; }},
       {FaultCode::None, "", [](Mac& c) { c.input.pixel_pitch_bytes = 1, c.kernel_columns = 1, c.reduction_end = 96; }},
       {FaultCode::None, "", [](Mac& c) { c.input.row_pitch_bytes = 1, c.kernel_rows = 1, c.reduction_end = 96; }},
       {FaultCode::UnsupportedMode, "48 bits with 32-bit", [](Mac& c) { c.accumulator_is_48 = true; }},
       {FaultCode::None, "",
        [](Mac& c) { c.accumulator_is_48 = true, c.scale32 = false, c.rounding = spec::Rounding::Single; }},
       {FaultCode::UnsupportedMode, "slide_rows", [](Mac& c) { c.slide_rows = true; }},
       {FaultCode::LimitExceeded, "row_tile_rows", [](Mac& c) { c.row_tile_rows = 0; }},
       {FaultCode::LimitExceeded, "row_tile_rows", [](Mac& c) { c.row_tile_rows = spec::kAccumulatorRows + 1; }},
       {FaultCode::LimitExceeded, "lane_split_log2", [](Mac& c) { c.lane_split_log2 = 3; }},
       {FaultCode::LimitExceeded, "reduction_begin is 8, not a multiple of 16", [](Mac& c) { c.reduction_begin = 8; }},
       {FaultCode::ZeroCount, "the reduction is 288 to 288", [](Mac& c) { c.reduction_begin = 288; }},
       {FaultCode::LimitExceeded, "reduction_end is 289", [](Mac& c) { c.reduction_end = 289; }},
       {FaultCode::LimitExceeded, "out_channels of a slice is 24, allowed are 1 to 16", [](Mac& c) { c.last = false; }},
       {FaultCode::LimitExceeded, "accumulator rows of a slice is 72", [](Mac& c) { c.first = false, c.out_rows = 9; }},
       {FaultCode::LimitExceeded, "multiply-accumulates",
        [](Mac& c) { c.out_rows = c.out_columns = c.out_channels = 65535; }},
       {FaultCode::LimitExceeded, "input_zero_point is 128", [](Mac& c) { c.input_zero_point = 128; }},
       {FaultCode::LimitExceeded, "weight_zero_point is -129", [](Mac& c) { c.weight_zero_point = -129; }},
       {FaultCode::LimitExceeded, "output_zero_point is 128", [](Mac& c) { c.output_zero_point = 128; }},
       {FaultCode::LimitExceeded, "clamp is 5 to 4", [](Mac& c) { c.clamp_min = 5, c.clamp_max = 4; }},
       {FaultCode::LimitExceeded, "clamp is -128 to 128", [](Mac& c) { c.clamp_max = 128; }},
       {FaultCode::UnsupportedMode, "double rounding", [](Mac& c) { c.scale32 = false; }},
       {FaultCode::UnsupportedMode, "a residual of other", [](Mac& c) { c.addend.type = ElementType::Int16; }},
       {FaultCode::UnsupportedMode, "a residual without rescale", [](Mac& c) { c.rescale = false; }},
       {FaultCode::LimitExceeded, "residual shift is 1", [](Mac& c) { c.own_scale.shift = 1; }},
       {FaultCode::LimitExceeded, "residual shift is 63", [](Mac& c) { c.sum_scale.shift = 63; }},
       {FaultCode::LimitExceeded, "residual multiplier is -1", [](Mac& c) { c.addend_scale.multiplier = -1; }},
       {FaultCode::LimitExceeded, "sum_clamp", [](Mac& c) { c.sum_clamp_min = -129; }},
       {FaultCode::LimitExceeded, "sum_zero_point", [](Mac& c) { c.sum_zero_point = 200; }}});
}

TEST_CASE("a MAC command without residual keeps the rules of its output") {
  spec::Command sample = samples::convolution();
  std::get<Mac>(sample.body).residual = false;
  expect<Mac>(
      sample,
      {{FaultCode::None, "",
        [](Mac& c) { c.output_is_unsigned = true, c.output_zero_point = 255, c.clamp_min = 0, c.clamp_max = 255; }},
       {FaultCode::None, "", [](Mac& c) { c.rescale = false, c.output.type = ElementType::Int32; }},
       {FaultCode::None, "",
        [](Mac& c) { c.output.type = ElementType::Int16, c.output_zero_point = 0, c.clamp_min = -32768; }},
       {FaultCode::None, "", [](Mac& c) { c.first = false, c.out_channels = 16; }},
       {FaultCode::LimitExceeded, "uint16 allows 0 and 32768",
        [](Mac& c) { c.output.type = ElementType::Int16, c.output_is_unsigned = true; }},
       {FaultCode::LimitExceeded, "int32 has no zero point", [](Mac& c) { c.output.type = ElementType::Int32; }},
       {FaultCode::UnsupportedMode, "output_type is not int32", [](Mac& c) { c.rescale = false; }},
       {FaultCode::UnsupportedMode, "an unsigned int32",
        [](Mac& c) { c.output.type = ElementType::Int32, c.output_is_unsigned = true; }},
       {FaultCode::UnsupportedMode, "output_type is none of", [](Mac& c) { c.output.type = ElementType::Int48; }},
       {FaultCode::UnsupportedMode, "a table on other", [](Mac& c) { c.output.type = ElementType::Int16, c.table = true; }},
       {FaultCode::UnsupportedMode, "a table without rescale",
        [](Mac& c) { c.rescale = false, c.output.type = ElementType::Int32, c.table = true; }},
       {FaultCode::UnsupportedMode, "an unsigned output without rescale",
        [](Mac& c) { c.rescale = false, c.output.type = ElementType::Int32, c.output_is_unsigned = true; }}});
  expect<Mac>(
      samples::depthwise(),
      {{FaultCode::LimitExceeded, "taps overlap", [](Mac& c) { c.input.pixel_pitch_bytes = 31; }},
       {FaultCode::None, "", [](Mac& c) { c.weight_type = ElementType::Int4, c.weight_zero_point = 0; }},
       {FaultCode::LimitExceeded, "reduction_end is 10", [](Mac& c) { c.reduction_end = 10; }},
       {FaultCode::LimitExceeded, "out_channels of a depthwise command is 33", [](Mac& c) { c.out_channels = 33; }}});
}

TEST_CASE("a MAC command on int16 has 8- or 16-bit weights, no zero points, and accumulators of 32 or 48 bits") {
  spec::Command sample = samples::convolution();
  auto& mac = std::get<Mac>(sample.body);
  mac.input = {0x100, 8 * 64, 64, 32, ElementType::Int16};
  mac.input_zero_point = 0;
  mac.accumulator_is_48 = true;
  mac.scale32 = mac.rescale = mac.residual = false;
  mac.rounding = spec::Rounding::Single;
  mac.output.type = ElementType::Int48;
  const auto rescale_to = [](Mac& c, ElementType type) {
    c.rescale = true;
    c.output.type = type;
    c.output_zero_point = 0;
  };
  expect<Mac>(
      sample,
      {{FaultCode::None, "", [](Mac& c) { c.weight_type = ElementType::Int16; }},
       {FaultCode::None, "", [](Mac& c) { c.accumulator_is_48 = false, c.output.type = ElementType::Int32; }},
       {FaultCode::None, "", [&](Mac& c) { rescale_to(c, ElementType::Int8), c.table = true; }},
       {FaultCode::None, "", [&](Mac& c) { rescale_to(c, ElementType::Int16), c.clamp_min = -32768; }},
       {FaultCode::None, "", [&](Mac& c) { rescale_to(c, ElementType::Int32); }},
       {FaultCode::UnsupportedMode, "output_type is none of", [&](Mac& c) { rescale_to(c, ElementType::Int48); }},
       {FaultCode::UnsupportedMode, "a table on other", [&](Mac& c) { rescale_to(c, ElementType::Int16), c.table = true; }},
       {FaultCode::LimitExceeded, "int16 has no zero point",
        [&](Mac& c) { rescale_to(c, ElementType::Int16), c.output_zero_point = 1; }},
       {FaultCode::UnsupportedMode, "output_type of 48-bit accumulators",
        [](Mac& c) { c.output.type = ElementType::Int32; }},
       {FaultCode::UnsupportedMode, "output_type is not int32", [](Mac& c) { c.accumulator_is_48 = false; }},
       {FaultCode::UnsupportedMode, "48 bits with 32-bit", [](Mac& c) { c.scale32 = true; }},
       {FaultCode::LimitExceeded, "weight_pitch is 47, a line has 48",
        [](Mac& c) { c.weight_type = ElementType::Int16, c.weight_order = kTaps, c.weight_pitch_bytes = 47; }},
       {FaultCode::UnsupportedMode, "an unsigned int16 input", [](Mac& c) { c.input_is_unsigned = true; }},
       {FaultCode::UnsupportedMode, "weight_type", [](Mac& c) { c.weight_type = ElementType::Int4; }},
       {FaultCode::LimitExceeded, "weight_zero_point is 1",
        [](Mac& c) { c.weight_type = ElementType::Int16, c.weight_zero_point = 1; }},
       {FaultCode::None, "", [](Mac& c) { c.weight_zero_point = 1; }},
       {FaultCode::LimitExceeded, "runs of 64 bytes", [](Mac& c) { c.input.pixel_pitch_bytes = 63; }},
       {FaultCode::LimitExceeded, "out_channels of a slice is 24", [](Mac& c) { c.last = false; }}});
  const auto make_depthwise = [](Mac& c) { c.mode = spec::MacMode::Depthwise, c.reduction_end = 9; };
  expect<Mac>(sample, {{FaultCode::None, "", make_depthwise},
                       {FaultCode::UnsupportedMode, "weight_type of a depthwise command is int16, allowed are int8 and int4",
                        [&](Mac& c) { make_depthwise(c), c.weight_type = ElementType::Int16; }}});
}

TEST_CASE("a vector command that breaks a rule is refused") {
  using spec::VectorOp;
  expect<Vector>(
      samples::softmax_sum(),
      {{FaultCode::ZeroCount, "count", [](Vector& c) { c.counts[2] = 0; }},
       {FaultCode::ZeroCount, "lanes", [](Vector& c) { c.lanes = 0; }},
       {FaultCode::ZeroCount, "num_steps", [](Vector& c) { c.steps.clear(); }},
       {FaultCode::LimitExceeded, "num_steps is 25", [](Vector& c) { c.steps.resize(25); }},
       {FaultCode::LimitExceeded, "num_streams is 7", [](Vector& c) { c.streams.resize(7); }},
       {FaultCode::LimitExceeded, "kept_loops is 6", [](Vector& c) { c.kept_loops = 6; }},
       {FaultCode::LimitExceeded, "elements of the run",
        [](Vector& c) {
          c.counts = {4096, 4096, 4096, 4096, 4096};
        }},
       {FaultCode::LimitExceeded, "register is 16", [](Vector& c) { c.steps[3].b = 16; }},
       {FaultCode::LimitExceeded, "step_stream is 2, there are 2", [](Vector& c) { c.steps[1].stream = 2; }},
       {FaultCode::LimitExceeded, "step_slot is 2", [](Vector& c) { c.steps[2].slot = 2; }},
       {FaultCode::LimitExceeded, "clamp is 3 to 2",
        [](Vector& c) { c.steps[3].op = VectorOp::Clamp, c.steps[3].imm0 = 3, c.steps[3].imm1 = 2; }},
       {FaultCode::LimitExceeded, "shift amount is 32",
        [](Vector& c) { c.steps[3] = {.op = VectorOp::ShiftLeft, .b_is_immediate = true, .imm0 = 32}; }},
       {FaultCode::LimitExceeded, "step_shift is 1", [](Vector& c) { c.steps[3] = {.op = VectorOp::Rescale, .shift = 1}; }},
       {FaultCode::None, "",
        [](Vector& c) {
          const int64_t sum = c.steps[0].dst, value = c.steps[1].dst, shift = c.steps[2].dst;
          c.steps[3] = {.op = VectorOp::Rescale, .dst = sum, .a = sum, .b = value, .c = shift, .c_is_shift = true};
          CHECK(spec::schedule(c, spec::kPresets[1].datapath));
        }},
       {FaultCode::LimitExceeded, "multiplier is 40000",
        [](Vector& c) {
          c.steps[3] = {.op = VectorOp::Rescale, .b_is_immediate = true, .scale32 = false, .shift = 20, .imm0 = 40000};
        }},
       {FaultCode::LimitExceeded, "int32 has no zero point",
        [](Vector& c) { c.steps[3] = {.op = VectorOp::Rescale, .shift = 20, .imm1 = 1}; }},
       {FaultCode::UnsupportedMode, "double rounding",
        [](Vector& c) {
          c.steps[3] = {.op = VectorOp::Rescale, .scale32 = false, .rounding = spec::Rounding::Double, .shift = 9};
        }},
       {FaultCode::UnsupportedMode, "a rescale to unsigned int32",
        [](Vector& c) { c.steps[3] = {.op = VectorOp::Rescale, .is_unsigned = true, .shift = 9}; }},
       {FaultCode::UnsupportedMode, "a wrap to",
        [](Vector& c) { c.steps[3] = {.op = VectorOp::Wrap, .type = ElementType::Int48}; }},
       {FaultCode::UnsupportedMode, "a table of", [](Vector& c) { c.steps[2].type = ElementType::Bool; }},
       {FaultCode::UnsupportedMode, "a stream of other", [](Vector& c) { c.streams[0].type = ElementType::Int4; }},
       {FaultCode::UnsupportedMode, "an unsigned stream", [](Vector& c) { c.streams[1].is_unsigned = true; }},
       {FaultCode::UnsupportedMode, "without a reduction", [](Vector& c) { c.kept_loops = 5, c.lanes_reduced = false; }}});
}

TEST_CASE("a 48-bit value goes to rescale, wrap and store only") {
  using spec::VectorOp;
  Vector c;
  c.streams = {{0, ElementType::Int48, false, 8, {}}, {512, ElementType::Int32, false, 4, {}}};
  const spec::VectorStep load{.op = VectorOp::Load, .dst = 3, .stream = 0};
  const spec::VectorStep one{.op = VectorOp::Move, .dst = 1, .b_is_immediate = true};
  const auto fault_of = [&](std::vector<spec::VectorStep> steps) {
    c.steps = std::move(steps);
    const bool has_schedule = spec::schedule(c, spec::kPresets[1].datapath);
    const FaultCode fault = check_v256({{spec::Queue::VectorUnit, 0, 0}, c}).fault;
    CHECK((has_schedule || fault != FaultCode::None));
    return fault;
  };
  constexpr auto kWrap = VectorOp::Wrap, kRescale = VectorOp::Rescale, kAdd = VectorOp::Add, kLoadAdd = VectorOp::LoadAdd;
  CHECK(fault_of({load, {.op = kWrap, .dst = 3, .a = 3}, {.op = VectorOp::Abs, .dst = 3, .a = 3}}) == FaultCode::None);
  CHECK(fault_of({load, {.op = VectorOp::Store, .a = 3, .stream = 1}}) == FaultCode::None);
  CHECK(fault_of({load, one, {.op = kRescale, .dst = 1, .a = 3, .b = 1, .scale32 = false, .shift = 9}}) == FaultCode::None);
  CHECK(fault_of({load, one, {.op = kRescale, .dst = 1, .a = 3, .b = 1, .shift = 9}}) == FaultCode::UnsupportedMode);
  CHECK(fault_of({load, one, {.op = kRescale, .dst = 1, .a = 1, .b = 3, .scale32 = false, .shift = 9}}) ==
        FaultCode::UnsupportedMode);
  CHECK(fault_of({load, one, {.op = kAdd, .dst = 1, .a = 1, .b = 3}}) == FaultCode::UnsupportedMode);
  CHECK(fault_of({one, {.op = kLoadAdd, .dst = 1, .stream = 0}}) == FaultCode::UnsupportedMode);
  CHECK(fault_of({load, {.op = kLoadAdd, .dst = 3, .stream = 1}}) == FaultCode::UnsupportedMode);
  CHECK(fault_of({load, one, {.op = kLoadAdd, .dst = 1, .stream = 1}}) == FaultCode::None);
  CHECK(fault_of({{.op = VectorOp::Load, .dst = 3, .stream = 0, .shift = 1}}) == FaultCode::LimitExceeded);
  CHECK(fault_of({{.op = VectorOp::Load, .dst = 3, .stream = 1, .shift = 31}}) == FaultCode::None);
  CHECK(fault_of({{.op = VectorOp::Load, .dst = 3, .stream = 1, .shift = 32}}) == FaultCode::LimitExceeded);
  CHECK(fault_of({load, one, {.op = kAdd, .dst = 1, .a = 1, .b = 3, .b_is_immediate = true}}) == FaultCode::None);
  CHECK(fault_of({load, one, {.op = VectorOp::Select, .dst = 1, .a = 1, .b = 1, .c = 3}}) == FaultCode::UnsupportedMode);
  // A body that reads a register before it loads it sees the wide value the second time round.
  CHECK(fault_of({{.op = VectorOp::Abs, .dst = 1, .a = 3}, load}) == FaultCode::UnsupportedMode);
}

TEST_CASE("a DMA command that breaks a rule is refused") {
  using spec::DmaKind;
  expect<Dma>(samples::copy(),
              {{FaultCode::LimitExceeded, "index_limit is 0", [](Dma& c) { c.kind = DmaKind::Gather; }},
               {FaultCode::LimitExceeded, "index_limit is 0", [](Dma& c) { c.kind = DmaKind::Scatter; }},
               {FaultCode::LimitExceeded, "index_limit",
                [](Dma& c) { c.kind = DmaKind::Scatter, c.index_limit = spec::kMaxCommandElements + 1; }},
               {FaultCode::None, "", [](Dma& c) { c.kind = DmaKind::Gather, c.index_limit = 9, c.index_base = 64; }},
               {FaultCode::ReservedEncoding, "index_base is 4", [](Dma& c) { c.index_base = 4; }},
               {FaultCode::ReservedEncoding, "index_limit 3", [](Dma& c) { c.index_limit = 3; }},
               {FaultCode::UnsupportedMode, "a transpose outside", [](Dma& c) { c.kind = DmaKind::Transpose; }},
               {FaultCode::ZeroCount, "count", [](Dma& c) { c.counts[0] = 0; }},
               {FaultCode::ZeroCount, "run_bytes", [](Dma& c) { c.run_bytes = 0; }},
               {FaultCode::LimitExceeded, "bytes of the copy",
                [](Dma& c) {
                  c.counts = {1 << 20, 1 << 20, 1 << 20, 1 << 20, 1};
                }},
               {FaultCode::ReservedEncoding, "fill_bytes is 3", [](Dma& c) { c.kind = DmaKind::Fill, c.fill_bytes = 3; }},
               {FaultCode::ReservedEncoding, "fill_bytes is 0", [](Dma& c) { c.kind = DmaKind::Fill, c.fill_bytes = 0; }},
               {FaultCode::LimitExceeded, "not a multiple",
                [](Dma& c) { c.kind = DmaKind::Fill, c.fill_bytes = 8, c.run_bytes = 12; }},
               {FaultCode::None, "", [](Dma& c) { c.kind = DmaKind::Fill, c.fill_bytes = 8; }},
               {FaultCode::UnsupportedMode, "from SRAM only", [](Dma& c) { c.kind = DmaKind::TableFill; }}});
  spec::Command fill{{}, Dma{}};
  auto& c = std::get<Dma>(fill.body);
  c.kind = DmaKind::TableFill;
  c.table_type = ElementType::Int16;
  c.run_bytes = 1026;
  expect<Dma>(fill, {{FaultCode::LimitExceeded, "the table has 256", [](Dma& d) { d.table_type = ElementType::Int8; }},
                     {FaultCode::LimitExceeded, "table_slot is 2", [](Dma& d) { d.table_slot = 2; }},
                     {FaultCode::LimitExceeded, "count of a table fill", [](Dma& d) { d.counts[4] = 2; }},
                     {FaultCode::UnsupportedMode, "table_type", [](Dma& d) { d.table_type = ElementType::Bool; }}});
}

TEST_CASE("a transpose that breaks a rule is refused") {
  spec::Command transpose{{}, Dma{}};
  auto& c = std::get<Dma>(transpose.body);
  c.kind = spec::DmaKind::Transpose;
  c.counts = {1, 2, 1, 5, 7};
  c.run_bytes = 2;
  c.src.strides_bytes = {0, 100, 0, 16, 2};
  c.dst.strides_bytes = {0, -100, 0, 2, 11};
  constexpr auto kExternal = base::MemorySpace::External;
  expect<Dma>(transpose,
              {{FaultCode::UnsupportedMode, "a transpose outside", [](Dma& d) { d.src.base.space = kExternal; }},
               {FaultCode::UnsupportedMode, "a transpose outside", [](Dma& d) { d.dst.base.space = kExternal; }},
               {FaultCode::LimitExceeded, "run_bytes is 3", [](Dma& d) { d.run_bytes = 3; }},
               {FaultCode::LimitExceeded, "run_bytes is 16", [](Dma& d) { d.run_bytes = 16; }},
               {FaultCode::LimitExceeded, "source stride 4 is 1", [](Dma& d) { d.src.strides_bytes[4] = 1; }},
               {FaultCode::LimitExceeded, "destination stride 3 is 4", [](Dma& d) { d.dst.strides_bytes[3] = 4; }},
               {FaultCode::ZeroCount, "count", [](Dma& d) { d.counts[4] = 0; }},
               {FaultCode::None, "", [](Dma& d) { d.run_bytes = d.src.strides_bytes[4] = d.dst.strides_bytes[3] = 8; }}});
}
