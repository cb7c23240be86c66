// SPDX-License-Identifier: Apache-2.0
#include "hw/base/address.hpp"

#include <catch2/catch.hpp>

namespace vernier::base {
namespace {

TEST_CASE("address: addresses print with their memory, and order by memory first") {
  CHECK(fmt::format("{}", Address{MemorySpace::Sram, 0x1f40}) == "sram:0x1f40");
  CHECK(fmt::format("{}", Address{MemorySpace::External, 0}) == "ext:0x0");
  CHECK(Address{MemorySpace::Sram, 9} < Address{MemorySpace::External, 1});
  CHECK(Address{MemorySpace::Sram, 1} < Address{MemorySpace::Sram, 9});
}

}  // namespace
}  // namespace vernier::base
