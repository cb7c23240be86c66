// SPDX-License-Identifier: Apache-2.0
// npu_mac_array against the kernels and the schedule of the contract. Where the program has no RTL, these tests say so and
// check nothing.
#include "hw/timing/mac_edges.hpp"
#include "sim/cosim/array_lock_step.hpp"
#include "sim/cosim/cosim.hpp"
#include "tests/unit/hw_sequence/counted_command.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::cosim;

namespace {

constexpr spec::Datapath kN8{8, 4, 2};

bool has_rtl() {
  if (!rtl_blocks().empty()) return true;
  WARN("skipped: this program was built without Verilator");
  return false;
}

const spec::RtlBlock& array() { return spec::kRtlBlocks[2]; }
const spec::RtlBlock& datapath() { return spec::kRtlBlocks[3]; }

void check_equal(const LockStepResult& result) {
  for (const std::string& text : result.first_mismatches) UNSCOPED_INFO(text);
  CHECK(result.mismatches == 0);
  CHECK(result.cycle_mismatches == 0);
  CHECK(result.rtl_cycles == result.model_cycles);
}

/// 3 x 3 pixels of `channels` channels, 1 x 1, to `out_channels`, int8 through the rescale unit.
ArrayCommand pointwise(const spec::Datapath& datapath, int64_t channels, int64_t out_channels) {
  ArrayCommand array;
  spec::MacCommand& m = array.command;
  m.in_rows = m.in_columns = m.out_rows = m.out_columns = 3;
  m.in_channels = m.reduction_end = channels;
  m.out_channels = out_channels;
  m.input.pixel_pitch_bytes = channels;
  m.input.row_pitch_bytes = 3 * channels;
  m.input.block_pitch_bytes = datapath.lanes;
  m.output.pixel_pitch_bytes = out_channels;
  m.output.row_pitch_bytes = 3 * out_channels;
  m.output.block_pitch_bytes = datapath.lanes;
  m.rescale = true;
  m.clamp_min = -128;
  m.clamp_max = 127;
  m.input_zero_point = -3;
  m.weight_zero_point = 2;
  m.weight_base = 1024;
  m.parameter_base = 16384;
  array.sram.resize(32768);
  Random random(5);
  for (std::byte& byte : array.sram) byte = static_cast<std::byte>(random.bits());
  for (int64_t channel = 0; channel < out_channels; ++channel) {
    std::byte* parameters = array.sram.data() + m.parameter_base + channel * spec::kChannelParameterBytes;
    parameters[2] = parameters[3] = std::byte{0};
    parameters[7] &= std::byte{0x7f};
    parameters[8] = std::byte{38};
  }
  return array;
}

}  // namespace

TEST_CASE("array: one channel tile, one row tile, several steps") {
  if (!has_rtl()) return;
  ClockedBlock block(make_rtl_block("npu_mac_array", 8), array(), 8);
  ArrayLockStep lock_step(block, kN8, 1);
  lock_step.run_sequence({pointwise(kN8, 24, 8)}, ArrayPace::Ideal);
  check_equal(lock_step.result());
  CHECK(lock_step.result().vectors == 9);
  // 2 to the first word, 2 of load, 1 of swap, 3 x 9 rows; then the pipeline, 9 rows of drain, the rescale unit.
  CHECK(lock_step.result().rtl_cycles == 2 + 2 + 1 + 27 + 5 + 9 + 4);
}

TEST_CASE("array: a residual, four cycles a row, with and without a table") {
  if (!has_rtl()) return;
  for (const bool has_table : {false, true}) {
    ArrayCommand array = pointwise(kN8, 24, 8);
    spec::MacCommand& m = array.command;
    m.table = has_table;
    m.residual = true;
    m.addend = m.output;
    m.addend.base = 20000;
    m.own_scale = m.addend_scale = {1 << 30, 11};
    m.sum_scale = {1 << 30, 50};
    m.residual_zero_point = 7;
    m.addend_zero_point = -9;
    m.sum_zero_point = 3;
    m.sum_clamp_min = -128;
    m.sum_clamp_max = 127;
    ClockedBlock block(make_rtl_block("npu_datapath", 8), spec::kRtlBlocks[3], 8);
    ArrayLockStep lock_step(block, kN8, 1);
    lock_step.run_sequence({array}, ArrayPace::Ideal);
    check_equal(lock_step.result());
    CHECK(lock_step.result().vectors == 9);
    CHECK(lock_step.result().rtl_cycles == 2 + 2 + 1 + 27 + 5 + 9 * 4 + 3 * 4 + (has_table ? 2 : 0));
  }
}

TEST_CASE(
    "array: int16 in passes: two a row, on each of the weight tiles, and a cycle a command for rows of several beats") {
  if (!has_rtl()) return;
  const auto cycles_of = [](const ArrayCommand& array) {
    ClockedBlock block(make_rtl_block("npu_mac_array", 8), spec::kRtlBlocks[2], 8);
    ArrayLockStep lock_step(block, kN8, 1);
    lock_step.run_sequence({array}, ArrayPace::Ideal);
    check_equal(lock_step.result());
    CHECK(lock_step.result().vectors == 9);
    return lock_step.result().rtl_cycles;
  };
  ArrayCommand array = pointwise(kN8, 24, 8);
  spec::MacCommand& m = array.command;
  m.input.type = base::ElementType::Int16;
  m.input_zero_point = 0;
  m.input.pixel_pitch_bytes = 48;
  m.input.row_pitch_bytes = 3 * 48;
  m.input.block_pitch_bytes = 16;
  m.weight_base = 4096;
  CHECK(cycles_of(array) == 2 + 2 + 1 + 2 * 27 + 5 + 9 + 4);
  m.weight_type = base::ElementType::Int16;
  m.weight_zero_point = 0;
  CHECK(cycles_of(array) == 2 + 4 + 1 + 4 * 27 + 5 + 9 + 4);  // 16 words of a tile, of which 8 bytes each count
  // Four taps of two channels, with a byte between: four segments.
  m.weight_type = base::ElementType::Int8;
  m.in_channels = 2;
  m.in_columns = 6;
  m.kernel_columns = 4;
  m.reduction_end = 8;
  m.input.pixel_pitch_bytes = 5;
  m.input.row_pitch_bytes = 30;
  CHECK(cycles_of(array) == 2 + 2 + 1 + 1 + 2 * 9 + 5 + 9 + 4);
}

