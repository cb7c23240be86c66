// SPDX-License-Identifier: Apache-2.0
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/machines.hpp"
#include "tests/unit/hw_timing/pick.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace vernier::timing {
namespace {

using base::MemorySpace;
constexpr int64_t kSramStart = spec::kDmaSetupCycles + spec::kSramReadLatencyCycles;

spec::DmaCommand copy(MemorySpace from, MemorySpace to, int64_t run_bytes) {
  spec::DmaCommand command;
  command.src.base = {from, 0};
  command.dst.base = {to, 4096};
  command.run_bytes = run_bytes;
  return command;
}

TEST_CASE("one run: dma bytes a cycle, words on both sides") {
  for (const char* name : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = machine(name);
    const int64_t n = config.datapath.lanes;
    const Phase phase = profile(copy(MemorySpace::Sram, MemorySpace::Sram, 100 * n), config).main;
    CHECK(phase.cycles == kSramStart + 100 * n / (2 * n));
    CHECK(demand_of(phase, Resource::SramRead) == 100);
    CHECK(demand_of(phase, Resource::SramWrite) == 100);
    CHECK(phase.datapath_cycles == phase.cycles);
  }
}

TEST_CASE("an unaligned destination costs a word more, and the write port then sets the pace") {
  const config::MachineConfig config = machine("v256");
  spec::DmaCommand command = copy(MemorySpace::Sram, MemorySpace::Sram, 32);
  command.counts = {1, 1, 1, 1, 100};
  command.src.strides_bytes[4] = command.dst.strides_bytes[4] = 32;
  command.dst.base.offset = 4096 + 5;
  const Phase phase = profile(command, config).main;  // 100 runs of 1 cycle, but 3 words each over 2 a cycle
  CHECK(phase.busy_cycles == 100);
  CHECK(demand_of(phase, Resource::SramWrite) == 300);
  CHECK(phase.cycles == kSramStart + 150);
  CHECK(stall_of(phase, Stall::PortContention) == 50);
}

TEST_CASE("a run a cycle: a transpose of bytes") {
  const config::MachineConfig config = machine("v256");
  spec::DmaCommand command = copy(MemorySpace::Sram, MemorySpace::Sram, 1);
  command.counts = {1, 1, 1, 12, 20};
  command.src.strides_bytes = {0, 0, 0, 1, 12};
  command.dst.strides_bytes = {0, 0, 0, 20, 1};
  const Phase phase = profile(command, config).main;
  CHECK(phase.cycles == kSramStart + 12 * 20);
  CHECK(demand_of(phase, Resource::SramRead) == 12 * 20);
}

TEST_CASE("external reads: setup, latency, whole bursts over the bandwidth") {
  config::MachineConfig config = machine("v256");
  const auto cycles_of = [&](uint64_t offset, int64_t bytes) {
    spec::DmaCommand command = copy(MemorySpace::External, MemorySpace::Sram, bytes);
    command.src.base.offset = offset;
    return profile(command, config).main;
  };
  const Phase aligned = cycles_of(0, 4096);
  CHECK(aligned.cycles == spec::kDmaSetupCycles + 100 + 4096 / 16);
  CHECK(stall_of(aligned, Stall::ExternalMemory) == 100 + 4096 / 16 - 4096 / 32);
  CHECK(demand_of(aligned, Resource::ExternalRead) == 4096);
  CHECK(demand_of(cycles_of(63, 4096), Resource::ExternalRead) == 4096 + 64);
  CHECK(demand_of(cycles_of(63, 1), Resource::ExternalRead) == 64);
  CHECK(demand_of(cycles_of(63, 2), Resource::ExternalRead) == 128);
  config.external.bytes_per_cycle = 64;  // beyond the DMA's 32 bytes a cycle, more does not help
  CHECK(cycles_of(0, 4096).cycles == spec::kDmaSetupCycles + 100 + 4096 / 32);
}

TEST_CASE("a bandwidth below a byte per cycle, and one that is no whole number: bytes over it, rounded up once") {
  config::MachineConfig config = machine("v256");
  const auto cycles_of = [&](int64_t bytes) {
    return profile(copy(MemorySpace::External, MemorySpace::Sram, bytes), config).main.cycles - spec::kDmaSetupCycles - 100;
  };
  config.external.bytes_per_cycle = {1, 125};  // 8 MB/s at 1 GHz
  CHECK(cycles_of(64) == 64 * 125);
  CHECK(cycles_of(4096) == 4096 * 125);
  config.external.bytes_per_cycle = {16, 3};
  CHECK(cycles_of(64) == 12);
  CHECK(cycles_of(128) == 24);
  config.external.bytes_per_cycle = {48, 5};
  CHECK(cycles_of(64) == 7);  // 6.67
  config.external.bytes_per_cycle = {1'000'000'007, 1'000'000'009};
  CHECK(cycles_of(4096) == 4097);
  CHECK(cycles_of(64) == 65);
}

TEST_CASE("what would take longer than cycles are counted is the user's mistake, in words") {
  config::MachineConfig config = machine("v256");
  config.external.bytes_per_cycle = config::kLeastBandwidth;
  spec::DmaCommand command = copy(MemorySpace::External, MemorySpace::Sram, 1);
  command.counts = {1, 1, 1, 1 << 12, 1 << 11};
  command.src.strides_bytes = {0, 0, 0, 64, 64};
  CHECK(profile(command, config).main.cycles == spec::kDmaSetupCycles + 100 + (int64_t{64} << (12 + 11 + 16)) / 1);
  command.counts[3] = 1 << 13;
  CHECK_THROWS_WITH(profile(command, config), Catch::Contains("takes more than 35184372088832 cycles at 1/65536 external"));
}

TEST_CASE("runs that follow each other in a burst fetch it once") {
  const config::MachineConfig config = machine("v256");
  spec::DmaCommand command = copy(MemorySpace::Sram, MemorySpace::External, 16);
  command.counts = {1, 1, 1, 1, 64};
  command.src.strides_bytes[4] = 16;
  command.dst.strides_bytes[4] = 16;
  CHECK(demand_of(profile(command, config).main, Resource::ExternalWrite) == 1024);
  command.dst.strides_bytes[4] = 64;
  CHECK(demand_of(profile(command, config).main, Resource::ExternalWrite) == 4096);
  CHECK(profile(command, config).main.cycles == kSramStart + 100 + 4096 / 16);
}

TEST_CASE("a gather costs a copy of its runs, each by itself, and the list") {
  const config::MachineConfig config = machine("v256");
  spec::DmaCommand command = copy(MemorySpace::Sram, MemorySpace::Sram, 16);
  command.kind = spec::DmaKind::Gather;
  command.counts = {1, 1, 1, 2, 50};
  command.index_base = 8192;
  command.index_limit = 1000;
  command.src.strides_bytes = {0, 0, 0, 16000, 16};
  command.dst.strides_bytes = {0, 0, 0, 800, 16};
  const Phase aligned = profile(command, config).main;
  CHECK(aligned.cycles == kSramStart + spec::kSramReadLatencyCycles + 100);
  CHECK(demand_of(aligned, Resource::SramRead) == 100 + 100 * 4 / 16);
  command.src.strides_bytes[4] = 20;  // some index makes each run touch two words
  CHECK(demand_of(profile(command, config).main, Resource::SramRead) == 200 + 25);
  command.src.strides_bytes[4] = 8;
  command.run_bytes = 8;  // half a word never does
  CHECK(demand_of(profile(command, config).main, Resource::SramRead) == 100 + 25);
  command.src.base.space = MemorySpace::External;
  CHECK(demand_of(profile(command, config).main, Resource::ExternalRead) == 100 * 64);  // no burst is shared
  std::swap(command.src, command.dst);
  command.kind = spec::DmaKind::Scatter;
  const Phase scatter = profile(command, config).main;
  CHECK(demand_of(scatter, Resource::ExternalWrite) == 100 * 64);
  CHECK(demand_of(scatter, Resource::SramRead) == 100 + 25);
}

TEST_CASE("outside to outside: half duplex adds up, full duplex does not") {
  config::MachineConfig config = machine("v256");
  const spec::DmaCommand command = copy(MemorySpace::External, MemorySpace::External, 4096);
  CHECK(profile(command, config).main.cycles == spec::kDmaSetupCycles + 100 + 2 * 4096 / 16);
  config.external.is_full_duplex = true;
  CHECK(profile(command, config).main.cycles == spec::kDmaSetupCycles + 100 + 4096 / 16);
}

TEST_CASE("filling a table broadcasts a word a cycle, filling memory reads nothing") {
  const config::MachineConfig config = machine("v256");
  spec::DmaCommand command = copy(MemorySpace::Sram, MemorySpace::Sram, 1026);
  command.kind = spec::DmaKind::TableFill;
  const Phase table = profile(command, config).main;
  CHECK(table.cycles == kSramStart + 65);
  CHECK(demand_of(table, Resource::SramRead) == 65);
  CHECK(demand_of(table, Resource::SramWrite) == 0);
  command.kind = spec::DmaKind::Fill;
  command.run_bytes = 1024;
  const Phase fill = profile(command, config).main;
  CHECK(fill.cycles == spec::kDmaSetupCycles + 1024 / 32);
  CHECK(demand_of(fill, Resource::SramRead) == 0);
  CHECK(demand_of(fill, Resource::SramWrite) == 64);
}

/// `rows` x `columns` elements, dense on both sides.
spec::DmaCommand transpose(int64_t rows, int64_t columns, int64_t element_bytes) {
  spec::DmaCommand command = copy(MemorySpace::Sram, MemorySpace::Sram, element_bytes);
  command.kind = spec::DmaKind::Transpose;
  command.counts = {1, 1, 1, rows, columns};
  command.src.strides_bytes = {0, 0, 0, columns * element_bytes, element_bytes};
  command.dst.base.offset = 1 << 20;
  command.dst.strides_bytes = {0, 0, 0, element_bytes, rows * element_bytes};
  return command;
}

TEST_CASE("a transpose of whole tiles takes a cycle a row in and a cycle a column out") {
  for (const char* name : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = machine(name);
    const int64_t n = config.datapath.lanes;
    const Phase bytes = profile(transpose(4 * n, 3 * n, 1), config).main;
    CHECK(bytes.cycles == kSramStart + 12 * (n + n));
    CHECK(bytes.datapath_cycles == bytes.cycles);
    CHECK(demand_of(bytes, Resource::SramRead) == 12 * n);
    CHECK(demand_of(bytes, Resource::SramWrite) == 12 * n);
    CHECK(profile(transpose(4 * n, 3 * n, 2), config).main.cycles == kSramStart + 48 * (n / 2 + n / 2));
    // One tile of one row and one column more: rows of n + 1 bytes begin anywhere, and may touch two words.
    CHECK(profile(transpose(n + 1, n + 1, 1), config).main.datapath_cycles == kSramStart + 4 * (n + 1));
    // Elements of 8 bytes on a row pitch of 16: on v64 a tile is one of them.
    spec::DmaCommand wide = transpose(3, 5, 8);
    wide.src.strides_bytes[3] = 64;
    wide.dst.strides_bytes[4] = 64;
    CHECK(profile(wide, config).main.cycles == kSramStart + (n == 8 ? 15 + 15 : n == 16 ? 3 * 3 + 2 * 5 : 3 * 2 + 5));
  }
}

TEST_CASE("NCHW to NHWC of an image: the columns of a tile go out together") {
  // 3 rows come in one by one; 3 bytes x N columns go out 2 N bytes a cycle.
  CHECK(profile(transpose(3, 224 * 224, 1), machine("v64")).main.cycles == kSramStart + 6272 * (3 + 2));
  const Phase image = profile(transpose(3, 224 * 224, 1), machine("v256")).main;
  CHECK(image.cycles == kSramStart + 3136 * (3 + 2));
  CHECK(demand_of(image, Resource::SramRead) == 3136 * 3);
  CHECK(demand_of(image, Resource::SramWrite) == 3136 * 3);
  CHECK(profile(transpose(224 * 224, 3, 1), machine("v256")).main.cycles == image.cycles);
  // One word a cycle to write: three cycles for the 48 bytes.
  const Phase narrow = profile(transpose(3, 224 * 224, 1), machine("v256-sram48")).main;
  CHECK(narrow.cycles == kSramStart + 3136 * (3 + 3));
  CHECK(stall_of(narrow, Stall::PortContention) == 3136);
  CHECK(narrow.datapath_cycles == image.cycles);
}

/// Cycles and words of the lines that one side moves, tile by tile, from the address of every byte.
struct SideCount {
  int64_t cycles = 0, busy = 0, words = 0;
};
SideCount count_side(const spec::DmaCommand& c, const spec::DmaSide& side, bool is_source, int64_t n, int64_t port) {
  const size_t line_loop = is_source ? 3 : 4, along_loop = is_source ? 4 : 3;
  const int64_t tile = n / c.run_bytes, lines = c.counts[line_loop], along = c.counts[along_loop];
  const bool joins = along <= tile && side.strides_bytes[line_loop] == along * c.run_bytes;
  SideCount count;
  for (int64_t matrix = 0; matrix < c.counts[1] * c.counts[2]; ++matrix) {
    const int64_t corner = static_cast<int64_t>(side.base.offset) + matrix / c.counts[2] * side.strides_bytes[1] +
                           matrix % c.counts[2] * side.strides_bytes[2];
    for (int64_t line0 = 0; line0 < lines; line0 += tile) {
      for (int64_t along0 = 0; along0 < along; along0 += tile) {
        std::vector<std::set<int64_t>> runs;  // bytes
        for (int64_t line = line0; line < std::min(line0 + tile, lines); ++line) {
          if (runs.empty() || !joins) runs.emplace_back();
          for (int64_t k = along0 * c.run_bytes; k < std::min(along0 + tile, along) * c.run_bytes; ++k) {
            runs.back().insert(corner + line * side.strides_bytes[line_loop] + k);
          }
        }
        for (const std::set<int64_t>& run : runs) {
          std::set<int64_t> words;
          for (const int64_t byte : run) words.insert(byte / n);
          const int64_t moves = (static_cast<int64_t>(run.size()) + 2 * n - 1) / (2 * n);
          const auto touched = static_cast<int64_t>(words.size());
          count.busy += moves;
          count.cycles += std::max(moves, (touched + port - 1) / port);
          count.words += touched;
        }
      }
    }
  }
  return count;
}

TEST_CASE("random transposes: cycles and words equal a count of every byte of every tile") {
  const uint32_t seed = 577;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 400; ++i) {
    const config::MachineConfig config =
        machine(std::array{"v64", "v256", "v1024", "v256-sram48"}[static_cast<size_t>(i) % 4]);
    const int64_t n = config.datapath.lanes;
    spec::DmaCommand command = transpose(pick(random, 1, 70), pick(random, 1, 70), int64_t{1} << pick(random, 0, 3));
    if (i % 3 == 0) command.counts[static_cast<size_t>(pick(random, 3, 4))] = pick(random, 1, 6);
    command.counts[1] = pick(random, 1, 3);
    command.counts[2] = pick(random, 1, 3);
    command.src.strides_bytes[3] = command.counts[4] * command.run_bytes + (i % 2 == 0 ? 0 : pick(random, 1, 40));
    command.dst.strides_bytes[4] = command.counts[3] * command.run_bytes + (random() % 2 == 0 ? 0 : pick(random, 1, 40));
    for (spec::DmaSide* side : {&command.src, &command.dst}) {
      side->base.offset = 100000 + random() % 256;
      side->strides_bytes[1] = pick(random, -2000, 2000);
      side->strides_bytes[2] = pick(random, -2000, 2000);
    }
    CAPTURE(i, n, command.counts[3], command.counts[4], command.run_bytes);
    const Phase phase = profile(command, config).main;
    const SideCount in = count_side(command, command.src, true, n, config.datapath.sram_read_words);
    const SideCount out = count_side(command, command.dst, false, n, config.datapath.sram_write_words);
    CHECK(phase.busy_cycles == in.busy + out.busy);
    CHECK(phase.cycles == kSramStart + in.cycles + out.cycles);
    CHECK(phase.cycles == phase.busy_cycles + sum_of_stalls(phase));
    CHECK(demand_of(phase, Resource::SramRead) == in.words);
    CHECK(demand_of(phase, Resource::SramWrite) == out.words);
    // Never free: no faster than a copy of the same bytes by whole runs.
    const int64_t bytes =
        command.run_bytes * std::accumulate(command.counts.begin(), command.counts.end(), int64_t{1}, std::multiplies<>());
    CHECK(phase.busy_cycles * n >= bytes);
  }
}

