// SPDX-License-Identifier: Apache-2.0
// The SRAM of the test bench: banks, ports, the window of words that ask, and when data are there.
#include "sim/cosim/memory/test_sram.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::cosim;

namespace {

constexpr spec::Datapath kDatapath{16, 4, 2};

/// Cycles in which the words of one beat are all served.
int64_t cycles_of(const std::vector<int64_t>& words, bool has_limits = true) {
  TestSram sram(kDatapath, has_limits);
  ReadQueue queue(1);
  queue.push(words);
  for (int64_t now = 0;; ++now) {
    sram.begin_cycle();
    queue.serve(sram, now);
    if (queue.num_served() == 1) return now + 1;
  }
}

}  // namespace

TEST_CASE("test SRAM: four words a cycle, one of each bank") {
  CHECK(cycles_of({0, 1, 2, 3}) == 1);
  CHECK(cycles_of({0, 1, 2, 3, 4}) == 2);
  CHECK(cycles_of({0, 7}) == 1);
  CHECK(cycles_of({0, 8}) == 2);
  CHECK(cycles_of({0, 8, 16, 24}) == 4);
  CHECK(cycles_of({0, 8, 16, 24}, false) == 1);
  CHECK(cycles_of({-1, -9}) == 2);  // of masked bytes
}

TEST_CASE("test SRAM: four words of a stream ask in a cycle, and one whose bank is taken keeps back no other") {
  // 0 is served, 8 waits, 1 and 2 are served; 9 is the fifth and has not asked. Then 8 and 9.
  CHECK(cycles_of({0, 8, 1, 2, 9}) == 2);
  CHECK(cycles_of({0, 8, 16, 24, 1}) == 4);
}

TEST_CASE("test SRAM: a bank reads or writes, of two ports for writes") {
  TestSram sram(kDatapath, true);
  sram.begin_cycle();
  CHECK(sram.write(0));
  CHECK(!sram.read(8));
  CHECK(sram.write(1));
  CHECK(!sram.write(2));
  CHECK(sram.read(2));
  sram.begin_cycle();
  CHECK(sram.read(8));
}

TEST_CASE("test SRAM: data stand at the port two cycles after their last word was served, in order") {
  TestSram sram(kDatapath, true);
  ReadQueue queue(2);
  queue.push({0, 8});
  CHECK(queue.has_room());
  queue.push({});
  CHECK(!queue.has_room());
  for (int64_t now = 0; now < 2; ++now) {
    sram.begin_cycle();
    queue.serve(sram, now);
  }
  CHECK(!queue.gives(2));
  REQUIRE(queue.gives(3));
  queue.take();
  CHECK(queue.gives(3));
}

TEST_CASE("test SRAM: rows are written in order, and make room when all of their words are") {
  TestSram sram(kDatapath, true);
  WriteQueue queue(2);
  queue.push({0, 8});
  queue.push({1});
  CHECK(!queue.has_room());
  sram.begin_cycle();
  queue.serve(sram);  // 0 and 1: the first row still has 8
  CHECK(queue.num_waiting() == 2);
  sram.begin_cycle();
  queue.serve(sram);
  CHECK(queue.is_empty());
}