TEST_CASE("array: RTL equals the model in value and edge, for each number of lanes, alone and with its lanes") {
  if (!has_rtl()) return;
  for (const char* unit : {"mac_array", "datapath"}) {
    for (const int lanes : spec::kRtlLanes) {
      const CosimReport report = run_cosim({unit, "any", lanes, lanes == 8 ? 10'000 : 3000, 5});
      INFO(cosim_text(report));
      CHECK(report.result.vectors == report.options.vectors);
      CHECK(report.result.commands > 100);
      check_equal(report.result);
    }
  }
}

TEST_CASE("array: two words a cycle of weights, as with a narrow port") {
  if (!has_rtl()) return;
  CosimOptions options{"mac_array", "v256-sram48", 16, 3000, 6};
  options.sram_read_words = 2;
  check_equal(run_cosim(options).result);
}

TEST_CASE("array: registers and memories start from anything, five seeds, the same results") {
  if (!has_rtl()) return;
  for (int seed = 1; seed <= 5; ++seed) {
    auto block = make_rtl_block("npu_datapath", 8, RtlVariant::Check, {.reset_seed = seed});
    check_equal(run_cosim({"datapath", "v64", 8, 2000, 11}, std::move(block)).result);
  }
}

TEST_CASE("array: a reset in the middle of a command, and the next one is as the first") {
  if (!has_rtl()) return;
  ClockedBlock block(make_rtl_block("npu_datapath", 8), datapath(), 8);
  for (const int64_t rows : {1, 5, 8}) {
    ArrayLockStep first(block, kN8, 1);
    first.run_sequence({pointwise(kN8, 24, 8)}, ArrayPace::Ideal, rows);  // stops behind so many rows
    check_equal(first.result());
    ArrayLockStep again(block, kN8, 1);  // resets
    again.run_sequence({pointwise(kN8, 24, 8), pointwise(kN8, 8, 24)}, ArrayPace::Ideal);
    check_equal(again.result());
    CHECK(again.result().vectors == 9 + 27);
  }
}

TEST_CASE("array: the edges that RTL is compared with follow from the beats, for commands alone and in sequence") {
  for (const char* preset : {"v64", "v256", "v1024", "v256-sram48"}) {
    const config::MachineConfig config = timing::machine(preset);
    Random random(77);
    for (int i = 0; i < 150; ++i) {
      const std::vector<ArrayCommand> sequence = draw_array_sequence(config.datapath, random);
      const auto compare = [&](std::span<const ArrayCommand> part) {
        std::vector<spec::MacCommand> commands;
        for (const ArrayCommand& array : part) commands.push_back(array.command);
        const std::vector<timing::CommandEdges> expected = timing::mac_edges(commands, config.datapath);
        sequence::CountedArray array;
        for (size_t c = 0; c < part.size(); ++c) {
          INFO(preset << ", sequence " << i << ", command " << c << ": " << describe(part[c].command));
          kernels::tests::MacCase mac;
          mac.datapath = config.datapath;
          mac.command = part[c].command;
          const sequence::CountedCommand counted = array.run(mac);
          CHECK(expected[c].taken == counted.taken);
          CHECK(expected[c].results == counted.results);
          CHECK(expected[c].next_command == counted.next_command);
          CHECK(expected[c].busy_cycles == counted.busy_cycles);
          CHECK(expected[c].weight_load_cycles == counted.weight_load_cycles);
          CHECK(expected[c].rescale_contention_cycles == counted.rescale_contention_cycles);
        }
      };
      compare(sequence);
      for (const ArrayCommand& array : sequence) compare(std::span(&array, 1));
    }
  }
}

TEST_CASE("array: what has no RTL is named") {
  spec::MacCommand m = pointwise(kN8, 8, 8).command;
  CHECK(without_rtl(m, kN8).empty());
  m.lane_split_log2 = 1;
  CHECK(without_rtl(m, kN8) == "no RTL yet for a lane split");
  m = pointwise(kN8, 8, 8).command;
  // Ten channels: the first step is 16 bytes, the second one 4 of the same tap and 12 of the next.
  m.input.type = base::ElementType::Int16;
  m.input_zero_point = 0;
  CHECK(without_rtl(m, kN8).empty());
  m.in_channels = 10;
  m.in_columns = 4;
  m.kernel_columns = 2;
  m.reduction_end = 20;
  m.input.pixel_pitch_bytes = 21;
  m.input.row_pitch_bytes = 100;
  m.input.block_pitch_bytes = 16;
  CHECK(without_rtl(m, kN8) ==
        "no RTL yet for int16 activations whose first step takes one beat a row and a later one several");
  m.mode = spec::MacMode::Depthwise;
  CHECK(without_rtl(m, kN8) == "no RTL yet for depthwise commands");
}
