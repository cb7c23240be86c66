// SPDX-License-Identifier: Apache-2.0
#include "sim/explain/least_bandwidth.hpp"

#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using support::dma_copy;
using support::external;
using support::sram;
using support::vector_add;

namespace {

soc::JobResult simulated(const package::Package& package) {
  soc::Npu npu(package.config);
  soc::JobOptions options;
  options.values = false;
  soc::JobResult job = npu.run(package, {}, options);
  REQUIRE(job.is_done());
  return job;
}

int64_t cycles_at(package::Package package, base::Ratio bandwidth) {
  package.config.external.bytes_per_cycle = bandwidth;
  return simulated(package).cycles;
}

/// A load of `bytes` beside a vector command over `elements`, and `num_more` copies in SRAM.
package::Package made(int64_t bytes, int64_t elements, int num_more = 0, base::Ratio bandwidth = 16,
                      bool is_full_duplex = false) {
  config::MachineConfig config = config::preset_config("v256", "test");
  config.external.bytes_per_cycle = bandwidth;
  config.external.is_full_duplex = is_full_duplex;
  support::StreamAssembler stream(config);
  stream.ramp(external(0), bytes).ramp(sram(0x20000), 64);
  stream.add(dma_copy(spec::Queue::Dma0, external(0), sram(0), bytes));
  if (elements > 0) stream.ramp(sram(0x30000), elements).add(vector_add(0x30000, 0x60000, elements, 1));
  for (int i = 0; i < num_more; ++i) stream.add(dma_copy(spec::Queue::Dma0, sram(0x20000), sram(0x21000), 64));
  stream.end();
  return stream.package();
}

/// What is found is enough, and a step less is not.
void check_least(const package::Package& package, int64_t num_steps) {
  const soc::JobResult job = simulated(package);
  const auto found = explain::least_external_bandwidth(package, job);
  REQUIRE(found);
  const base::Ratio whole = package.config.external.bytes_per_cycle;
  int64_t steps = 1;
  while (base::Ratio(whole.numerator() * steps, whole.denominator() * num_steps) < *found) ++steps;
  CHECK(base::Ratio(whole.numerator() * steps, whole.denominator() * num_steps) == *found);
  CHECK(steps <= num_steps);
  CHECK(100 * cycles_at(package, *found) <= 101 * job.cycles);
  if (steps == 1) return;
  const base::Ratio less(whole.numerator() * (steps - 1), whole.denominator() * num_steps);
  CHECK(100 * cycles_at(package, less) > 101 * job.cycles);
}

TEST_CASE("a program that only loads needs all of its bandwidth") {
  const package::Package package = made(0x10000, 0);
  CHECK(explain::least_external_bandwidth(package, simulated(package)) == base::Ratio(16));
  check_least(package, 64);
}

TEST_CASE("a load beside something longer needs as much as ends it in time") {
  const package::Package package = made(0x1000, 0x20000);
  const auto found = explain::least_external_bandwidth(package, simulated(package));
  REQUIRE(found);
  CHECK(*found < base::Ratio(2));
  check_least(package, 64);
  check_least(made(0x8000, 0x10000, 0, 16, true), 64);
  check_least(made(0x800, 0x8000, 0, {1, 3}), 64);
}

TEST_CASE("where both ways work at once a load and a store need as much as one of them, else as both") {
  for (const bool is_full_duplex : {true, false}) {
    config::MachineConfig config = config::preset_config("v256", "test");
    config.external.is_full_duplex = is_full_duplex;
    support::StreamAssembler stream(config);
    stream.ramp(external(0), 0x8000).ramp(sram(0x10000), 0x8000).ramp(sram(0x30000), 0x20000);
    stream.add(dma_copy(spec::Queue::Dma0, external(0), sram(0), 0x8000));
    stream.add(dma_copy(spec::Queue::Dma1, sram(0x10000), external(0x10000), 0x8000));
    stream.add(vector_add(0x30000, 0x60000, 0x20000, 1)).end();
    const soc::JobResult job = simulated(stream.package());
    REQUIRE(job.cycles < 0x8000 / 3);  // a way alone needs more than 3 bytes per cycle
    check_least(stream.package(), 64);
    const auto found = explain::least_external_bandwidth(stream.package(), job);
    CHECK((*found < base::Ratio(2 * 0x8000, job.cycles)) == is_full_duplex);
  }
}

TEST_CASE("many commands are looked at in larger steps") { check_least(made(0x8000, 0x10000, 5'000), 16); }

TEST_CASE("without external memory there is nothing to find") {
  config::MachineConfig config = config::preset_config("v256", "test");
  support::StreamAssembler stream(config);
  stream.ramp(sram(0x20000), 64).add(dma_copy(spec::Queue::Dma0, sram(0x20000), sram(0x21000), 64)).end();
  CHECK_FALSE(explain::least_external_bandwidth(stream.package(), simulated(stream.package())));
}

TEST_CASE("a bandwidth in the finest fraction stays in it") {
  const base::Ratio odd(30'000'000'001, config::kMostBandwidthDenominator);  // 0.3 bytes per cycle
  const package::Package package = made(0x40, 0x8000, 0, odd);
  const auto found = explain::least_external_bandwidth(package, simulated(package));
  REQUIRE(found);
  CHECK(found->denominator() <= config::kMostBandwidthDenominator);
  CHECK(*found < odd);
  CHECK(100 * cycles_at(package, *found) <= 101 * simulated(package).cycles);
}

}  // namespace
