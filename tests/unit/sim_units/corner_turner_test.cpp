// SPDX-License-Identifier: Apache-2.0
// A transpose moves what the copy of its single elements moves.
#include "sim/units/corner_turner.hpp"

#include "hw/package/command_codec.hpp"
#include "sim/units/copy_walk.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>

namespace vernier::units {
namespace {

using Memory = std::vector<std::byte>;
constexpr int64_t kMiddle = 20000;  // of either side: strides go both ways

Memory copied(const spec::DmaCommand& command, const Memory& from) {
  Memory to(from.size());
  const CopyWalk walk(command);
  walk.for_each([&](int64_t src, int64_t dst) {
    std::memcpy(to.data() + dst, from.data() + src, static_cast<size_t>(walk.run_bytes()));
  });
  return to;
}

Memory transposed(const spec::DmaCommand& command, const Memory& from) {
  Memory rows;
  const CopyWalk reads(source_rows(command));
  reads.for_each(
      [&](int64_t src, int64_t) { rows.insert(rows.end(), from.begin() + src, from.begin() + src + reads.run_bytes()); });
  const Memory columns = turn_corners(command, rows);
  Memory to(from.size());
  const CopyWalk writes(destination_columns(command));
  size_t at = 0;
  writes.for_each([&](int64_t, int64_t dst) {
    std::memcpy(to.data() + dst, columns.data() + at, static_cast<size_t>(writes.run_bytes()));
    at += static_cast<size_t>(writes.run_bytes());
  });
  CHECK(at == columns.size());
  return to;
}

TEST_CASE("random transposes equal the copies of their elements") {
  const uint32_t seed = 4242;
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
  };
  Memory from(static_cast<size_t>(2 * kMiddle));
  for (std::byte& byte : from) byte = static_cast<std::byte>(random());
  for (int i = 0; i < 500; ++i) {
    spec::DmaCommand command;
    command.kind = spec::DmaKind::Transpose;
    command.run_bytes = int64_t{1} << pick(0, 3);
    command.counts = {pick(1, 2), pick(1, 2), pick(1, 3), pick(1, 20), pick(1, 20)};
    const auto spread = [&](spec::DmaSide& side, size_t line, size_t along) {  // no two elements on one place
      int64_t covered = command.run_bytes * command.counts[along];
      side.strides_bytes[along] = command.run_bytes;
      for (const size_t loop : {line, size_t{2}, size_t{1}, size_t{0}}) {
        side.strides_bytes[loop] = covered + (pick(0, 1) == 0 ? 0 : pick(1, 9));
        covered = side.strides_bytes[loop] * command.counts[loop];
        if (pick(0, 3) == 0) side.strides_bytes[loop] = -side.strides_bytes[loop];
      }
      side.base = {base::MemorySpace::Sram, 0};
      int64_t low = 0;
      for (size_t k = 0; k < command.counts.size(); ++k) {
        low += std::min<int64_t>(0, (command.counts[k] - 1) * side.strides_bytes[k]);
      }
      side.base.offset = static_cast<uint64_t>(pick(0, 50) - low);
      return side.base.offset + static_cast<uint64_t>(covered);
    };
    if (spread(command.src, 3, 4) > from.size() || spread(command.dst, 4, 3) > from.size()) continue;
    const spec::Command whole{{spec::Queue::Dma0, 0, 0}, command};
    INFO(package::print(whole));
    REQUIRE(package::check(whole, spec::kPresets[1].datapath).fault == spec::FaultCode::None);
    REQUIRE(transposed(command, from) == copied(command, from));
  }
}

TEST_CASE("an image from planes to pixels is read in one run and written in one") {
  spec::DmaCommand command;
  command.kind = spec::DmaKind::Transpose;
  command.counts = {1, 1, 1, 3, 50176};
  command.src.strides_bytes = {0, 0, 0, 50176, 1};
  command.dst.strides_bytes = {0, 0, 0, 1, 3};
  CHECK(CopyWalk(source_rows(command)).num_runs() == 1);
  CHECK(CopyWalk(destination_columns(command)).num_runs() == 1);
}

}  // namespace
}  // namespace vernier::units
