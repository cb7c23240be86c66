// SPDX-License-Identifier: Apache-2.0
// Which instructions and accesses stop the CPU.
#include "sim/gdb/breakpoints.hpp"

#include <catch2/catch.hpp>

using namespace vernier::gdb;

TEST_CASE("Breakpoints: an instruction has one where it begins, of either kind") {
  for (const StopPoint type : {StopPoint::SoftwareBreakpoint, StopPoint::HardwareBreakpoint}) {
    Breakpoints breakpoints;
    REQUIRE(breakpoints.insert({type, 0x1004}));
    CHECK(breakpoints.has(0x1004));
    CHECK_FALSE(breakpoints.has(0x1002));
    CHECK_FALSE(breakpoints.has(0x1006));
    CHECK_FALSE(breakpoints.has_watchpoints());
    CHECK_FALSE(breakpoints.met_by({0x1004, 4, true}));
    CHECK_FALSE(breakpoints.met_by({0x1004, 4, false}));
  }
}

TEST_CASE("Breakpoints: the kinds are removed each by itself, however often they were inserted") {
  Breakpoints breakpoints;
  for (int i = 0; i < 3; ++i) REQUIRE(breakpoints.insert({StopPoint::SoftwareBreakpoint, 0x1004}));
  REQUIRE(breakpoints.insert({StopPoint::HardwareBreakpoint, 0x1004}));
  breakpoints.remove({StopPoint::SoftwareBreakpoint, 0x1004});
  CHECK(breakpoints.has(0x1004));
  breakpoints.remove({StopPoint::HardwareBreakpoint, 0x1004});
  CHECK_FALSE(breakpoints.has(0x1004));
  breakpoints.remove({StopPoint::HardwareBreakpoint, 0x1004});
}

TEST_CASE("Breakpoints: a watchpoint meets accesses of its kind to any of its bytes") {
  for (const StopPoint type : {StopPoint::Write, StopPoint::Read, StopPoint::Access}) {
    Breakpoints breakpoints;
    REQUIRE(breakpoints.insert({type, 0x1004, 4}));
    CHECK(breakpoints.has_watchpoints());
    CHECK_FALSE(breakpoints.has(0x1004));
    for (const bool is_write : {false, true}) {
      const bool is_its_kind = type == StopPoint::Access || is_write == (type == StopPoint::Write);
      for (uint32_t address = 0x1000; address < 0x100C; ++address) {
        for (const uint32_t num_bytes : {1U, 2U, 4U}) {
          INFO(address << ", " << num_bytes << " bytes");
          const bool overlaps = address + num_bytes > 0x1004 && address < 0x1008;
          CHECK(breakpoints.met_by({address, num_bytes, is_write}).has_value() == (is_its_kind && overlaps));
        }
      }
    }
  }
}

TEST_CASE("Breakpoints: the end of the address space is no special place") {
  Breakpoints breakpoints;
  REQUIRE(breakpoints.insert({StopPoint::Write, 0xFFFFFFFC, 4}));
  CHECK(breakpoints.met_by({0xFFFFFFFF, 1, true}));
  CHECK_FALSE(breakpoints.met_by({0, 4, true}));
  REQUIRE(breakpoints.insert({StopPoint::Read, 0x10, 0xFFFFFFFF}));
  CHECK(breakpoints.met_by({0xFFFFFFFF, 1, false}));
  CHECK_FALSE(breakpoints.met_by({0, 4, false}));
}

TEST_CASE("Breakpoints: there are so many at most") {
  Breakpoints breakpoints;
  for (uint32_t i = 0; i < Breakpoints::kMost; ++i) REQUIRE(breakpoints.insert({StopPoint::SoftwareBreakpoint, 2 * i}));
  CHECK_FALSE(breakpoints.insert({StopPoint::SoftwareBreakpoint, 0x10000}));
  CHECK(breakpoints.insert({StopPoint::SoftwareBreakpoint, 0}));
  breakpoints.remove({StopPoint::SoftwareBreakpoint, 0});
  CHECK(breakpoints.insert({StopPoint::SoftwareBreakpoint, 0x10000}));
  breakpoints.clear();
  CHECK_FALSE(breakpoints.has(0x10000));
}
