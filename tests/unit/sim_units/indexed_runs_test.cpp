// SPDX-License-Identifier: Apache-2.0
#include "sim/units/indexed_runs.hpp"

#include <catch2/catch.hpp>

#include <cstring>

namespace vernier::units {

TEST_CASE("outer loops go over the same list, each row of it serves one step of loop 3") {
  spec::DmaCommand command;
  command.kind = spec::DmaKind::Gather;
  command.counts = {1, 2, 1, 2, 2};
  command.index_limit = 5;
  command.src = {{base::MemorySpace::Sram, 1000}, {0, 500, 0, 100, 10}};
  command.dst = {{base::MemorySpace::Sram, 0}, {0, 8, 0, 4, 2}};
  const std::vector<int32_t> indices{4, 5, -1, 0};
  std::vector<std::byte> list(sizeof(int32_t) * indices.size());
  std::memcpy(list.data(), indices.data(), list.size());
  REQUIRE(index_list_bytes(command) == static_cast<int64_t>(list.size()));

  const auto sources = [&] {
    std::vector<int64_t> offsets;
    for (const IndexedRun& run : indexed_runs(command, list)) offsets.push_back(run.src);
    return offsets;
  };
  constexpr int64_t kNone = IndexedRun::kNowhere;
  CHECK(sources() == std::vector<int64_t>{1040, kNone, kNone, 1100, 1540, kNone, kNone, 1600});
  CHECK(indexed_runs(command, list).back().dst == 8 + 4 + 2);

  command.kind = spec::DmaKind::Scatter;
  CHECK(sources() == std::vector<int64_t>{1000, 1010, 1100, 1110, 1500, 1510, 1600, 1610});
  std::vector<int64_t> targets;
  for (const IndexedRun& run : indexed_runs(command, list)) targets.push_back(run.dst);
  CHECK(targets == std::vector<int64_t>{8, kNone, kNone, 4, 16, kNone, kNone, 12});
}

}  // namespace vernier::units
