// SPDX-License-Identifier: Apache-2.0
// The memories behind their sockets, and the arbiter in simulated time.
#include "hw/base/error.hpp"
#include "sim/kit/simulation_context.hpp"
#include "sim/mem/in_flight_arbiter.hpp"
#include "sim/mem/memory.hpp"

#include <catch2/catch.hpp>
#include <tlm_utils/simple_initiator_socket.h>

using namespace vernier;

namespace {

class Host : public sc_core::sc_module {
 public:
  explicit Host(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  tlm_utils::simple_initiator_socket<Host> initiator{"initiator"};
  tlm::tlm_response_status access(tlm::tlm_command command, uint64_t address, std::vector<unsigned char>& bytes) {
    tlm::tlm_generic_payload transaction;
    transaction.set_command(command);
    transaction.set_address(address);
    transaction.set_data_ptr(bytes.data());
    transaction.set_data_length(static_cast<unsigned>(bytes.size()));
    sc_core::sc_time delay;
    initiator->b_transport(transaction, delay);
    return transaction.get_response_status();
  }
};

/// Asks to be woken in each cycle in which one of its plans starts, and notes what happens.
class Starter : public kit::Module, public mem::PhaseClient {
 public:
  struct Plan {
    int64_t start_cycle;
    timing::Phase phase;
  };
  Starter(const sc_core::sc_module_name& name, kit::JobClock& clock, std::vector<Plan> plans)
      : kit::Module(name, clock), plans_(std::move(plans)) {}
  sc_core::sc_port<mem::PhaseIf> phase_port{"phase_port"};
  void reset() override { next_ = 0; }
  void start() { phase_port->wake_at(plans_.front().start_cycle, *this); }
  void phase_ended(const timing::Ended& ended) override {
    CHECK(ended.end == now());
    ends.push_back(now());
    log.push_back(fmt::format("end {}", now()));
  }
  void woken() override {
    log.push_back(fmt::format("wake {}", now()));
    while (next_ < plans_.size() && plans_[next_].start_cycle == now()) {
      phase_port->start_phase(plans_[next_++].phase, timing::Priority::VectorUnit, *this);
    }
    if (next_ < plans_.size()) phase_port->wake_at(plans_[next_].start_cycle, *this);
  }
  std::vector<int64_t> ends;
  std::vector<std::string> log;