TEST_CASE("random copies: words and bursts equal a count of every run, and no bound is beaten") {
  const uint32_t seed = 99;
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 400; ++i) {
    const config::MachineConfig config = machine(i % 3 == 0 ? "v64" : i % 3 == 1 ? "v256" : "v1024");
    spec::DmaCommand command = copy(i % 2 == 0 ? MemorySpace::External : MemorySpace::Sram, MemorySpace::Sram,
                                    1 + static_cast<int64_t>(random() % 200));
    command.src.base.offset = 100000 + random() % 256;
    for (size_t l = 2; l < 5; ++l) {
      command.counts[l] = 1 + static_cast<int64_t>(random() % 9);
      command.src.strides_bytes[l] = static_cast<int64_t>(random() % 400) - 100;
      command.dst.strides_bytes[l] = static_cast<int64_t>(random() % 400);
    }
    const Phase phase = profile(command, config).main;
    const int64_t n = config.datapath.lanes, burst = config.external.burst_bytes;
    int64_t src_words = 0, dst_words = 0, bursts = 0, last_burst = -1, runs = 0;
    for (int64_t a = 0; a < command.counts[2]; ++a) {
      for (int64_t b = 0; b < command.counts[3]; ++b) {
        for (int64_t c = 0; c < command.counts[4]; ++c) {
          const auto start = [&](const spec::DmaSide& side) {
            return static_cast<int64_t>(side.base.offset) + a * side.strides_bytes[2] + b * side.strides_bytes[3] +
                   c * side.strides_bytes[4];
          };
          std::set<int64_t> src, dst, src_bursts;
          for (int64_t byte = 0; byte < command.run_bytes; ++byte) {
            src.insert((start(command.src) + byte) / n);
            dst.insert((start(command.dst) + byte) / n);
            src_bursts.insert((start(command.src) + byte) / burst);
          }
          ++runs;
          src_words += static_cast<int64_t>(src.size());
          dst_words += static_cast<int64_t>(dst.size());
          bursts += static_cast<int64_t>(src_bursts.size()) - (*src_bursts.begin() == last_burst ? 1 : 0);
          last_burst = *src_bursts.rbegin();
        }
      }
    }
    const bool is_external = i % 2 == 0;
    CHECK(demand_of(phase, Resource::SramWrite) == dst_words);
    CHECK(demand_of(phase, Resource::SramRead) == (is_external ? 0 : src_words));
    CHECK(demand_of(phase, Resource::ExternalRead) == (is_external ? bursts * burst : 0));
    const int64_t run_cycles = runs * ((command.run_bytes + 2 * n - 1) / (2 * n));
    int64_t longest = std::max(run_cycles, (dst_words + 1) / 2);
    if (is_external) {
      longest = std::max(longest, (bursts * burst + config.external.bytes_per_cycle.numerator() - 1) /
                                      config.external.bytes_per_cycle.numerator());
    } else {
      longest = std::max(longest, (src_words + 3) / 4);
    }
    CHECK(phase.cycles == longest + (is_external ? spec::kDmaSetupCycles + config.external.latency_cycles : kSramStart));
    CHECK(phase.cycles == phase.busy_cycles + sum_of_stalls(phase));
  }
}

}  // namespace
}  // namespace vernier::timing
