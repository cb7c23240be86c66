// SPDX-License-Identifier: Apache-2.0
// Plays worked by hand. v256: four words read and two written a cycle, eight banks.
#include "hw/timing/bank_play.hpp"

#include "hw/config/machine_config.hpp"

#include <catch2/catch.hpp>

namespace vernier::timing {
namespace {

const spec::Datapath kDatapath = config::preset_config("v256", "test").datapath;
const BankBeat kInBank0{{0}, true}, kInBank1{{1}, true}, kTwiceInBank0{{0, 0, 1}, true}, kTwiceInBank3{{3, 3}, true};

/// Rows of one word each, all in bank 0, in row tiles of 50 that share a weight tile of four words, and their results.
BankPlay one_word_rows(int64_t num_row_tiles, const BankBeat& result) {
  BankPlay play(kDatapath, {.passes = 1, .drain_cycles = 1, .fill_cycles = 9});
  play.add_weight_beat({{4, 5, 6, 7}, true});
  for (int64_t tile = 0; tile < num_row_tiles; ++tile) {
    for (int64_t row = 0; row < 50; ++row) {
      play.add_row_beat(kInBank0);
      play.add_result(result);
    }
    play.end_rows(tile == 0, true, 50);
  }
  return play;
}

TEST_CASE("words in banks of their own cost nothing") {
  const BankPlay::Cost cost = one_word_rows(4, kInBank1).cost(200);
  CHECK(cost.main == 0);
  CHECK(cost.drain == 0);
}

TEST_CASE("a result in the bank of the rows takes a cycle of it, while there are rows") {
  // Row tile t is multiplied while tile t - 1 is drained, so that the results of three tiles of 50 meet rows. What stands in
  // the pipeline when the last row is taken is written later, beside nothing.
  const BankPlay::Cost cost = one_word_rows(4, kInBank0).cost(200);
  CHECK(cost.main <= 150);
  CHECK(cost.main >= 150 - 9 - 4);
  CHECK(cost.drain <= 9 + 4);
}

TEST_CASE("words of one row in one bank are read one after the other, unless the passes of the row hide it") {
  for (const int64_t passes : {1, 2, 3}) {
    BankPlay play(kDatapath, {.passes = passes, .drain_cycles = 1, .fill_cycles = 9});
    play.add_weight_beat({{4, 5, 6, 7}, true});
    for (int64_t row = 0; row < 100; ++row) play.add_row_beat(kTwiceInBank0);
    play.end_rows(true, true, 0);
    const int64_t main = play.cost(100).main;
    CAPTURE(passes, main);
    CHECK(main <= (passes == 1 ? 100 : 1));
    CHECK(main >= (passes == 1 ? 100 - 4 : 0));  // the first beats are ahead
  }
}

TEST_CASE("words of weights in one bank delay the tiles that wait for them") {
  // Twenty tiles of one row each: a beat of four words in four cycles instead of one.
  BankPlay play(kDatapath, {.passes = 1, .drain_cycles = 1, .fill_cycles = 9});
  for (int64_t step = 0; step < 20; ++step) {
    play.add_weight_beat({{2, 2, 2, 2}, true});
    play.add_row_beat(kInBank0);
    play.end_rows(true, step == 19, 0);
  }
  const int64_t main = play.cost(20).main;
  CAPTURE(main);
  CHECK(main <= 60);
  CHECK(main >= 54);
}

TEST_CASE("words of an addend's row in one bank delay the drain") {
  BankPlay play(kDatapath, {.passes = 1, .drain_cycles = 1, .fill_cycles = 9});
  play.add_weight_beat({{4, 5, 6, 7}, true});
  for (int64_t row = 0; row < 50; ++row) {
    play.add_row_beat(kInBank0);
    play.add_addend(kTwiceInBank3);
    play.add_result(kInBank1);
  }
  play.end_rows(true, true, 50);
  const BankPlay::Cost cost = play.cost(50);
  CAPTURE(cost.main, cost.drain);
  CHECK(cost.main == 0);
  CHECK(cost.drain <= 50);
  CHECK(cost.drain >= 40);  // the first addends have come while the rows were multiplied
}

TEST_CASE("the rest of a long command loses as much as the second half of what is played") {
  BankPlay play = one_word_rows(1, kInBank0);
  int64_t num_beats = 50;
  while (!play.is_full()) {
    for (int64_t row = 0; row < 50; ++row, ++num_beats) {
      play.add_row_beat(kInBank0);
      play.add_result(kInBank0);
    }
    play.end_rows(false, true, 50);
  }
  CHECK(num_beats >= 4096);
  CHECK(num_beats < 4096 + 50);
  const int64_t played = play.cost(num_beats).main, of_three_times = play.cost(3 * num_beats).main;
  CHECK(played > num_beats - 100);
  CHECK(of_three_times > 3 * played - 60);
  CHECK(of_three_times < 3 * played + 200);
}

}  // namespace
}  // namespace vernier::timing
