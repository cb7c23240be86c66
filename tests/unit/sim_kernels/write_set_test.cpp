// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/kernels.hpp"

#include <catch2/catch.hpp>

#include <array>

namespace vernier::kernels {
namespace {

constexpr std::array<std::byte, 3> kBytes{std::byte{1}, std::byte{2}, std::byte{3}};

base::Address sram(uint64_t offset) { return {base::MemorySpace::Sram, offset}; }

TEST_CASE("a run that starts where the last one ends is merged with it") {
  WriteSet writes;
  writes.add(sram(10), kBytes);
  writes.add(sram(13), kBytes);
  REQUIRE(writes.runs().size() == 1);
  CHECK(writes.runs()[0].bytes == 6);
  CHECK(writes.bytes_of(writes.runs()[0])[5] == std::byte{3});
}

TEST_CASE("apart, going back and in the other memory start a run of their own") {
  WriteSet writes;
  writes.add(sram(10), kBytes);
  writes.add(sram(14), kBytes);
  writes.add(sram(11), kBytes);
  writes.add({base::MemorySpace::External, 14}, kBytes);
  REQUIRE(writes.runs().size() == 4);
  CHECK(writes.runs()[2].offset == 6);
  CHECK(writes.runs()[3].address.space == base::MemorySpace::External);
  writes.clear();
  CHECK(writes.runs().empty());
}

TEST_CASE("the caller fills what extend returns") {
  WriteSet writes;
  writes.extend(sram(4), 2)[1] = std::byte{7};
  CHECK(writes.bytes_of(writes.runs()[0])[1] == std::byte{7});
  writes.extend(sram(100), 0);
  CHECK(writes.runs().size() == 1);
}

}  // namespace
}  // namespace vernier::kernels
