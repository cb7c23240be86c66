// SPDX-License-Identifier: Apache-2.0
#include "sim/kit/state_tracker.hpp"

#include "hw/base/error.hpp"

#include <catch2/catch.hpp>

#include <array>

using namespace vernier::kit;

namespace {
constexpr std::array<std::string_view, 2> kNames{"fill", "token"};
constexpr Bucket kFill = Bucket::stall(0), kToken = Bucket::stall(1);
using Shares = std::vector<StateTracker::Share>;

int64_t total(const StateTracker& tracker) {
  Statistics node("unit");
  tracker.report(node);
  return node.sum();
}
}  // namespace

TEST_CASE("One track: waits and phases fill the time") {
  StateTracker tracker(kNames, 1, Merge::FirstActive);
  tracker.wait(0, kToken, 10);  // idle before
  tracker.begin_phase(0, 14);
  tracker.end_phase(0, Shares{{kFill, 3}, {Bucket::busy(), 5}}, 22);
  tracker.finish(30);
  CHECK(tracker.cycles(Bucket::idle()) == 10 + 8);
  CHECK(tracker.cycles(kToken) == 4);
  CHECK(tracker.cycles(kFill) == 3);
  CHECK(tracker.cycles(Bucket::busy()) == 5);
  CHECK(total(tracker) == 30);
  Statistics node("unit");
  tracker.report(node);
  CHECK(node.value("stall_cycles/token") == 4);
  CHECK(node.value("stall_cycles/fill") == 3);
  CHECK(node.value("busy_cycles") == 5);
  CHECK(node.value("idle_cycles") == 18);
}

TEST_CASE("A phase that accounts for too few or too many cycles shows in the sum") {
  for (const int64_t error : {-1, 1}) {
    StateTracker tracker(kNames, 1, Merge::FirstActive);
    tracker.begin_phase(0, 0);
    tracker.end_phase(0, Shares{{Bucket::busy(), 8 + error}}, 8);
    tracker.finish(10);
    CHECK(total(tracker) == 10 + error);
  }
}

TEST_CASE("The first track in a phase gives the bucket") {
  StateTracker tracker(kNames, 2, Merge::FirstActive);
  tracker.begin_phase(0, 0);  // main 0..10: fill 4, busy 6
  tracker.end_phase(0, Shares{{kFill, 4}, {Bucket::busy(), 6}}, 10);
  tracker.begin_phase(1, 10);  // drain 10..16: fill 2, busy 4
  tracker.wait(0, kToken, 10);
  tracker.begin_phase(0, 13);  // the next main 13..20: fill 7
  tracker.end_phase(1, Shares{{kFill, 2}, {Bucket::busy(), 4}}, 16);
  tracker.end_phase(0, Shares{{kFill, 7}}, 20);
  tracker.finish(20);
  CHECK(tracker.cycles(kFill) == 4 + 2 + 7);       // the drain's fill counts, it is alone
  CHECK(tracker.cycles(Bucket::busy()) == 6 + 1);  // of the drain only cycle 12 is not covered by the main
  CHECK(tracker.cycles(kToken) == 0);              // a drain in a phase hides the wait
  CHECK(total(tracker) == 20);
}

TEST_CASE("Any busy track makes the unit busy, else the lowest that stalls") {
  StateTracker tracker(kNames, 2, Merge::AnyBusy);
  tracker.begin_phase(0, 0);
  tracker.begin_phase(1, 0);
  tracker.end_phase(0, Shares{{kFill, 6}, {Bucket::busy(), 2}}, 8);
  tracker.end_phase(1, Shares{{kToken, 2}, {Bucket::busy(), 2}, {kToken, 6}}, 10);
  tracker.finish(12);
  CHECK(tracker.cycles(Bucket::busy()) == 4);  // cycles 2, 3 and 6, 7
  CHECK(tracker.cycles(kFill) == 4);
  CHECK(tracker.cycles(kToken) == 2);
  CHECK(tracker.cycles(Bucket::idle()) == 2);
}

TEST_CASE("A phase that has not ended counts as busy, reset forgets") {
  StateTracker tracker(kNames, 2, Merge::FirstActive);
  tracker.begin_phase(0, 3);
  tracker.finish(10);
  CHECK(tracker.cycles(Bucket::busy()) == 7);
  CHECK(total(tracker) == 10);
  tracker.reset();
  tracker.finish(4);
  CHECK(tracker.cycles(Bucket::idle()) == 4);
  CHECK(total(tracker) == 4);
}

TEST_CASE("Phases are properly nested") {
  StateTracker tracker(kNames, 1, Merge::FirstActive);
  CHECK_THROWS_AS(tracker.end_phase(0, Shares{}, 1), vernier::base::InternalError);
  tracker.begin_phase(0, 1);
  CHECK_THROWS_AS(tracker.begin_phase(0, 2), vernier::base::InternalError);
  CHECK_THROWS_AS(tracker.wait(0, kFill, 2), vernier::base::InternalError);
}
