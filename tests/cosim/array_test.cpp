// SPDX-License-Identifier: Apache-2.0
// npu_mac_array against the kernels and the schedule of the contract. Where the program has no RTL, these tests say so and
// check nothing.
#include "hw/timing/mac_edges.hpp"
#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/unit/hw_sequence/counted_command.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace vernier;
using namespace vernier::cosim;

namespace {

/// RTL cycles of a command alone, which has so many rows, all equal to the model's.
int64_t ideal_cycles(const spec::RtlBlock& unit, const Work& command, int64_t rows) {
  ClockedBlock block(make_rtl_block(unit.name, 8), unit, 8);
  ArrayLockStep lock_step(block, kN8);
  lock_step.run_sequence({{command}, ArrayPace::Ideal});
  check_equal(lock_step.result());
  CHECK(lock_step.result().vectors == rows);
  return lock_step.result().rtl_cycles;
}

}  // namespace

TEST_CASE("array: one channel tile, one row tile, several steps") {
  if (!has_rtl()) return;
  // 2 to the first word, 2 of load, 1 of swap, 3 x 9 rows; then the pipeline, 9 rows of drain, the rescale unit.
  CHECK(ideal_cycles(mac_array(), pointwise(kN8, 24, 8), 9) == 2 + 2 + 1 + 27 + 5 + 9 + 4);
}

TEST_CASE("array: a residual, four cycles a row, with and without a table") {
  if (!has_rtl()) return;
  for (const bool has_table : {false, true}) {
    CHECK(ideal_cycles(datapath(), with_residual(kN8, 24, 8, has_table), 9) ==
          2 + 2 + 1 + 27 + 5 + 9 * 4 + 3 * 4 + (has_table ? 2 : 0));
  }
}

