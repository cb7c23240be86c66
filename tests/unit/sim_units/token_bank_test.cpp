// SPDX-License-Identifier: Apache-2.0
#include "sim/units/token_bank.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/latency.hpp"
#include "sim/kit/simulation_context.hpp"
#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using spec::Queue;
using support::tokens;

TEST_CASE("A token is not there at N-1 and is at N, for its pair of queues only") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  units::TokenBank bank("bank", clock);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  clock.begin();
  REQUIRE_FALSE(bank.give(Queue::Dma0, tokens({Queue::MacArray, Queue::VectorUnit}), 7));
  CHECK(bank.availability(Queue::MacArray, tokens({Queue::Dma0})).missing == 0);
  CHECK(bank.availability(Queue::MacArray, tokens({Queue::Dma0})).ready_cycle == spec::kTokenCycles);
  CHECK(bank.availability(Queue::MacArray, tokens({Queue::Dma0, Queue::Dma1})).missing == tokens({Queue::Dma1}));
  CHECK(bank.availability(Queue::Dma1, tokens({Queue::Dma0})).missing == tokens({Queue::Dma0}));
  CHECK(bank.availability(Queue::MacArray, 0).ready_cycle == 0);

  sc_core::sc_start(kit::to_time(spec::kTokenCycles - 1), sc_core::SC_RUN_TO_TIME);
  CHECK_THROWS_AS(bank.take(Queue::MacArray, tokens({Queue::Dma0}), 9), base::InternalError);
  sc_core::sc_start(kit::to_time(1), sc_core::SC_RUN_TO_TIME);
  const units::TokenIf::Token token = bank.take(Queue::MacArray, tokens({Queue::Dma0}), 9);
  CHECK(token.giver_idx == 7);
  CHECK(token.ready_cycle == spec::kTokenCycles);
  CHECK(bank.take(Queue::MacArray, 0, 9).giver_idx == -1);
  CHECK(bank.availability(Queue::MacArray, tokens({Queue::Dma0})).missing != 0);
  CHECK(bank.availability(Queue::VectorUnit, tokens({Queue::Dma0})).missing == 0);
}

TEST_CASE("A counter holds 255, one more gives nothing to anybody") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  units::TokenBank bank("bank", clock);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  clock.begin();
  for (int i = 0; i < 255; ++i) REQUIRE_FALSE(bank.give(Queue::Dma0, tokens({Queue::MacArray}), i));
  CHECK(bank.give(Queue::Dma0, tokens({Queue::Dma1, Queue::MacArray}), 255) == Queue::MacArray);
  CHECK(bank.availability(Queue::Dma1, tokens({Queue::Dma0})).missing != 0);
  bank.reset();
  CHECK(bank.availability(Queue::MacArray, tokens({Queue::Dma0})).missing != 0);
}

TEST_CASE("Of several tokens the one that came last names its giver, of those that came together the lowest queue's") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  units::TokenBank bank("bank", clock);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  clock.begin();
  const uint8_t to_array = tokens({Queue::MacArray});
  REQUIRE_FALSE(bank.give(Queue::Dma0, to_array, 1));
  REQUIRE_FALSE(bank.give(Queue::VectorUnit, to_array, 2));
  REQUIRE_FALSE(bank.give(Queue::Dma0, to_array, 3));
  REQUIRE_FALSE(bank.give(Queue::Dma1, to_array, 4));
  sc_core::sc_start(kit::to_time(5), sc_core::SC_RUN_TO_TIME);
  REQUIRE_FALSE(bank.give(Queue::VectorUnit, to_array, 5));
  sc_core::sc_start(kit::to_time(spec::kTokenCycles), sc_core::SC_RUN_TO_TIME);
  CHECK(bank.take(Queue::MacArray, tokens({Queue::Dma0, Queue::VectorUnit}), 9).giver_idx == 1);
  const units::TokenIf::Token late = bank.take(Queue::MacArray, tokens({Queue::Dma0, Queue::Dma1, Queue::VectorUnit}), 9);
  CHECK(late.giver_idx == 5);
  CHECK(late.ready_cycle == 5 + spec::kTokenCycles);
}
