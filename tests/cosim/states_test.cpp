// SPDX-License-Identifier: Apache-2.0
// The names on stall_o, counted by hand from docs/architecture/mac-array.md: a command alone, and with one port that stays
// away for some cycles. Cycle 0 is that of the first command's handshake.
#include "sim/cosim/network/cosim.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/array_commands.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::cosim;

namespace {

using Counts = ArrayStates::Counts;

/// Cycles of each state: idle, busy, fill, weight_load, rescale_contention, input_wait, output_wait.
void check_counts(const std::vector<Work>& commands, PortAbsence absence, const Counts& expected) {
  for (const std::string_view unit : {"npu_mac_array", "npu_datapath"}) {
    const spec::RtlBlock& description = unit == datapath().name ? datapath() : mac_array();
    ClockedBlock block(make_rtl_block(unit, 8), description, 8);
    ArrayLockStep lock_step(block, kN8);
    lock_step.run_sequence({.works = commands, .pace = ArrayPace::Chosen, .away = absence});
    check_equal(lock_step.result());
    for (size_t state = 0; state < expected.size(); ++state) {
      INFO(unit << ": " << spec::kArrayStateNames[state]);
      CHECK(lock_step.state_cycles()[state] == expected[state]);
    }
  }
}

/// A row of 60 pixels in row tiles of so many, in one step.
Work long_row(int64_t row_tile_rows) {
  Work array = pointwise(kN8, 8, 8);
  spec::MacCommand& m = array.mac();
  m.in_rows = m.out_rows = 1;
  m.in_columns = m.out_columns = 60;
  m.weight_base = 4096;
  m.row_tile_rows = row_tile_rows;
  return array;
}

}  // namespace

TEST_CASE("states: a command alone") {
  if (!has_rtl()) return;
  // The handshake; fill; two beats of weights and the swap; 3 x 9 rows, whose last one is cycle 32, in which the next
  // command could come; rows leave until cycle 32 + 5 + 9 + 4.
  check_counts({pointwise(kN8, 24, 8)}, {}, {1 + 18, 27, 2, 3, 0, 0, 0});
  // A slice: 9 rows, and 5 cycles until their sums are there.
  Work slice = pointwise(kN8, 24, 8);
  slice.mac().last = false;
  slice.mac().reduction_end = 8;
  slice.mac().row_tile_rows = 64;
  Work rest = slice;
  rest.mac().first = false;
  rest.mac().last = true;
  rest.mac().reduction_begin = 8;
  rest.mac().reduction_end = 24;
  check_counts({slice, rest}, {}, {1 + 18, 9 + 18, 2 + 5 + 2, 3 + 3, 0, 0, 0});
}

TEST_CASE("states: weights or activations stay away") {
  if (!has_rtl()) return;
  check_counts({pointwise(kN8, 24, 8)}, {PortStalls::kWeights, 3, 8}, {1 + 18, 27, 2, 3 + 5, 0, 0, 0});
  check_counts({pointwise(kN8, 24, 8)}, {PortStalls::kActivations, 10, 17}, {1 + 18, 27, 2, 3, 0, 7, 0});
  // The weights of the second step miss: they can be loaded from the first swap on, in cycles 5 and 6, and rows end in
  // cycle 14.
  check_counts({pointwise(kN8, 24, 8)}, {PortStalls::kWeights, 5, 20}, {1 + 18, 27, 2, 3 + 8, 0, 0, 0});
}

TEST_CASE("states: no command comes") {
  if (!has_rtl()) return;
  // The second command could come in cycle 32, and does in cycle 45.
  check_counts({pointwise(kN8, 24, 8), pointwise(kN8, 24, 8)}, {PortStalls::kCommands, 30, 45},
               {1 + 13 + 18, 54, 4, 6, 0, 0, 0});
}

TEST_CASE("states: results are not taken") {
  if (!has_rtl()) return;
  // Rows are taken from cycle 6 on, a cycle each, and read 9 - 6 + 5 later. In cycle 30 the first one of row tile 6 comes,
  // and rows of row tile 4 are not read yet, which has the same bank.
  check_counts({long_row(4)}, {PortStalls::kResults, 30, 40}, {1 + 13, 60, 2, 3, 0, 0, 10});
  // In cycle 36 the seventh row of row tile 2 comes, while rows of row tile 1 leave: six more can be taken. Then row tile 3
  // has no bank until the drain has moved for as long as it stood.
  check_counts({long_row(12)}, {PortStalls::kResults, 36, 50}, {1 + 21, 60, 2, 3, 14, 0, 0});
}
