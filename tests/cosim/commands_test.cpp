// SPDX-License-Identifier: Apache-2.0
// Legal commands at random on the RTL of the datapath of every machine: 2,000 of any kind, and pairs and triples of
// commands, slices and reductions that are given up. They are short, so that each machine's take few seconds.
#include "sim/cosim/network/cosim.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace vernier;
using namespace vernier::cosim;

namespace {

constexpr int64_t kNumCommands = 2000;
constexpr int64_t kNumPairs = 500;  // and as many triples
constexpr ArraySizes kShort{60, false};

/// How many of the commands have what a command may have; each of them at least 10 %.
struct Shares {
  int64_t commands = 0, slices = 0, int16 = 0, raw = 0, dilation = 0, strided_weights = 0;

  void count(const spec::MacCommand& m) {
    ++commands;
    slices += m.first && m.last ? 0 : 1;
    int16 += m.input.type == base::ElementType::Int16 ? 1 : 0;
    raw += m.last && !m.rescale ? 1 : 0;
    const bool has_rows = m.kernel_rows > 1 && m.dilation_rows > 1,
               has_columns = m.kernel_columns > 1 && m.dilation_columns > 1;
    dilation += has_rows || has_columns ? 1 : 0;
    strided_weights += m.weight_order == spec::WeightOrder::Tiles ? 0 : 1;
  }
  void check() const {
    const int64_t least = commands / 10;
    CHECK(commands >= kNumCommands);
    CHECK(slices >= least);
    CHECK(int16 >= least);
    CHECK(raw >= least);
    CHECK(dilation >= least);
    CHECK(strided_weights >= least);
  }
};

ArrayPace draw_pace(Random& random) { return static_cast<ArrayPace>(random.within(0, kNumPaces - 1)); }

void run_commands(ArrayLockStep& lock_step, const spec::Datapath& datapath, Random& random) {
  Shares shares;
  while (shares.commands < kNumCommands) {
    std::vector<Work> sequence = works_of(draw_array_sequence(datapath, random, kShort));
    for (const Work& array : sequence) {
      INFO(describe(array.mac()));
      REQUIRE(is_legal(array, datapath));
      shares.count(array.mac());
    }
    lock_step.run_sequence({std::move(sequence), draw_pace(random)});
  }
  shares.check();
}

/// First, last and the parity of the row tiles.
int kind_of(const spec::MacCommand& m, const spec::Datapath& datapath) {
  const sequence::MacOrder order(m, datapath);
  const bool is_odd = order.num_row_tiles * order.num_channel_tiles % 2 != 0;
  return (m.first ? 1 : 0) + (m.last ? 2 : 0) + (is_odd ? 4 : 0);
}

/// A whole command, with an odd number of row tiles or with an even one.
std::vector<Work> draw_whole(const spec::Datapath& datapath, Random& random) {
  const bool is_odd = random.chance(50);
  while (true) {
    Work array = draw_array_command(datapath, random, kShort);
    if ((kind_of(array.mac(), datapath) & 4) == (is_odd ? 4 : 0)) return {std::move(array)};
  }
}

/// A reduction in two slices or three, of which the last ones may be missing.
std::vector<Work> draw_reduction(const spec::Datapath& datapath, Random& random) {
  while (true) {
    std::vector<Work> slices = works_of(draw_array_slices(datapath, random, kShort));
    if (slices.size() < (random.chance(50) ? 2 : 3)) continue;
    if (random.chance(40)) slices.erase(slices.begin() + random.within(1, std::ssize(slices) - 1), slices.end());
    return slices;
  }
}

void run_neighbours(ArrayLockStep& lock_step, const spec::Datapath& datapath, Random& random) {
  std::set<std::pair<int, int>> kinds;
  for (const int64_t length : {2, 3}) {
    for (int64_t i = 0; i < kNumPairs; ++i) {
      std::vector<Work> sequence;
      while (std::ssize(sequence) < length) {
        for (Work& array : random.chance(60) ? draw_whole(datapath, random) : draw_reduction(datapath, random)) {
          sequence.push_back(std::move(array));
        }
      }
      sequence.erase(sequence.begin() + length, sequence.end());
      for (size_t k = 1; k < sequence.size(); ++k) {
        kinds.emplace(kind_of(sequence[k - 1].mac(), datapath), kind_of(sequence[k].mac(), datapath));
      }
      lock_step.run_sequence({std::move(sequence), draw_pace(random)});
    }
  }
  // Whole ones (even, odd), and of a reduction the first slice, one between, the last one. What goes on with a reduction
  // follows a slice of it; any kind that begins can follow any kind.
  const int even = 3, odd = 7, begins = 5, goes_on = 4, ends = 6;
  for (const int before : {even, odd, begins, goes_on, ends}) {
    for (const int after : {even, odd, begins, goes_on, ends}) {
      const bool is_possible = (after & 1) != 0 || (before & 2) == 0;
      INFO("kinds " << before << " and " << after);
      CHECK(kinds.contains({before, after}) == is_possible);
    }
  }
}

/// The sums of a residual still need the rescale unit when a command that is over at once follows.
void run_tiny(ArrayLockStep& lock_step, const spec::Datapath& datapath) {
  Work raw = pointwise(datapath, 1, 1);
  spec::MacCommand& m = raw.mac();
  m.in_rows = m.in_columns = m.out_rows = m.out_columns = 1;
  Work tiny = raw;
  m.rescale = false;
  m.output.type = base::ElementType::Int32;
  Work looked_up = tiny, tiny_residual = with_residual(datapath, 1, 1, false);
  looked_up.mac().table = true;
  spec::MacCommand& r = tiny_residual.mac();
  r.in_rows = r.in_columns = r.out_rows = r.out_columns = 1;
  for (const bool has_table : {false, true}) {
    const Work residual = with_residual(datapath, datapath.lanes, 2 * datapath.lanes, has_table);
    for (const ArrayPace pace : {ArrayPace::Ideal, ArrayPace::Stalls, ArrayPace::Held}) {
      for (const Work& after : {raw, tiny, looked_up, tiny_residual}) {
        REQUIRE(is_legal(after, datapath));
        lock_step.run_sequence({{residual, after, after, residual}, pace});
      }
    }
  }
}

void check_machine(std::string_view preset, const std::function<void(ArrayLockStep&, const spec::Datapath&)>& run) {
  if (!has_rtl()) return;
  const spec::Datapath machine = timing::machine(preset).datapath;
  if (!is_built(datapath().name, machine.lanes)) return;
  ClockedBlock block(make_rtl_block(datapath().name, static_cast<int>(machine.lanes)), datapath(),
                     static_cast<int>(machine.lanes));
  ArrayLockStep lock_step(block, machine, {.seed = 41});
  run(lock_step, machine);
  check_equal(lock_step.result());
}

void check_commands(std::string_view preset) {
  check_machine(preset, [](ArrayLockStep& lock_step, const spec::Datapath& machine) {
    Random random(42);
    run_commands(lock_step, machine, random);
    CHECK(lock_step.result().commands >= kNumCommands);
  });
}

void check_neighbours(std::string_view preset) {
  check_machine(preset, [](ArrayLockStep& lock_step, const spec::Datapath& machine) {
    Random random(43);
    run_neighbours(lock_step, machine, random);
  });
}

}  // namespace

TEST_CASE("2,000 commands at random on v64", "[slow]") { check_commands("v64"); }
TEST_CASE("2,000 commands at random on v256", "[slow]") { check_commands("v256"); }
TEST_CASE("2,000 commands at random on v1024", "[slow]") { check_commands("v1024"); }
TEST_CASE("2,000 commands at random on v256-sram48", "[slow]") { check_commands("v256-sram48"); }

TEST_CASE("500 pairs and 500 triples of commands on v64", "[slow]") { check_neighbours("v64"); }
TEST_CASE("500 pairs and 500 triples of commands on v256", "[slow]") { check_neighbours("v256"); }
TEST_CASE("500 pairs and 500 triples of commands on v1024", "[slow]") { check_neighbours("v1024"); }
TEST_CASE("500 pairs and 500 triples of commands on v256-sram48", "[slow]") { check_neighbours("v256-sram48"); }

TEST_CASE("a tiny command after one with a residual, on every machine") {
  for (const char* preset : {"v64", "v256", "v1024", "v256-sram48"}) check_machine(preset, run_tiny);
}
