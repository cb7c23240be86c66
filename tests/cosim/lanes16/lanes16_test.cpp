// SPDX-License-Identifier: Apache-2.0
// npu_datapath of 16 lanes, variant check: what array_contract_test asks of 8 lanes.
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/array_seeds.hpp"

#include <catch2/catch.hpp>

namespace vernier::cosim {

/// Generated with the block, under Verilator's name.
// NOLINTNEXTLINE(readability-identifier-naming)
std::unique_ptr<RtlBlock> make_Vnpu_datapath_n16_check(const RtlOptions& options);

namespace {

constexpr spec::Datapath kN16{16, 4, 2};

}  // namespace

TEST_CASE("16 lanes: registers and memories start from anything, five seeds, the same results") {
  check_seeds_of_registers({"datapath", "v256", kN16.lanes, 4000, 11}, make_Vnpu_datapath_n16_check);
}

TEST_CASE("16 lanes: tiles, windows and accumulators full of a command before, five seeds, the same results") {
  check_seeds_after_full_commands(kN16, make_Vnpu_datapath_n16_check);
}

TEST_CASE("16 lanes: a checker with registers of its own sees a beat that no command has") {
  check_that_the_checker_sees(kN16.lanes, make_Vnpu_datapath_n16_check);
}

}  // namespace vernier::cosim
