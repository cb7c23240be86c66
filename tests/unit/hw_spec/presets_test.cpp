// SPDX-License-Identifier: Apache-2.0
// The machines as they were published (docs/decisions/0002), as literals: a preset that changes changes every figure that
// was ever reported for it, and has to be changed here as well.
#include "hw/spec/latency.hpp"
#include "hw/spec/machine.hpp"
#include "hw/spec/table_format.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace vernier::spec {
namespace {

/// One number, N, gives the rest of a datapath; the ports are given beside it.
struct Published {
  std::string name;
  int n, macs_per_cycle;
  int read_bytes_per_cycle, write_bytes_per_cycle;
  int weight_tile_bytes, weight_load_cycles;
  int accumulator_bytes;  // both banks
  int dma_bytes_per_cycle;
  int64_t sram_bytes;
  int64_t external_bytes_per_cycle, external_latency_cycles;
  bool is_full_duplex;
  MemoryMode memory_mode;
};

constexpr int64_t kAll = 67'108'864;  // 64 MiB
const std::array<Published, 5> kPublished{{
    {"v64", 8, 64, 32, 16, 64, 2, 6144, 16, kAll, 16, 100, false, MemoryMode::Sram},
    {"v256", 16, 256, 64, 32, 256, 4, 12288, 32, kAll, 16, 100, false, MemoryMode::Sram},
    {"v1024", 32, 1024, 128, 64, 1024, 8, 24576, 64, kAll, 16, 100, false, MemoryMode::Sram},
    {"v256-sram48", 16, 256, 32, 16, 256, 8, 12288, 32, kAll, 16, 100, false, MemoryMode::Sram},
    {"v256-port8", 16, 256, 64, 32, 256, 4, 12288, 32, 49152, 8, 32, true, MemoryMode::External},
}};

TEST_CASE("The presets are those that were published, value by value") {
  REQUIRE(kPresets.size() == kPublished.size());
  for (size_t i = 0; i < kPublished.size(); ++i) {
    const Published& published = kPublished[i];
    const Preset& preset = kPresets[i];
    INFO(published.name);
    CHECK(preset.name == published.name);
    const Datapath& datapath = preset.datapath;
    CHECK(datapath.lanes == published.n);
    CHECK(datapath.macs_per_cycle() == published.macs_per_cycle);
    CHECK(datapath.word_bytes() == published.n);
    CHECK(datapath.sram_read_words * datapath.word_bytes() == published.read_bytes_per_cycle);
    CHECK(datapath.sram_write_words * datapath.word_bytes() == published.write_bytes_per_cycle);
    CHECK(datapath.weight_tile_bytes() == published.weight_tile_bytes);
    const int load_bytes = std::min(kWeightLoadWords, datapath.sram_read_words) * datapath.word_bytes();
    CHECK(datapath.weight_tile_bytes() == published.weight_load_cycles * load_bytes);
    CHECK(kNumAccumulatorBanks * kAccumulatorRows * datapath.lanes * kAccumulatorBits == 8 * published.accumulator_bytes);
    CHECK(datapath.dma_bytes() == published.dma_bytes_per_cycle);
    for (const int lanes :
         {datapath.rescale_lanes(), datapath.vector_lanes(), datapath.table_lanes(), datapath.depthwise_taps()}) {
      CHECK(lanes == published.n);
    }
    CHECK(preset.clock_hz == 1'000'000'000);
    CHECK(preset.sram_bytes == published.sram_bytes);
    CHECK(preset.external.bytes_per_cycle == base::Ratio{published.external_bytes_per_cycle});
    CHECK(preset.external.latency_cycles == published.external_latency_cycles);
    CHECK(preset.external.burst_bytes == 64);
    CHECK(preset.external.is_full_duplex == published.is_full_duplex);
    CHECK(preset.queue_depth == 8);
    CHECK(preset.memory_mode == published.memory_mode);
  }
}

TEST_CASE("What all presets share is as published") {
  CHECK(kNumSramBanks == 8);
  CHECK(kActivationSegments == 2);
  CHECK(kWeightLoadWords == 4);
  CHECK(kNumAccumulatorBanks == 2);
  CHECK(kAccumulatorRows == 64);
  CHECK(kAccumulatorBits == 48);
  CHECK(kMaxLaneSplitLog2 == 2);  // 1 x N, 2 x N/2, 4 x N/4
  CHECK(kNumTableSlots == 2);
  CHECK(kTable8Entries == 256);
  CHECK(kTable16Entries == 513);
  CHECK(kNumVectorRegisters == 16);
  CHECK(kMaxVectorSteps == 24);
  CHECK(kTokenCounterBits == 8);
  CHECK(kIndexBytes == 4);
  CHECK(kChannelParameterBytes == 10);
  CHECK(kMemoryModeNames == std::array<std::string_view, 3>{"sram", "weights-external", "external"});
}

TEST_CASE("Latencies are as published, and none is free") {
  CHECK(kSramReadLatencyCycles == 2);
  CHECK(kMacPipelineCycles == 5);
  CHECK(kRescalePipelineCycles == 4);
  CHECK(kTablePipelineCycles == 2);
  CHECK(kVectorSlotCycles == 3);
  CHECK(kIssueCycles == 16);
  CHECK(kDecodeCycles == 1);
  CHECK(kTokenCycles == 2);
  CHECK(kTileSwapCycles == 1);
  CHECK(kLaneReductionStepCycles == 1);
  CHECK(kIntDivCycles == 34);
  CHECK(kDmaSetupCycles == 4);
}

TEST_CASE("A preset is found by its name, and by nothing else") {
  for (const Preset& preset : kPresets) {
    const std::optional<Preset> found = find_preset(preset.name);
    REQUIRE(found);
    CHECK(found->name == preset.name);
    CHECK(found->sram_bytes == preset.sram_bytes);
  }
  for (const char* name : {"", "v", "V256", "v256 ", "v2560", "v128"}) CHECK_FALSE(find_preset(name));
}

TEST_CASE("What a machine of these presets can do fits what its SRAM delivers") {
  for (const Preset& preset : kPresets) {
    INFO(preset.name);
    // All reads and writes of a cycle can lie in different banks, and a tile's words divide a period of the banks.
    CHECK(preset.datapath.sram_read_words + preset.datapath.sram_write_words <= kNumSramBanks);
    CHECK(preset.sram_bytes % (int64_t{kNumSramBanks} * preset.datapath.word_bytes()) == 0);
    CHECK(preset.external.burst_bytes % preset.datapath.word_bytes() == 0);
    CHECK((preset.datapath.lanes & (preset.datapath.lanes - 1)) == 0);
    CHECK((preset.datapath.lanes >> kMaxLaneSplitLog2) >= 1);
  }
}

}  // namespace
}  // namespace vernier::spec
