// SPDX-License-Identifier: Apache-2.0
// npu_core_sram: all values out of its SRAM and into it, and as many cycles as the units take with the address generators
// and the SRAM of the test bench.
#include "sim/cosim/core/core_sram_bench.hpp"
#include "tests/cosim/agu_bench.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/flawed_unit.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace vernier;
using namespace vernier::cosim;

namespace {

/// What lies in SRAM after the command: the bytes that it writes, in `image`.
void commit(const kernels::WriteSet& writes, std::vector<std::byte>& image) {
  for (const kernels::WriteSet::Run& run : writes.runs()) {
    const auto bytes = writes.bytes_of(run);
    const size_t end = run.address.offset + bytes.size();
    if (image.size() < end) image.resize(end);
    std::ranges::copy(bytes, image.begin() + static_cast<int64_t>(run.address.offset));
  }
}

/// A drawn command reads from a memory of its own. Here its results go behind that, into the same banks.
Work with_results_apart(Work drawn, const spec::Datapath& datapath) {
  const int64_t line = int64_t{spec::kNumSramBanks} * datapath.word_bytes();
  drawn.mac().output.base += (static_cast<int64_t>(drawn.bytes.size()) / line + 1) * line;
  return drawn;
}

/// The first address whose byte is another one; -1 none.
int64_t first_difference(const std::vector<std::byte>& actual, const std::vector<std::byte>& expected) {
  const auto found = std::ranges::mismatch(actual, expected);
  return found.in1 == actual.end() ? -1 : found.in1 - actual.begin();
}

/// Cycles of both, and of how many commands they differ.
struct CycleSums {
  int64_t rtl = 0, bench = 0, num_different = 0, most_apart = 0;
  void add(int64_t rtl_cycles, int64_t bench_cycles) {
    rtl += rtl_cycles;
    bench += bench_cycles;
    num_different += rtl_cycles == bench_cycles ? 0 : 1;
    most_apart = std::max(most_apart, std::abs(rtl_cycles - bench_cycles));
  }
};

}  // namespace

// Words of a beat ask in the order of npu_agu here, and in ascending order in the test bench.
TEST_CASE(
    "core with its memory: commands of the array, each by itself, have the kernels' values and the test bench's cycles") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_core_sram")) {
    CoreSramBench bench(lanes);
    ArrayBench model(lanes, true);
    Random random(static_cast<uint64_t>(lanes) + 3);
    const kernels::TableMemory tables = draw_array_tables(random);
    bench.set_tables(tables);
    CycleSums sums;
    for (int i = 0; i < 300; ++i) {
      const Work drawn = with_results_apart(draw_array_command(bench.datapath(), random), bench.datapath());
      INFO(lanes << " lanes, command " << i);
      kernels::Accumulators accumulators;
      kernels::WriteSet writes;
      kernels::run_mac(drawn.mac(), bench.datapath(), drawn.bytes, tables, accumulators, writes);
      std::vector<std::byte> image = drawn.bytes;
      commit(writes, image);  // for its size
      bench.write(0, drawn.bytes);
      std::vector<std::byte> expected = bench.read(0, static_cast<int64_t>(image.size()));
      commit(writes, expected);
      const CoreEdges edges = bench.run(drawn.mac());
      REQUIRE(first_difference(bench.read(0, static_cast<int64_t>(image.size())), expected) == -1);
      sums.add(edges.cycles(), model.run(drawn));
    }
    INFO(lanes << " lanes: " << sums.rtl << " cycles against " << sums.bench << ", " << sums.num_different
               << " commands differ, by up to " << sums.most_apart);
    CHECK(sums.num_different < 15);
    CHECK(sums.most_apart <= 8);
    CHECK(std::abs(sums.rtl - sums.bench) * 1000 < sums.bench);
  }
}

