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
  REQUIRE_FALSE(bank.give(Queue::Dma0, tokens({Queue::MacArray, Queue::VectorUnit})));
  CHECK(bank.availability(Queue::MacArray, tokens({Queue::Dma0})).missing == 0);
  CHECK(bank.availability(Queue::MacArray, tokens({Queue::Dma0})).ready_cycle == spec::kTokenCycles);
  CHECK(bank.availability(Queue::MacArray, tokens({Queue::Dma0, Queue::Dma1})).missing == tokens({Queue::Dma1}));
  CHECK(bank.availability(Queue::Dma1, tokens({Queue::Dma0})).missing == tokens({Queue::Dma0}));
  CHECK(bank.availability(Queue::MacArray, 0).ready_cycle == 0);

  sc_core::sc_start(kit::to_time(spec::kTokenCycles - 1), sc_core::SC_RUN_TO_TIME);
  CHECK_THROWS_AS(bank.take(Queue::MacArray, tokens({Queue::Dma0})), base::InternalError);
  sc_core::sc_start(kit::to_time(1), sc_core::SC_RUN_TO_TIME);
  bank.take(Queue::MacArray, tokens({Queue::Dma0}));
  CHECK(bank.availability(Queue::MacArray, tokens({Queue::Dma0})).missing != 0);
  CHECK(bank.availability(Queue::VectorUnit, tokens({Queue::Dma0})).missing == 0);
}

TEST_CASE("A counter holds 255, one more gives nothing to anybody") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  units::TokenBank bank("bank", clock);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  clock.begin();
  for (int i = 0; i < 255; ++i) REQUIRE_FALSE(bank.give(Queue::Dma0, tokens({Queue::MacArray})));
  CHECK(bank.give(Queue::Dma0, tokens({Queue::Dma1, Queue::MacArray})) == Queue::MacArray);
  CHECK(bank.availability(Queue::Dma1, tokens({Queue::Dma0})).missing != 0);
  bank.reset();
  CHECK(bank.availability(Queue::MacArray, tokens({Queue::Dma0})).missing != 0);
}
