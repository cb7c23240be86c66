// SPDX-License-Identifier: Apache-2.0
#include "hw/spec/latency.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <set>

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

TEST_CASE("outside to outside: half duplex adds up, full duplex does not") {
  config::MachineConfig config = machine("v256");
  const spec::DmaCommand command = copy(MemorySpace::External, MemorySpace::External, 4096);
  CHECK(profile(command, config).main.cycles == spec::kDmaSetupCycles + 100 + 2 * 4096 / 16);
  config.external.is_full_duplex = true;
  CHECK(profile(command, config).main.cycles == spec::kDmaSetupCycles + 100 + 4096 / 16);
}

TEST_CASE("filling a table broadcasts a word a cycle; filling memory reads nothing") {
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
      longest = std::max(longest, (bursts * burst + config.external.bytes_per_cycle - 1) / config.external.bytes_per_cycle);
    } else {
      longest = std::max(longest, (src_words + 3) / 4);
    }
    CHECK(phase.cycles == longest + (is_external ? spec::kDmaSetupCycles + config.external.latency_cycles : kSramStart));
    CHECK(phase.cycles == phase.busy_cycles + sum_of_stalls(phase));
  }
}

}  // namespace
}  // namespace vernier::timing