TEST_CASE("core with its memory: commands of the vector unit, each by itself, have the kernels' values") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_core_sram")) {
    CoreSramBench bench(lanes);
    VectorBench model(lanes, true);
    Random random(static_cast<uint64_t>(lanes) + 5);
    const kernels::TableMemory tables = draw_vector_tables(random);
    bench.set_tables(tables);
    model.set_tables(tables);
    CycleSums sums;
    for (int i = 0; i < 120; ++i) {
      const Work job = draw_vector_job(bench.datapath(), tables, random).work;
      INFO(lanes << " lanes, program " << i);
      kernels::WriteSet writes;
      kernels::run_vector(job.vector(), bench.datapath(), job.bytes, tables, writes);
      std::vector<std::byte> expected = job.bytes;
      commit(writes, expected);
      bench.write(0, job.bytes);
      const CoreEdges edges = bench.run(job.vector());
      REQUIRE(first_difference(bench.read(0, static_cast<int64_t>(expected.size())), expected) == -1);
      sums.add(edges.cycles(), model.run(job));
    }
    INFO(lanes << " lanes: " << sums.rtl << " cycles against " << sums.bench << ", " << sums.num_different
               << " programs differ, by up to " << sums.most_apart);
    CHECK(sums.num_different < 15);
    CHECK(sums.most_apart <= 64);
    CHECK(std::abs(sums.rtl - sums.bench) * 1000 < sums.bench);
  }
}

TEST_CASE("core with its memory: commands of both units at once have the kernels' values, none sooner than by itself") {
  if (!has_rtl()) return;
  for (const int lanes : built_widths("npu_core_sram")) {
    CoreSramBench bench(lanes), alone(lanes);
    const int64_t line = int64_t{spec::kNumSramBanks} * lanes;
    Random random(static_cast<uint64_t>(lanes) + 7);
    const kernels::TableMemory tables = draw_array_tables(random);
    bench.set_tables(tables);
    alone.set_tables(tables);
    int64_t num_overlapping = 0, num_later = 0;
    for (int i = 0; i < 25; ++i) {
      INFO(lanes << " lanes, round " << i);
      std::vector<std::byte> image, expected;
      std::vector<CoreJob> jobs;
      // Each command has a part of memory of its own, from a line of all banks on.
      const auto place = [&](const std::vector<std::byte>& before, const kernels::WriteSet& writes) {
        std::vector<std::byte> after = before;
        commit(writes, after);
        std::vector<std::byte> padded = before;
        padded.resize((after.size() / static_cast<size_t>(line) + 1) * static_cast<size_t>(line));
        after.resize(padded.size());
        image.insert(image.end(), padded.begin(), padded.end());
        expected.insert(expected.end(), after.begin(), after.end());
      };
      for (int k = 0; k < 3; ++k) {
        const auto base = static_cast<int64_t>(image.size());
        Work drawn = with_results_apart(draw_array_command(bench.datapath(), random), bench.datapath());
        kernels::Accumulators accumulators;
        kernels::WriteSet writes;
        kernels::run_mac(drawn.mac(), bench.datapath(), drawn.bytes, tables, accumulators, writes);
        place(drawn.bytes, writes);
        drawn.mac().input.base += base;
        drawn.mac().weight_base += base;
        drawn.mac().parameter_base += base;
        drawn.mac().addend.base += base;
        drawn.mac().output.base += base;
        jobs.push_back({drawn.mac(), random.within(0, 100), {}});
      }
      for (int k = 0; k < 3; ++k) {
        const auto base = static_cast<int64_t>(image.size());
        Work job = draw_vector_job(bench.datapath(), tables, random).work;
        kernels::WriteSet writes;
        kernels::run_vector(job.vector(), bench.datapath(), job.bytes, tables, writes);
        place(job.bytes, writes);
        for (spec::VectorStream& stream : job.vector().streams) stream.base += base;
        jobs.push_back({job.vector(), random.within(0, 100), {}});
      }
      bench.write(0, image);
      const std::vector<CoreEdges> edges = bench.run(jobs);
      REQUIRE(first_difference(bench.read(0, static_cast<int64_t>(image.size())), expected) == -1);
      alone.write(0, image);
      for (size_t k = 0; k < jobs.size(); ++k) {
        INFO("command " << k);
        const int64_t cycles = alone.run(jobs[k].command).cycles();
        // A command of the array that follows another one may wait for its parameters less long.
        CHECK(edges[k].cycles() >= cycles - 8);
        num_later += edges[k].cycles() > cycles ? 1 : 0;
        num_overlapping += k >= 3 && edges[k].start < edges[2].end && edges[k].end > edges[0].start ? 1 : 0;
      }
    }
    CHECK(num_overlapping > 25);
    CHECK(num_later > 25);
  }
}
