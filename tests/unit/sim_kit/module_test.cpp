// SPDX-License-Identifier: Apache-2.0
#include "sim/kit/module.hpp"

#include "hw/base/error.hpp"
#include "sim/kit/simulation_context.hpp"

#include <catch2/catch.hpp>

using namespace vernier;

namespace {

/// Counts its wake-ups, and throws at one of them.
class Ticker : public kit::Module {
 public:
  Ticker(const sc_core::sc_module_name& name, kit::JobClock& clock) : kit::Module(name, clock) {
    SC_METHOD(tick_method);
    sensitive << tick_event_;
    dont_initialize();
  }
  void reset() override { tick_event_.cancel(); }
  void start() { tick_event_.notify(sc_core::SC_ZERO_TIME); }
  std::vector<int64_t> cycles;
  int64_t throw_at_cycle = -1, halt_at_cycle = -1;

 private:
  SC_HAS_PROCESS(Ticker);
  void tick_method() {
    guarded([this] {
      cycles.push_back(now());
      if (now() == throw_at_cycle) throw base::InternalError("broken");
      if (now() == halt_at_cycle) return clock().halt();
      tick_event_.notify(kit::to_time(10));
    });
  }
  sc_core::sc_event tick_event_;
};

}  // namespace

TEST_CASE("Cycles count from the start of each job, and an exception reaches the caller") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  Ticker ticker("ticker", clock);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK(ticker.cycles.empty());

  ticker.halt_at_cycle = 30;
  for (int job = 0; job < 3; ++job) {
    ticker.cycles.clear();
    clock.begin();
    ticker.start();
    sc_core::sc_start();
    CHECK(ticker.cycles == std::vector<int64_t>{0, 10, 20, 30});
    CHECK(clock.now() == 30);
    CHECK(clock.num_activations() == 4);
    CHECK_NOTHROW(clock.rethrow_failure());
  }

  ticker.throw_at_cycle = 20;
  clock.begin();
  ticker.start();
  sc_core::sc_start();
  CHECK_FALSE(clock.is_running());
  CHECK_THROWS_WITH(clock.rethrow_failure(), "broken");
  CHECK_NOTHROW(clock.rethrow_failure());
}

TEST_CASE("The first failure of a job is the one that the caller sees") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  clock.begin();
  clock.fail(std::make_exception_ptr(base::InternalError("the cause")));
  clock.fail(std::make_exception_ptr(base::InternalError("what followed")));
  CHECK_THROWS_WITH(clock.rethrow_failure(), "the cause");
}

TEST_CASE("A second context elaborates after the first has run, and both go on") {
  const kit::SimulationContext first;
  kit::JobClock first_clock;
  Ticker one("one", first_clock);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const kit::SimulationContext second;
  kit::JobClock second_clock;
  Ticker two("two", second_clock);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  one.halt_at_cycle = two.halt_at_cycle = 20;
  for (int round = 0; round < 2; ++round) {
    first.activate();
    first_clock.begin();
    one.start();
    sc_core::sc_start();
    second.activate();
    second_clock.begin();
    two.start();
    sc_core::sc_start();
  }
  CHECK(one.cycles == std::vector<int64_t>{0, 10, 20, 0, 10, 20});
  CHECK(two.cycles == one.cycles);
}

TEST_CASE("SystemC's errors are our exceptions") {
  const kit::SimulationContext context;
  CHECK_THROWS_AS(SC_REPORT_ERROR("test", "something"), base::InternalError);
  CHECK_THROWS_AS(SC_REPORT_WARNING("test", "something"), base::InternalError);
  CHECK_NOTHROW(SC_REPORT_INFO("test", "something"));
}