TEST_CASE(
    "array: int16 in passes: two a row, on each of the weight tiles, and a cycle a command for rows of several beats") {
  if (!has_rtl()) return;
  const auto cycles_of = [](const Work& array) { return ideal_cycles(mac_array(), array, 9); };
  Work array = pointwise(kN8, 24, 8);
  spec::MacCommand& m = array.mac();
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

TEST_CASE("array: two and four pixels in a row, the last group of each row of pixels filled up") {
  if (!has_rtl()) return;
  const auto cycles_of = [](int64_t split, int64_t rows) {
    Work array = pointwise(kN8, 24, 8);
    array.mac().lane_split_log2 = split;
    return ideal_cycles(mac_array(), array, rows);
  };
  // Two channel tiles of 4 channels, 6 rows of 2 pixels, 3 steps; 4 words of a first load in a cycle.
  CHECK(cycles_of(1, 12) == 2 + 1 + 1 + 2 * 6 * 3 + 5 + 6 + 4);
  // Four channel tiles of 2 channels, 3 rows of 4 pixels in 4 segments.
  CHECK(cycles_of(2, 12) == 2 + 1 + 1 + 4 * 3 * 3 * 2 + 5 + 3 + 4);
}

TEST_CASE("array: depthwise windows to and fro, alone and with the pixels of a row") {
  if (!has_rtl()) return;
  const auto cycles_of = [](int64_t split, int64_t rows, base::ElementType type) {
    Work array = pointwise(kN8, 8, 8);
    spec::MacCommand& m = array.mac();
    m.mode = spec::MacMode::Depthwise;
    m.lane_split_log2 = split;
    m.kernel_rows = 2;
    m.kernel_columns = 2;
    m.reduction_end = 4;
    m.in_rows = m.in_columns = 4;
    m.input.type = type;
    m.input_zero_point = type == base::ElementType::Int16 ? 0 : -3;
    m.input.pixel_pitch_bytes = m.input.block_pitch_bytes = 8 * base::stored_bytes(type);
    m.input.row_pitch_bytes = 4 * m.input.pixel_pitch_bytes;
    return ideal_cycles(mac_array(), array, rows);
  };
  // Four words in the first cycle, two in each other one; weights are four taps, a cycle.
  CHECK(cycles_of(0, 9, base::ElementType::Int8) == 2 + 1 + 1 + 9 + 5 + 9 + 4);
  // Twice the words: eight in two cycles before the first row's end, then passes of two cycles.
  CHECK(cycles_of(0, 9, base::ElementType::Int16) == 2 + 1 + 1 + 1 + 2 * 9 + 5 + 9 + 4);
  // Two channel tiles, rows of two pixels: two a line.
  CHECK(cycles_of(1, 12, base::ElementType::Int8) > 0);
}

TEST_CASE("array: RTL equals the model in value and edge, for each number of lanes, alone and with its lanes") {
  if (!has_rtl()) return;
  for (const char* unit : {"mac_array", "datapath"}) {
    for (const int lanes : built_widths(spec::rtl_block_of_unit(unit)->name)) {
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
  for (const int lanes : built_widths("npu_mac_array")) {
    CosimOptions options{"mac_array", "any", lanes, 3000, 6};
    options.sram_read_words = 2;
    check_equal(run_cosim(options).result);
  }
}

TEST_CASE("array: the edges that RTL is compared with follow from the beats, for commands alone and in sequence") {
  for (const char* preset : {"v64", "v256", "v1024", "v256-sram48"}) {
    const config::MachineConfig config = timing::machine(preset);
    Random random(77);
    for (int i = 0; i < 150; ++i) {
      const std::vector<Work> sequence = works_of(draw_array_sequence(config.datapath, random));
      const auto compare = [&](std::span<const Work> part) {
        std::vector<spec::MacCommand> commands;
        for (const Work& array : part) commands.push_back(array.mac());
        const std::vector<timing::CommandEdges> expected = timing::mac_edges(commands, config.datapath);
        sequence::CountedArray array;
        for (size_t c = 0; c < part.size(); ++c) {
          INFO(preset << ", sequence " << i << ", command " << c << ": " << describe(part[c].mac()));
          kernels::tests::MacCase mac;
          mac.datapath = config.datapath;
          mac.command = part[c].mac();
          const sequence::CountedCommand counted = array.run(mac);
          CHECK(expected[c].taken == counted.taken);
          CHECK(expected[c].results == counted.results);
          CHECK(expected[c].next_command == counted.next_command);
          CHECK(expected[c].busy_cycles == counted.busy_cycles);
          CHECK(expected[c].weight_load_cycles == counted.weight_load_cycles);
          CHECK(expected[c].rescale_contention_cycles == counted.rescale_contention_cycles);
          // The states in their order are as many cycles as these sums.
          std::map<spec::ArrayState, int64_t> sums;
          int64_t cycles = 0;
          for (const timing::StateCycles& spent : expected[c].states) {
            sums[spent.state] += spent.cycles;
            cycles += spent.cycles;
          }
          CHECK(cycles == counted.next_command - counted.taken);
          CHECK(sums[spec::ArrayState::Busy] == counted.busy_cycles);
          CHECK(sums[spec::ArrayState::WeightLoad] == counted.weight_load_cycles);
          CHECK(sums[spec::ArrayState::RescaleContention] == counted.rescale_contention_cycles);
        }
      };
      compare(sequence);
      for (const Work& array : sequence) compare(std::span(&array, 1));
    }
  }
}

TEST_CASE("array: bins are legal where package::check takes a command in them") {
  const ArrayCoverage coverage(kN8);
  const std::vector<std::string> missing = coverage.missing();
  CHECK(std::ssize(missing) == coverage.num_legal());
  const auto is_bin = [&](std::string_view name) { return std::ranges::find(missing, name) != missing.end(); };
  // Mapping x pixels a row x bits of activations x bits of weights x order: package::check has int4 weights of int8
  // activations in tiles only, and int16 ones neither of int8 activations nor of a depthwise command.
  for (const std::string mapping : {"convolution", "depthwise", "fully connected"}) {
    for (const std::string split : {"1 pixel a row", "2 pixels a row", "4 pixels a row"}) {
      for (const std::string order : {"tiles", "lane major", "tap major"}) {
        const auto has = [&](const std::string& types) {
          return is_bin(fmt::format("{}, {}, {}, {}", mapping, split, types, order));
        };
        CHECK(has("int8 activations, int8 weights"));
        CHECK(has("int16 activations, int8 weights"));
        CHECK(has("int16 activations, int16 weights") == (mapping != "depthwise"));
        CHECK_FALSE(has("int8 activations, int16 weights"));
        CHECK(has("int8 activations, int4 weights") == (order == "tiles"));
        CHECK_FALSE(has("int16 activations, int4 weights"));
      }
    }
  }
  CHECK(is_bin("not first, last, odd row tiles"));
  CHECK_FALSE(is_bin("not first, last, even row tiles"));
  CHECK(is_bin("first, last, even row tiles"));
  for (int i = 0; i < 2; ++i) {
    ArrayCoverage hit(kN8);
    hit.count((i == 0 ? pointwise(kN8, 24, 8) : depthwise(kN8)).mac());
    CHECK(hit.num_hit() == (i == 0 ? 5 : 10));
    CHECK(std::ssize(hit.missing()) == hit.num_legal() - hit.num_hit());
  }
}

TEST_CASE("array: taps that lie next to each other in another order than in the reduction, or on each other") {
  if (!has_rtl()) return;
  for (const spec::RtlBlock& unit : {mac_array(), datapath()}) {
    ClockedBlock block(make_rtl_block(unit.name, 8), unit, 8);
    ArrayLockStep lock_step(block, kN8);
    // 3 x 3 taps over maps of one and two columns, and planes of which the last has a channel of its own.
    for (const auto& [columns, channels] : {std::pair(1, 3), std::pair(2, 3), std::pair(1, 8), std::pair(2, 9)}) {
      Work array = pointwise(kN8, channels, 8);
      spec::MacCommand& m = array.mac();
      m.kernel_rows = m.kernel_columns = 3;
      m.origin_row = m.origin_column = -1;
      m.in_columns = m.out_columns = columns;
      m.input.row_pitch_bytes = columns * m.input.pixel_pitch_bytes;
      if (channels > 8) {
        m.input.pixel_pitch_bytes = 8;
        m.input.row_pitch_bytes = columns * 8;
        m.input.block_pitch_bytes = 3 * m.input.row_pitch_bytes;
      }
      m.reduction_end = 9 * channels;
      m.input.base = m.weight_base = 0;  // any bytes will do
      REQUIRE(is_legal(m, kN8));
      lock_step.run_sequence({{array}, ArrayPace::Ideal});
      lock_step.run_sequence({{array}, ArrayPace::Stalls});
    }
    check_equal(lock_step.result());
  }
}