 private:
  std::vector<Plan> plans_;
  size_t next_ = 0;
};

timing::Phase reading(int64_t cycles, int64_t words) {
  timing::Phase phase;
  phase.cycles = phase.busy_cycles = cycles;
  phase.demand[static_cast<size_t>(timing::Resource::SramRead)] = words;
  return phase;
}

timing::Capacities four_words() {
  timing::Capacities capacities;
  capacities.per_cycle.fill(4);
  return capacities;
}

std::vector<int64_t> ends_of(std::vector<Starter::Plan> plans) {
  const kit::SimulationContext context;
  kit::JobClock clock;
  mem::InFlightArbiter arbiter("arbiter", clock, four_words());
  Starter starter("starter", clock, std::move(plans));
  starter.phase_port(arbiter);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  clock.begin();
  starter.start();
  sc_core::sc_start();
  return starter.ends;
}

}  // namespace

TEST_CASE("The memory answers transactions, in bounds and out") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  mem::Memory memory("memory", clock, 64);
  Host one("one"), two("two");
  one.initiator.bind(memory.access_target);
  two.initiator.bind(memory.access_target);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::vector<unsigned char> bytes{1, 2, 3, 4};
  CHECK(one.access(tlm::TLM_WRITE_COMMAND, 60, bytes) == tlm::TLM_OK_RESPONSE);
  CHECK(memory.storage().first_unwritten(60, 4) == std::nullopt);
  CHECK(memory.storage().first_unwritten(59, 5) == 59);
  std::vector<unsigned char> back(4);
  CHECK(two.access(tlm::TLM_READ_COMMAND, 60, back) == tlm::TLM_OK_RESPONSE);
  CHECK(back == bytes);
  CHECK(two.access(tlm::TLM_READ_COMMAND, 61, back) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(two.access(tlm::TLM_WRITE_COMMAND, ~uint64_t{0}, back) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("Demands that fit slow nobody, those that sum to 1.5 of the port end when the rule says") {
  // 0.45 + 0.45 of the port.
  CHECK(ends_of({{0, reading(100, 180)}, {0, reading(100, 180)}}) == std::vector<int64_t>{100, 100});
  // 0.75 + 0.75: the first runs at full speed and leaves 0.25, a third of what the second asks: it has done 33.3 when the
  // first ends, and runs at full speed from there.
  const std::vector<int64_t> ends = ends_of({{0, reading(100, 300)}, {0, reading(100, 300)}});
  REQUIRE(ends.size() == 2);
  CHECK(ends[0] == 100);
  CHECK(ends[1] == 167);
}

TEST_CASE("A late start moves an end that was already scheduled") {
  // 0.75 of the port from 0; older ones are served first, so the newcomer at 50 gets a third of its speed until 100.
  const std::vector<int64_t> ends = ends_of({{0, reading(100, 300)}, {50, reading(60, 180)}});
  REQUIRE(ends.size() == 2);
  CHECK(ends[0] == 100);
  CHECK(ends[1] == 144);  // 16.7 of 60 done at 100, 43.3 to go
}

TEST_CASE("Ends come before wakes, a client is woken once a cycle and in the earlier of two, by one event a cycle") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  mem::InFlightArbiter arbiter("arbiter", clock, four_words());
  Starter first("first", clock, {{0, reading(10, 0)}, {10, reading(5, 0)}});
  Starter second("second", clock, {{10, reading(7, 0)}});
  first.phase_port(arbiter);
  second.phase_port(arbiter);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  clock.begin();
  first.start();
  arbiter.wake_at(12, second);
  arbiter.wake_at(10, second);
  arbiter.wake_at(11, second);
  sc_core::sc_start();
  CHECK(first.log == std::vector<std::string>{"wake 0", "end 10", "wake 10", "end 15"});
  CHECK(second.log == std::vector<std::string>{"wake 10", "end 17"});
  CHECK(clock.num_activations() == 4);  // 0, 10, 15, 17
  CHECK_THROWS_AS(arbiter.wake_at(16, first), base::InternalError);
}

TEST_CASE("A phase that the host starts between two of the machine's events ends like any other") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  mem::InFlightArbiter arbiter("arbiter", clock, four_words());
  Starter starter("starter", clock, {});
  starter.phase_port(arbiter);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  clock.begin();
  arbiter.start_phase(reading(7, 0), timing::Priority::VectorUnit, starter);
  sc_core::sc_start();
  CHECK(starter.log == std::vector<std::string>{"end 7"});
  starter.log.clear();
  arbiter.wake_at(9, starter);
  arbiter.start_phase(reading(4, 0), timing::Priority::VectorUnit, starter);
  sc_core::sc_start();
  CHECK(starter.log == std::vector<std::string>{"wake 9", "end 11"});
}

TEST_CASE("Reset forgets phases in flight and wakes: the next job meets none of them") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  mem::InFlightArbiter arbiter("arbiter", clock, four_words());
  Starter old_job("old_job", clock, {{0, reading(1000, 4000)}}), new_job("new_job", clock, {{0, reading(100, 400)}});
  old_job.phase_port(arbiter);
  new_job.phase_port(arbiter);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  clock.begin();
  old_job.start();
  arbiter.wake_at(20, new_job);
  sc_core::sc_start(kit::to_time(10), sc_core::SC_RUN_TO_TIME);
  arbiter.wake_at(20, old_job);
  CHECK(old_job.log == std::vector<std::string>{"wake 0"});
  clock.halt();
  arbiter.reset();
  clock.begin();
  sc_core::sc_start();
  CHECK(clock.num_activations() == 0);  // no event of the old job is left
  new_job.start();
  sc_core::sc_start();
  CHECK(old_job.log == std::vector<std::string>{"wake 0"});
  CHECK(new_job.log == std::vector<std::string>{"wake 0", "end 100"});  // all of the port is its own
}

TEST_CASE("After a client has failed and a reset the arbiter serves again") {
  class Failing : public mem::PhaseClient {
   public:
    void phase_ended(const timing::Ended&) override {}
    void woken() override { throw base::InternalError("broken"); }
  };
  const kit::SimulationContext context;
  kit::JobClock clock;
  mem::InFlightArbiter arbiter("arbiter", clock, four_words());
  Starter starter("starter", clock, {{3, reading(4, 0)}});
  starter.phase_port(arbiter);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Failing failing;
  clock.begin();
  arbiter.wake_at(5, failing);
  sc_core::sc_start();
  CHECK_THROWS_WITH(clock.rethrow_failure(), "broken");
  arbiter.reset();
  clock.begin();
  starter.start();
  sc_core::sc_start();
  CHECK(starter.log == std::vector<std::string>{"wake 3", "end 7"});
}

TEST_CASE("Reset of a memory forgets its bytes") {
  const kit::SimulationContext context;
  kit::JobClock clock;
  mem::Memory memory("memory", clock, 1 << 16);
  Host host("host");
  host.initiator.bind(memory.access_target);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::vector<unsigned char> bytes(40, 0x5A), back(40, 1);
  CHECK(host.access(tlm::TLM_WRITE_COMMAND, 16370, bytes) == tlm::TLM_OK_RESPONSE);  // over the border of a page
  memory.mark_written(100, 7);
  CHECK(memory.storage().first_unwritten(100, 8) == 107);
  memory.reset();
  CHECK(memory.storage().first_unwritten(16370, 40) == 16370);
  CHECK(memory.storage().first_unwritten(100, 1) == 100);
  CHECK(host.access(tlm::TLM_READ_COMMAND, 16370, back) == tlm::TLM_OK_RESPONSE);
  CHECK(back == std::vector<unsigned char>(40, 0));
}
