// SPDX-License-Identifier: Apache-2.0
// Words of commands in flight together, counted by hand, and random ones against a look at every cycle.
#include "sim/report/bank_meetings.hpp"

#include "tests/support/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

namespace vernier::report {
namespace {

TEST_CASE("Of two commands in flight together the lesser one's words can cost a cycle each") {
  CHECK(bank_meetings({{{0, 100, 300}}, {{50, 150, 40}}}).cycles == 40);
  CHECK(bank_meetings({{{0, 100, 30}}, {{50, 150, 400}}}).cycles == 30);
  CHECK(bank_meetings({{{0, 100, 30}}, {{50, 150, 0}}}).cycles == 0);
}

TEST_CASE("Commands that are not in flight in the same cycle cannot meet") {
  const BankMeetings apart = bank_meetings({{{0, 100, 300}}, {{100, 150, 40}}});
  CHECK(apart.cycles == 0);
  CHECK_FALSE(apart.is_together);
  CHECK(bank_meetings({{{0, 101, 300}}, {{100, 150, 40}}}).cycles == 40);
  CHECK(bank_meetings({{{149, 200, 300}}, {{100, 150, 40}}}).cycles == 40);
  CHECK(bank_meetings({{{150, 200, 300}}, {{100, 150, 40}}}).cycles == 0);
  CHECK(bank_meetings({}).cycles == 0);
}

TEST_CASE("A long command that others meet one after the other is charged once") {
  // Three commands of the array beside one copy of 50 words, and beside one of 1,000.
  const std::vector<BankUse> array{{0, 10, 100}, {10, 20, 100}, {20, 30, 100}};
  CHECK(bank_meetings({array, {{0, 30, 50}}}).cycles == 50);
  CHECK(bank_meetings({array, {{0, 30, 1000}}}).cycles == 300);
  CHECK(bank_meetings({array, {{5, 15, 1000}}}).cycles == 200);
}

TEST_CASE("Of three commands all words but the greatest one's") {
  CHECK(bank_meetings({{{0, 10, 100}}, {{0, 10, 40}}, {{0, 10, 7}}}).cycles == 47);
  CHECK(bank_meetings({{{0, 10, 7}}, {{0, 10, 40}}, {{0, 10, 100}}}).cycles == 7 + 47);
}

TEST_CASE("The next command of a unit meets what the drain before it takes") {
  CHECK(bank_meetings({{{0, 100, 300, 20}, {90, 200, 300, 20}}}).cycles == 20);
  CHECK(bank_meetings({{{0, 100, 300, 20}, {90, 200, 5, 5}}}).cycles == 5);
  const BankMeetings apart = bank_meetings({{{0, 100, 300, 20}, {100, 200, 300, 20}}});
  CHECK(apart.cycles == 0);
  CHECK_FALSE(apart.is_together);
}

TEST_CASE("Commands in flight together without words are together all the same") {
  const BankMeetings meetings = bank_meetings({{{0, 100, 0}}, {{50, 150, 0}}});
  CHECK(meetings.cycles == 0);
  CHECK(meetings.is_together);
}

/// Words of random cycles: in a cycle each but the greatest command's words can cost one.
TEST_CASE("Random commands: never less than what any way of laying the words in time can cost") {
  const uint64_t seed = 271828;
  CAPTURE(seed);
  tests::Random random(seed);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::vector<BankUse>> units(static_cast<size_t>(random.within(1, 5)));
    std::map<int64_t, std::vector<int64_t>> words_of_cycle;  // by command
    for (std::vector<BankUse>& uses : units) {
      for (int64_t at = random.within(0, 5), n = random.within(0, 5); n > 0; --n) {
        BankUse use{at, at + random.within(1, 12), 0, 0};
        for (int64_t cycle = use.start_cycle; cycle < use.end_cycle; ++cycle) {
          const int64_t words = random.within(0, 4);
          use.words += words;
          words_of_cycle[cycle].push_back(words);
        }
        uses.push_back(use);
        at = use.end_cycle + random.within(0, 3);
      }
    }
    int64_t cost = 0;
    for (const auto& [cycle, words] : words_of_cycle) {
      for (const int64_t count : words) cost += count;
      cost -= *std::max_element(words.begin(), words.end());
    }
    CAPTURE(i);
    CHECK(bank_meetings(units).cycles >= cost);
  }
}

}  // namespace
}  // namespace vernier::report
