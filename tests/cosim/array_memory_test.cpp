// SPDX-License-Identifier: Apache-2.0
// Array and vector unit with npu_agu and an SRAM behind their ports: edges of ideal memories where the SRAM has no limits,
// the same values with banks and ports, no earlier.
#include "tests/cosim/agu_bench.hpp"
#include "tests/cosim/array_checks.hpp"

#include <catch2/catch.hpp>

#include <span>

using namespace vernier;
using namespace vernier::cosim;

namespace {

int64_t ideal_cycles(const spec::MacCommand& command, const spec::Datapath& datapath) {
  return timing::mac_edges(std::span(&command, 1), datapath).front().results.back();
}

}  // namespace

TEST_CASE("with addresses of npu_agu and an SRAM without limits the array has the edges of ideal memories") {
  if (!has_rtl()) return;
  for (const int lanes : {8, 16, 32}) {
    ArrayBench bench(lanes, false);
    Random random(static_cast<uint64_t>(lanes));
    for (int i = 0; i < 150; ++i) {
      ArrayCommand command = draw_array_command(bench.datapath(), random);
      INFO(lanes << " lanes, command " << i);
      const int64_t ideal = ideal_cycles(command.command, bench.datapath());
      const int64_t cycles = bench.run(std::move(command));
      CHECK(cycles == ideal);
      REQUIRE(bench.mismatch() == "");
    }
    CHECK(bench.beats() > 10000);
  }
}

TEST_CASE("with banks and ports the array gives the same values, no earlier") {
  if (!has_rtl()) return;
  for (const int lanes : {8, 16, 32}) {
    ArrayBench bench(lanes, true);
    Random random(static_cast<uint64_t>(lanes) + 7);
    int64_t later = 0;
    for (int i = 0; i < 100; ++i) {
      ArrayCommand command = draw_array_command(bench.datapath(), random);
      INFO(lanes << " lanes, command " << i);
      const int64_t ideal = ideal_cycles(command.command, bench.datapath());
      const int64_t cycles = bench.run(std::move(command));
      CHECK(cycles >= ideal);
      later += cycles > ideal ? 1 : 0;
      REQUIRE(bench.mismatch() == "");
    }
    CHECK(later > 10);
  }
}

TEST_CASE("with addresses of npu_agu the vector unit has the edges of ideal memories, with banks the same values") {
  if (!has_rtl()) return;
  for (const int lanes : {8, 16, 32}) {
    VectorBench ideal(lanes, false), banked(lanes, true);
    Random random(static_cast<uint64_t>(lanes));
    const kernels::TableMemory tables = draw_vector_tables(random);
    ideal.set_tables(tables);
    banked.set_tables(tables);
    for (int i = 0; i < 100; ++i) {
      const VectorJob job = draw_vector_job(ideal.datapath(), tables, random);
      INFO(lanes << " lanes, program " << i);
      const int64_t cycles = ideal.run(job);
      CHECK(cycles == VectorRun(job, ideal.datapath(), tables).cycles);
      CHECK(banked.run(job) >= cycles);
      REQUIRE(ideal.mismatch() == "");
      REQUIRE(banked.mismatch() == "");
    }
  }
}
