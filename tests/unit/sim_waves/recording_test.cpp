// SPDX-License-Identifier: Apache-2.0
#include "sim/waves/recording.hpp"

#include "hw/base/error.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::waves;

namespace {
constexpr kit::SignalId kSignal{3};
}

TEST_CASE("A recording keeps each value once, and of a cycle the last") {
  Recording recording;
  recording.changed(kSignal, 0, 5);
  recording.changed(kSignal, 4, 5);
  recording.changed(kSignal, 7, 6);
  recording.changed(kSignal, 7, 8);
  recording.changed(kSignal, 9, 1);
  recording.changed(kSignal, 9, 8);  // back in the same cycle: no change at all
  CHECK(recording.changes(3) == std::vector<Change>{{0, 5}, {7, 8}});
  CHECK(recording.changes(2).empty());
  CHECK(recording.changes(99).empty());
  CHECK_THROWS_AS(recording.changed(kSignal, 6, 0), base::InternalError);
}

TEST_CASE("Rates of a flow: the sum of what moves, and their integral is the sum of the amounts") {
  Recording recording;
  recording.moved(kSignal, 30, 40, 20);
  recording.moved(kSignal, 10, 20, 40);
  recording.moved(kSignal, 15, 25, 10);
  const std::vector<Rate> rates = recording.rates(3);
  CHECK(rates == std::vector<Rate>{{0, 0}, {10, 4}, {15, 5}, {20, 1}, {25, 0}, {30, 2}, {40, 0}});
  double integral = 0;
  for (size_t i = 0; i + 1 < rates.size(); ++i) {
    integral += rates[i].per_cycle * static_cast<double>(rates[i + 1].cycle - rates[i].cycle);
  }
  CHECK(integral == 70);
  CHECK(recording.rates(0) == std::vector<Rate>{{0, 0}});
  CHECK_THROWS_AS(recording.moved(kSignal, 4, 4, 1), base::InternalError);
}

TEST_CASE("Handovers are kept in the order in which they were told, by signal") {
  Recording recording;
  recording.handed_over(kSignal, {4, 9, 10, 12});
  recording.handed_over(kSignal, {3, 8, 11, 13});
  CHECK(recording.handovers(3) == std::vector<kit::Handover>{{4, 9, 10, 12}, {3, 8, 11, 13}});
  CHECK(recording.handovers(2).empty());
}

TEST_CASE("Several who watch are all told, and nobody is nobody") {
  Recording first, second;
  kit::Watchers watchers;
  watchers.add(nullptr);
  CHECK(watchers.observer() == nullptr);
  watchers.add(&first);
  CHECK(watchers.observer() == &first);
  watchers.add(&second);
  kit::Signals signals;
  const kit::SignalId signal = signals.declare({"npu", "count"});
  signals.watch(watchers.observer());
  signals.change(signal, 2, 3);
  signals.move(signal, 2, 4, 6);
  signals.hand_over(signal, {1, 2, 3, 4});
  for (const Recording* recording : {&first, &second}) {
    CHECK(recording->changes(0) == std::vector<Change>{{2, 3}});
    CHECK(recording->stretches(0) == std::vector<Stretch>{{2, 4, 6}});
    CHECK(recording->handovers(0) == std::vector<kit::Handover>{{1, 2, 3, 4}});
  }
}

TEST_CASE("A flow that begins at cycle 0 has its rate there") {
  Recording recording;
  recording.moved(kSignal, 0, 4, 6);
  CHECK(recording.rates(3) == std::vector<Rate>{{0, 1.5}, {4, 0}});
}
